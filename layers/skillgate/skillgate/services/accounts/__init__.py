"""Accounts: signing in with GitHub, sessions that rotate, and tokens for command-line clients."""
