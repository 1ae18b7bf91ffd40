"""Idempotency keys in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.support.fakes.database import Switch


@dataclass
class _Known:
    request_hash: str
    expires_at: datetime
    response: dict[str, Any] | None = None


class FakeIdempotencyStore(Switch):
    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now
        self._keys: dict[str, _Known] = {}

    def begin(self, key: str, request_hash: str, expires_at: datetime) -> dict[str, Any] | None:
        with self.transaction():
            known = self._keys.get(key)
            if known is None or known.expires_at < self._now():
                self._keys[key] = _Known(request_hash, expires_at)
                return None
            return {"request_hash": known.request_hash, "response": known.response}

    def finish(self, key: str, response: Mapping[str, Any], expires_at: datetime) -> None:
        with self.transaction():
            if known := self._keys.get(key):
                known.response, known.expires_at = dict(response), expires_at

    def forget(self, key: str) -> None:
        with self.transaction():
            known = self._keys.get(key)
            if known is not None and known.response is None:
                del self._keys[key]
