"""Every store in the DynamoDB table, on one client."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from skillgate.adapters.dynamodb.answers import DynamoAnswers
from skillgate.adapters.dynamodb.catalogue import DynamoContents, DynamoSkills
from skillgate.adapters.dynamodb.idempotency import DynamoIdempotency
from skillgate.adapters.dynamodb.limits import DynamoCounters
from skillgate.adapters.dynamodb.live import DynamoLive
from skillgate.adapters.dynamodb.published_index import DynamoIndex
from skillgate.adapters.dynamodb.table import Table


class DynamoStores:
    def __init__(self, client: Any, table_name: str, now: Callable[[], datetime]) -> None:
        table = Table(client, table_name)
        self.live = DynamoLive(table)
        self.idempotency = DynamoIdempotency(table, now)
        self.answers = DynamoAnswers(table, now)
        self.counters = DynamoCounters(table)
        self.skills = DynamoSkills(table)
        self.contents = DynamoContents(table)
        self.index = DynamoIndex(table)
