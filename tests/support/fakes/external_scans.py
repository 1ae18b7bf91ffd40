"""The outbox of external scans in memory: what publishing plans, and what the sweeper does with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from skillgate.ports import TimedOut

from tests.support.fakes.database import FakeDatabase


class FakeScanOutbox:
    """The part of `ExternalScanStore` before a dispatcher comes by: none of its scans was ever handed to a worker."""

    def __init__(self, database: FakeDatabase | None = None) -> None:
        self.database = database or FakeDatabase()

    def unsent_of(self, skill_id: str, content_hash: str) -> list[str]:
        with self.database.transaction():
            return [
                scan.job_id
                for scan in self.database.planned_scans
                if (scan.skill_id, scan.content_hash) == (skill_id, content_hash) and scan.sent_at is None
            ]

    def unsent(self, *, created_before: datetime, limit: int) -> list[str]:
        with self.database.transaction():
            waiting = [scan for scan in self.database.planned_scans if scan.sent_at is None]
        return [scan.job_id for scan in waiting if scan.created_at < created_before][:limit]

    def mark_sent(self, job_ids: Sequence[str], at: datetime) -> None:
        with self.database.transaction():
            for scan in self.database.planned_scans:
                if scan.job_id in job_ids:
                    scan.sent_at = at

    def time_out(self, *, dispatched_before: datetime, at: datetime, limit: int) -> TimedOut:
        with self.database.transaction():
            return TimedOut([], [])

    def dispatched_since(self, since: datetime) -> int:
        with self.database.transaction():
            return 0

    def forget(self, before: datetime) -> None:
        """Of webhooks and dispatches, of which it has none."""
        with self.database.transaction():
            return
