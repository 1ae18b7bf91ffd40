"""A small SQS for one machine: standard queues, durable in one SQLite file, spoken to with any AWS SDK."""
