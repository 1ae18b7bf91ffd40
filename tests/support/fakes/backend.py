"""A whole backend of fakes."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

from skillgate.ports import Backend
from skillgate.settings import Settings

from tests.support.fakes.catalogue import FakeCatalogue
from tests.support.fakes.contents import FakeContents
from tests.support.fakes.counters import FakeCounters
from tests.support.fakes.database import FakeDatabase
from tests.support.fakes.external_scans import FakeScanOutbox
from tests.support.fakes.idempotency import FakeIdempotencyStore
from tests.support.fakes.live import FakeLiveStore
from tests.support.fakes.operators import FakeOperatorStore
from tests.support.fakes.outside import FakeJudge, FakeSource
from tests.support.fakes.queue import FakeQueue
from tests.support.fakes.skills import FakeSkillStore
from tests.support.fakes.submissions import FakeSubmissionStore

REQUIRED = {
    "DATABASE_URL": "postgresql://user:secret@nowhere.invalid/skillgate",
    "TABLE_NAME": "skillgate",
    "SUBMISSIONS_QUEUE_URL": "https://queues.invalid/submissions",
    "SUBMISSIONS_DEAD_LETTERS_URL": "https://queues.invalid/submissions-dead",
    "EXTERNAL_SCANS_QUEUE_URL": "https://queues.invalid/external-scans",
    "INTERNAL_KEYS": "test-internal-key",
    "JWT_SECRETS": "signing-key-of-the-fakes-0123456789",
}


def settings(**changes: Any) -> Settings:
    """Settings that lead nowhere; `changes` go over them, by their names in the environment in lower case."""
    return Settings.from_environment(REQUIRED | {name.upper(): str(value) for name, value in changes.items()})


class ManualClock:
    """A clock that stands still until it is told."""

    def __init__(self, at: datetime = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)) -> None:
        self._at = at

    def __call__(self) -> datetime:
        return self._at

    def advance(self, **by: float) -> None:
        self._at += timedelta(**by)


class Unprovided:
    """Stands where a test uses nothing; using it all the same says what is missing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        raise AssertionError(f"This test's backend has no {self._name}, of which {attribute} was wanted")


def fake_backend(clock: ManualClock | None = None, **overrides: Any) -> Backend:
    """Every port that has a fake, on one database, and `overrides` over them. Ports without one complain when used."""
    now = clock or ManualClock()
    database, live = FakeDatabase(), FakeLiveStore()
    provided: dict[str, Any] = {
        "settings": settings(),
        "store": FakeSubmissionStore(database),
        "skills": FakeSkillStore(database),
        "operators": FakeOperatorStore(database),
        "catalogue": FakeCatalogue(database),
        "contents": FakeContents(database),
        "contents_copy": FakeContents(live),
        "external_scans": FakeScanOutbox(database),
        "external_queue": FakeQueue(now),
        "live": live,
        "idempotency": FakeIdempotencyStore(now),
        "idempotency_fallback": FakeIdempotencyStore(now),
        "queue": FakeQueue(now),
        "source": FakeSource(),
        "judge": FakeJudge(),
        "counters": FakeCounters(),
        "now": now,
        "close": lambda: None,
    } | overrides
    missing = {field.name: Unprovided(field.name) for field in dataclasses.fields(Backend)}
    return Backend(**missing | provided)
