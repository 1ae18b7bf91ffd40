"""How a skill is scanned."""
