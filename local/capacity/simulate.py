"""`make simulate`: the queue at 170,000 submissions a day, and how long people wait for each concurrency.

Arrivals follow a day with a busy afternoon, and crawlers that hand over a thousand at a time. A consumer takes up to
ten messages and is busy for as long as its slowest record; service times are drawn from measured ones.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
DAY = 86_400


@dataclass(frozen=True)
class Waits:
    concurrency: int
    p50: float
    p95: float
    worst: float
    busy: float


def arrivals(per_day: int, rng: random.Random, *, crawled: float = 0.6, burst: int = 1000) -> list[float]:
    """Seconds of the day at which submissions arrive: people by the time of day, crawlers in bursts."""
    times: list[float] = []
    for _ in range(round(per_day * crawled / burst)):
        start = rng.uniform(0, DAY)
        times += [start + rng.uniform(0, 5) for _ in range(burst)]
    while len(times) < per_day:
        at = rng.uniform(0, DAY)
        if rng.random() < 0.5 + 0.5 * math.sin((at / DAY - 0.25) * 2 * math.pi):
            times.append(at)
    return sorted(times)


def simulate(times: list[float], concurrency: int, batch_seconds: float, rng: random.Random, batch: int = 10) -> Waits:
    """First come, first served by `concurrency` consumers."""
    free = [0.0] * concurrency
    heapq.heapify(free)
    waits: list[float] = []
    busy = 0.0
    position = 0
    while position < len(times):
        start = max(heapq.heappop(free), times[position])
        taken = 1
        while taken < batch and position + taken < len(times) and times[position + taken] <= start:
            taken += 1
        service = batch_seconds * rng.lognormvariate(0, 0.35)
        waits += [start - times[position + n] for n in range(taken)]
        busy += service
        heapq.heappush(free, start + service)
        position += taken
    waits.sort()
    return Waits(
        concurrency,
        waits[len(waits) // 2],
        waits[int(len(waits) * 0.95)],
        waits[-1],
        busy / (concurrency * max(DAY, *free)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.capacity.simulate", description=__doc__)
    parser.add_argument("--per-day", type=int, default=170_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    measured = yaml.safe_load((HERE / "measured.yaml").read_text())
    times = arrivals(arguments.per_day, random.Random(arguments.seed))
    seconds = measured["consumer_batch_seconds"]
    print(f"{len(times):,} submissions in a day, 60 % of them in bursts of 1,000; a batch takes {seconds} s\n")
    print("concurrency   wait p50      p95        worst     busy")
    for concurrency in (2, 3, 5, 10, 20, 50, 100):
        seen = simulate(times, concurrency, seconds, random.Random(arguments.seed))
        bar = "█" * max(1, min(40, round(math.log10(1 + seen.p95) * 12)))
        waits = f"{seen.p50:>8.1f} s {seen.p95:>8.1f} s {seen.worst:>9.1f} s"
        print(f"{seen.concurrency:>11}  {waits}   {seen.busy:>5.0%}  {bar}")


if __name__ == "__main__":
    main()
