"""The only modules that import an SDK or a driver."""
