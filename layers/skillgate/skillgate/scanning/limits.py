"""How much a scan may spend, so that no file can stop it or blow up memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_CLOCK_EVERY = 512  # reading the clock on every step would cost more than the steps


@dataclass(frozen=True, slots=True)
class Limits:
    max_files: int = 5_000
    max_file_bytes: int = 8_000_000
    max_total_bytes: int = 64_000_000
    max_archive_depth: int = 2
    max_archive_entries: int = 2_000
    max_archive_bytes: int = 32_000_000
    max_decode_depth: int = 4
    max_decoded_per_file: int = 64
    max_decoded_bytes: int = 1_000_000
    max_findings_per_rule: int = 20
    steps_per_file: int = 1_500_000
    seconds_per_file: float = 8.0
    clock: Callable[[], float] = time.monotonic


DEFAULT_LIMITS = Limits()


class BudgetExceededError(Exception):
    """This file took more steps or time than one file may take."""


@dataclass(slots=True)
class Budget:
    """Counts the steps spent on one file; `spend` raises once steps or seconds run out."""

    limits: Limits
    steps: int = 0
    _deadline: float = field(init=False)
    _next_look: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._deadline = self.limits.clock() + self.limits.seconds_per_file

    def spend(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self.limits.steps_per_file:
            raise BudgetExceededError(f"more than {self.limits.steps_per_file} steps")
        if self.steps >= self._next_look:
            self._next_look = self.steps + _CLOCK_EVERY
            if self.limits.clock() > self._deadline:
                raise BudgetExceededError(f"more than {self.limits.seconds_per_file} s")
