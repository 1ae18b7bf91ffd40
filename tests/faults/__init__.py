"""Hundreds of submissions while the stores, the queue and the consumers fail."""
