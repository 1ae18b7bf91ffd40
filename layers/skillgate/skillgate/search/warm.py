"""The index as one execution environment holds it: loaded a little with each request, and looked after.

A function cannot work between requests, and no request should wait for tens of megabytes. So whoever searches gives a
little time to the loading, and is answered from Postgres until it is done. A new index is loaded the same way while the
one before it keeps answering.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from skillgate.domain.errors import StoreUnavailable
from skillgate.search.memory import MemoryIndex
from skillgate.search.packed import UnreadableIndex, from_bytes

LOOK_EVERY_SECONDS = 5.0
LOADING_SECONDS = 0.15  # of one request
STALE_AFTER = timedelta(hours=26)  # it is built every night, changed or not
_STRIDE = 20  # chunks in one read


class Pointer(Protocol):
    @property
    def generation(self) -> str: ...
    @property
    def chunks(self) -> int: ...
    @property
    def built_at(self) -> datetime: ...
    @property
    def sha256(self) -> str: ...


class Status(Protocol):
    @property
    def skill_id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...


@dataclass(frozen=True)
class Warm:
    """An index that can answer, with the statuses that changed since it was built."""

    index: MemoryIndex
    generation: str
    built_at: datetime
    overrides: Mapping[str, Status] = field(default_factory=dict)


class WarmIndex:
    """State of one execution environment, not of the product: losing it costs time and nothing else."""

    def __init__(
        self,
        pointer: Callable[[], Pointer | None],
        read: Callable[[str, Sequence[int]], Mapping[int, bytes]],
        overrides: Callable[[], Sequence[Status]],
        now: Callable[[], datetime],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pointer, self._read, self._overrides = pointer, read, overrides
        self._now, self._clock = now, clock
        self._lock = threading.Lock()
        self._looked_at = float("-inf")
        self._warm: Warm | None = None
        self._wanted: Pointer | None = None
        self._loaded: dict[int, bytes] = {}

    def get(self, *, patience: float = LOADING_SECONDS) -> Warm | None:
        """The index, if it is loaded and not too old. Spends up to about `patience` seconds on loading a newer one."""
        if self._lock.acquire(blocking=False):  # one request looks and loads at a time; the others go on
            try:
                self._look()
                self._load(self._clock() + patience)
            except (StoreUnavailable, UnreadableIndex):
                self._loaded, self._wanted = {}, None
            finally:
                self._lock.release()
        warm = self._warm
        return warm if warm is not None and self._now() - warm.built_at < STALE_AFTER else None

    def _look(self) -> None:
        if self._clock() - self._looked_at < LOOK_EVERY_SECONDS:
            return
        self._looked_at = self._clock()
        pointer = self._pointer()
        if pointer is None:
            return
        known = {each.generation for each in (self._warm, self._wanted) if each is not None}
        if pointer.generation not in known:
            self._wanted, self._loaded = pointer, {}
        if self._warm is not None:
            statuses: dict[str, Any] = {each.skill_id: each for each in self._overrides()}
            self._warm = Warm(self._warm.index, self._warm.generation, self._warm.built_at, statuses)

    def _load(self, until: float) -> None:
        wanted = self._wanted
        if wanted is None:
            return
        while len(self._loaded) < wanted.chunks:
            missing = [number for number in range(wanted.chunks) if number not in self._loaded][:_STRIDE]
            found = self._read(wanted.generation, missing)
            if not found:
                raise UnreadableIndex("Chunks of the index are missing.")
            self._loaded |= found
            if self._clock() > until and len(self._loaded) < wanted.chunks:
                return
        data = b"".join(self._loaded[number] for number in range(wanted.chunks))
        if hashlib.sha256(data).hexdigest() != wanted.sha256:
            raise UnreadableIndex("The index is not what its pointer says.")
        statuses: dict[str, Any] = {each.skill_id: each for each in self._overrides()}
        self._warm = Warm(MemoryIndex(from_bytes(data)), wanted.generation, wanted.built_at, statuses)
        self._wanted, self._loaded = None, {}
