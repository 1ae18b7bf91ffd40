"""Measures tier 1 on a labelled corpus."""
