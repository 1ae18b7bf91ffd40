"""How the external scans are doing: whether somebody takes them, and whether anything comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from skillgate.concurrency import together
from skillgate.ports import Backend, ScanStatistics

_SILENT_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class DispatchState:
    """How external scans are doing. `state` is `no_workers`, `silent` (work waits and nothing comes back) or `ok`."""

    state: str
    workers: Sequence[str]
    per_hour: int
    statistics: ScanStatistics
    queue: Mapping[str, int] | None
    as_of: datetime


def dispatch_state(backend: Backend) -> DispatchState:
    """Raises StoreUnavailable; a queue that cannot be read is None."""
    now, settings = backend.now(), backend.settings
    counted, depth = together(lambda: backend.external_scans.statistics(now), backend.external_queue.depth)
    statistics = counted.unwrap()
    return DispatchState(
        state=_state(statistics, settings.scan_workers, now),
        workers=settings.scan_workers,
        per_hour=settings.external_scans_per_hour,
        statistics=statistics,
        queue=depth.value,
        as_of=now,
    )


def _state(statistics: ScanStatistics, workers: Sequence[str], now: datetime) -> str:
    if not workers:
        return "no_workers"
    long_ago = now - _SILENT_AFTER
    waits = statistics.oldest_unfinished is not None and statistics.oldest_unfinished < long_ago
    heard = statistics.last_result is not None and statistics.last_result >= long_ago
    return "silent" if waits and not heard else "ok"
