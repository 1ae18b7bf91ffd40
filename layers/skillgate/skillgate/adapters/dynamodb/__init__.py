"""DynamoDB: the fast copy. One table; ARCHITECTURE.md has its key design."""
