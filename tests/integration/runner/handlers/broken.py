"""A function that lacks a setting."""

raise RuntimeError("DATABASE_URL is not set")
