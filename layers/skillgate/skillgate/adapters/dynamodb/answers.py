"""The judge's answers in DynamoDB, so that one content is judged once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from skillgate.adapters.dynamodb.table import Table

KEEP = timedelta(days=90)


class DynamoAnswers:
    def __init__(self, table: Table, now: Callable[[], datetime]) -> None:
        self._table = table
        self._now = now

    def get(self, key: str) -> Mapping[str, Any] | None:
        item = self._table.get(f"JUDGE#{key}", "ANSWER")
        if item is None or item["expiresAt"] < self._now().timestamp():
            return None
        answer: dict[str, Any] = json.loads(item["document"])
        return answer

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        expires = int((self._now() + KEEP).timestamp())
        document = json.dumps(dict(answer))
        self._table.put({"pk": f"JUDGE#{key}", "sk": "ANSWER", "document": document, "expiresAt": expires})
