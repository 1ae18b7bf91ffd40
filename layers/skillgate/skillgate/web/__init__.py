"""The pages' templates, static files, and what turns values into words and safe HTML."""
