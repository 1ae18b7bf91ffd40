"""Benchmarks: ratios in one run, because machines are noisy."""
