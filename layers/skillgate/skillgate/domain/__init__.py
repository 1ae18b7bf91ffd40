"""Pure values and rules; imports nothing of the rest."""
