"""The environment of one record: who is being served, with which settings, until when.

One `ContextVar` holds a frozen value and is only ever entered for the length of a callback. There is no set and no
clear, so two batches side by side cannot see or end each other's environment, and a warm start inherits nothing.
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from skillgate.domain.errors import OutOfTime
from skillgate.domain.principal import Principal
from skillgate.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Environment:
    """What is true for one record (or one request) and for nobody else."""

    settings: Settings
    request_id: str
    submission_id: str | None = None
    github_token: str | None = None
    deadline: float | None = None  # on time.monotonic()'s clock
    principal: Principal | None = None  # who calls, where somebody has said so

    def remaining(self) -> float:
        """Seconds until the invocation ends; infinite where nothing ends it."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    def require(self, seconds: float, step: str) -> None:
        """Raises OutOfTime if the next step may not finish before the invocation ends."""
        if self.remaining() < seconds:
            raise OutOfTime(f"Not enough time is left for: {step}.")


_current: contextvars.ContextVar[Environment] = contextvars.ContextVar("skillgate_environment")


def current() -> Environment:
    """The environment of the record being served. Raises LookupError outside of `run_with_context`."""
    return _current.get()


def current_or_none() -> Environment | None:
    return _current.get(None)


def run_with_context(environment: Environment, callback: Callable[[], T]) -> T:
    """Calls back inside the environment, in a context of its own that ends with the call."""

    def enter() -> T:
        _current.set(environment)
        return callback()

    return contextvars.copy_context().run(enter)
