"""Idempotency keys in DynamoDB. Expiry is checked here as well, because TTL deletes late."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from skillgate.adapters.dynamodb.table import Table


class DynamoIdempotency:
    def __init__(self, table: Table, now: Callable[[], datetime]) -> None:
        self._table = table
        self._now = now

    def begin(self, key: str, request_hash: str, expires_at: datetime) -> dict[str, Any] | None:
        """None if the key is now ours; else what is known of it: `request_hash`, and `response` if it has finished."""
        item: dict[str, Any] = {
            "pk": f"IDEM#{key}",
            "sk": "STATE",
            "requestHash": request_hash,
            # Tells this call from another one with the same body in the same second; only a retry of ours repeats it.
            "callId": secrets.token_hex(16),
            "expiresAt": int(expires_at.timestamp()),
        }
        free = "attribute_not_exists(pk) OR expiresAt < :now"
        if self._table.put(item, condition=free, bound={":now": int(self._now().timestamp())}):
            return None
        known = self._table.get(item["pk"], "STATE") or {}
        response = json.loads(known["response"]) if "response" in known else None
        return {"request_hash": known.get("requestHash", request_hash), "response": response}

    def finish(self, key: str, response: Mapping[str, Any], expires_at: datetime) -> None:
        known = self._table.get(f"IDEM#{key}", "STATE")
        if known is not None:
            kept = {"response": json.dumps(dict(response)), "expiresAt": int(expires_at.timestamp())}
            self._table.put(known | kept, condition="callId = :call", bound={":call": known["callId"]})

    def forget(self, key: str) -> None:
        """Frees a key whose call failed; an answer stays."""
        unanswered = "attribute_not_exists(#response)"
        self._table.delete(f"IDEM#{key}", "STATE", condition=unanswered, names={"#response": "response"})
