"""Faults on demand, so that a test can see what a client makes of a bad day.

`PUT /_control/faults` replaces the list, `GET` shows it with what is left. A fault is
`{"operation": "SendMessageBatch" | "*", "kind": …, "times": n | null, "seconds": s}`, where `times` counts calls
(null: for ever) and `seconds` is for latency.

| kind      | what the client sees                                                                            |
|-----------|-------------------------------------------------------------------------------------------------|
| error     | 500 ServiceUnavailable, and nothing was done                                                    |
| lost      | 500 ServiceUnavailable, although it was done                                                    |
| partial   | every second entry of a batch fails, the others are done                                        |
| latency   | the answer comes `seconds` later                                                                |
| duplicate | a message received for the first time stays visible, so that the next receive gets it once more |
| shuffle   | messages are received out of order                                                              |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from local.sqs.errors import SqsError

KINDS = frozenset({"error", "lost", "partial", "latency", "duplicate", "shuffle"})


@dataclass(frozen=True)
class Fault:
    operation: str
    kind: str
    times: int | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}; there are {', '.join(sorted(KINDS))}")
        if self.times is not None and not isinstance(self.times, int):
            raise TypeError("times is a whole number or null")
        if not isinstance(self.seconds, int | float) or not 0 <= self.seconds <= 3_600:
            raise ValueError("seconds is between 0 and 3600")


@dataclass(frozen=True)
class CallFaults:
    """The faults that apply to one call."""

    kinds: frozenset[str] = frozenset()
    seconds: float = 0.0

    def __contains__(self, kind: str) -> bool:
        return kind in self.kinds


class Faults:
    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._used: Counter[int] = Counter()

    def replace(self, document: Any) -> None:
        """Take over a whole new list. Raises ValueError or TypeError, and keeps the old one, where it is malformed."""
        if not isinstance(document, list):
            raise TypeError("faults are a list")
        self._faults = [Fault(**entry) for entry in document]
        self._used.clear()

    def describe(self) -> list[dict[str, Any]]:
        return [asdict(fault) | {"times": self._left(position)} for position, fault in self._active()]

    def for_call(self, operation: str) -> CallFaults:
        """Use up one time of every fault on this operation."""
        hit = [(position, fault) for position, fault in self._active() if fault.operation in (operation, "*")]
        self._used.update(position for position, _ in hit)
        return CallFaults(frozenset(fault.kind for _, fault in hit), sum(fault.seconds for _, fault in hit))

    def _active(self) -> Iterable[tuple[int, Fault]]:
        return [(position, fault) for position, fault in enumerate(self._faults) if self._left(position) != 0]

    def _left(self, position: int) -> int | None:
        times = self._faults[position].times
        return None if times is None else max(0, times - self._used[position])


def unavailable() -> SqsError:
    return SqsError("ServiceUnavailable", "The service is unavailable (an injected fault).", status=500)
