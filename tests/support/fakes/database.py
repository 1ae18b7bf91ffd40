"""What the fakes of the durable store share, as the real ones share a database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from skillgate.domain.errors import StoreUnavailable, Unavailable
from skillgate.domain.skill import Published
from skillgate.domain.submission import Event, State, Submission
from skillgate.ports import ScanRecord


class Switch:
    """Whether a fake answers. `with fake.away():` makes every call raise `unavailable`."""

    unavailable: ClassVar[type[Unavailable]] = StoreUnavailable

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_away = False

    @contextmanager
    def away(self) -> Iterator[None]:
        self._is_away = True
        try:
            yield
        finally:
            self._is_away = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One caller at a time."""
        if self._is_away:
            raise self.unavailable("This fake was told to be away.", retry_after=1)
        with self._lock:
            yield


@dataclass(frozen=True)
class Block:
    repo_key: str | None
    skill_path: str | None
    content_hash: str | None
    reason: str

    @property
    def scope(self) -> tuple[str | None, str | None, str | None]:
        return self.repo_key, self.skill_path, self.content_hash


@dataclass
class SkillRow:
    """A skill: its newest version, every version by content hash, and the row's own facts."""

    current: Published
    versions: dict[str, Published]
    created_at: datetime
    updated_at: datetime
    revision: int = 1
    status: str = "published"


@dataclass
class FakeDatabase(Switch):
    submissions: dict[str, Submission] = field(default_factory=dict)
    uncopied: set[str] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)
    answers: list[tuple[datetime, State]] = field(default_factory=list)
    scans: dict[tuple[str, int, str, str], ScanRecord] = field(default_factory=dict)
    skills: dict[str, SkillRow] = field(default_factory=dict)
    blocklist: list[Block] = field(default_factory=list)
    audit: list[dict[str, Any]] = field(default_factory=list)
    controls: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Switch.__init__(self)
