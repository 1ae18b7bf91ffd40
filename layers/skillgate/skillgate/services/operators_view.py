"""What operators look at first: the queue, a day's answers, the stores, the scanners, and GitHub's quota."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillgate.concurrency import settle
from skillgate.domain.discovery import TokenState
from skillgate.ports import AnsweredHour, Backend
from skillgate.services.external_scans.dispatch_state import DispatchState, dispatch_state
from skillgate.services.operate import Health, queue_health
from skillgate.services.skill_health import SkillHealth, skill_health

HOURS = 24


@dataclass(frozen=True)
class Overview:
    """Each part but the queue (whose own parts are) is None where it could not be read: unknown is not zero."""

    queue: Health
    hours: Sequence[AnsweredHour] | None
    stores: SkillHealth | None
    scanners: DispatchState | None
    tokens: Sequence[TokenState] | None


def overview(backend: Backend) -> Overview:
    parts: Mapping[str, Callable[[], Any]] = {
        "hours": lambda: backend.charts.answered_by_hour(backend.now(), HOURS),
        "stores": lambda: skill_health(backend),
        "scanners": lambda: dispatch_state(backend),
        "tokens": lambda: _tokens(backend),
    }
    seen = settle(lambda read: read(), parts.values(), workers=len(parts))
    return Overview(queue_health(backend), **{name: each.value for name, each in zip(parts, seen, strict=True)})


def _tokens(backend: Backend) -> Sequence[TokenState]:
    """What GitHub's tokens had left when a run last used them."""
    runs = sorted(backend.discoveries.latest(), key=lambda run: run.started_at, reverse=True)
    return next((run.tokens for run in runs if run.tokens), ())
