"""One module per use case."""
