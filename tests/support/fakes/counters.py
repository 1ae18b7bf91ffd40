"""The counters of rate limits in memory."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from tests.support.fakes.database import Switch


class FakeCounters(Switch):
    """Counts like the store does. `asked` is how often it was, answered or not."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.asked = 0

    def add(self, key: str, *, expires_at: datetime) -> int:
        self.asked += 1
        with self.transaction():
            self.counts[key] += 1
            return self.counts[key]
