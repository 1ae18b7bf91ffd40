"""Counters of rate limits in DynamoDB: one item per counter and window, which ends by its TTL."""

from __future__ import annotations

from datetime import datetime

from skillgate.adapters.dynamodb.table import Table


class DynamoCounters:
    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, key: str, *, expires_at: datetime) -> int:
        """Counts one more and returns the count."""
        return self._table.add(f"RATE#{key}", "COUNT", "hits", expires_at=int(expires_at.timestamp()))
