"""Data that comes with the product."""
