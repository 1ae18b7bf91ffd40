"""The small facts that operators set. The pause is the only one so far."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import StoreUnavailable
from skillgate.observability import logger
from skillgate.ports import Backend

PAUSE = "queue-pause"


def paused(backend: Backend) -> bool:
    """Whether claiming is paused, as the store says that was told last.

    Raises StoreUnavailable if neither answers: an operator's pause is not ignored because it cannot be read.
    """
    return bool((_read(backend, PAUSE) or {}).get("paused"))


def pause_state(backend: Backend) -> Mapping[str, Any]:
    return _read(backend, PAUSE) or {"paused": False}


def set_paused(backend: Backend, value: bool, *, actor: str, reason: str) -> None:
    """Sets it in both stores; one of them is enough. Raises StoreUnavailable if neither took it."""
    at = backend.now()
    state = {"paused": value, "reason": reason}
    outcomes = together(
        lambda: backend.operators.set_control(PAUSE, state, at=at, by=actor),
        lambda: backend.live.set_control(PAUSE, state, at=at, by=actor),
    )
    errors = [outcome.error for outcome in outcomes if outcome.error]
    if len(errors) == len(outcomes):
        raise errors[0]
    for error in errors:
        logger.warning("control_written_once", control=PAUSE, error=str(error))


def _read(backend: Backend, name: str) -> Mapping[str, Any] | None:
    """The newer of the two: either store may have been away when the fact was set."""
    outcomes = together(lambda: backend.live.control(name), lambda: backend.operators.control(name))
    answered = [outcome for outcome in outcomes if outcome.ok]
    if not answered:
        raise StoreUnavailable("Neither store can be read.", retry_after=5) from outcomes[0].error
    found = [value for outcome in answered if (value := outcome.unwrap()) is not None]
    return max(found, key=lambda value: datetime.fromisoformat(value["updatedAt"]), default=None)
