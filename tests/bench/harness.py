"""A benchmark is a function that returns results; modules named bench_*.py register theirs with `@bench`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Measure = Callable[[], "Result | Iterable[Result]"]
REGISTERED: dict[str, Measure] = {}


@dataclass(frozen=True)
class Result:
    """`ratio` over 1 is in our favour. Where there is nothing to compare with, baseline and ratio are None.

    `figure` is the name under which `make measured` writes `ours` down for the cost model and the simulation.
    """

    name: str
    ours: float
    baseline: float | None
    ratio: float | None
    unit: str
    note: str = ""
    figure: str = ""


def bench(name: str) -> Callable[[Measure], Measure]:
    def register(measure: Measure) -> Measure:
        REGISTERED[name] = measure
        return measure

    return register


def faster(name: str, ours: float, baseline: float, *, unit: str = "s", note: str = "") -> Result:
    """For times: how many times less we take than the baseline."""
    return Result(name, ours, baseline, baseline / ours, unit, note)
