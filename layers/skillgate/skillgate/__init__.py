"""Skillgate: a registry of AI agent skills."""
