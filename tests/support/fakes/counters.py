"""Counters in memory."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from skillgate.domain.errors import StoreUnavailable


class FakeCounters:
    """Counts like the store does; `away` makes it one that does not answer. `asked` is how often it was."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.away = False
        self.asked = 0

    def add(self, key: str, *, expires_at: datetime) -> int:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("The counters are away.")
        self.counts[key] += 1
        return self.counts[key]
