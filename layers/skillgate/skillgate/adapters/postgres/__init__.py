"""Aurora Postgres: the durable truth."""
