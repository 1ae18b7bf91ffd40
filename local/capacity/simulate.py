"""`make simulate`: the queue at 170,000 submissions a day, and how long people wait for each concurrency.

Arrivals follow a day with a busy afternoon, and crawlers that hand over a thousand at a time. A consumer takes up to
ten messages and is busy as long as that batch takes, by the measured times; a batch with a record for the judge waits
for it.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass

from local.capacity.consumer import batch_seconds, judged_chance
from local.capacity.figures import Basis, load

DAY = 86_400
PER_DAY = 170_000
BURST = 1000
CONCURRENCIES = (1, 2, 3, 5, 10, 20, 50)
GITHUB_AN_HOUR = 5_000  # requests of one token


@dataclass(frozen=True)
class Waits:
    concurrency: int
    p50: float
    p95: float
    worst: float
    busy: float


def arrivals(per_day: int, rng: random.Random, *, crawled: float, burst: int = BURST) -> list[float]:
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


class ServiceTimes:
    """Draws how long a batch takes: the measured time with its spread, and the judge's where a record goes there."""

    def __init__(self, basis: Basis, rng: random.Random, batch: int) -> None:
        self._rng = rng
        self._plain = [batch_seconds(basis, size) for size in range(batch + 1)]
        self._chance = [judged_chance(basis.assumed["tier2_share"], size) for size in range(batch + 1)]
        self._spread = basis.measured["consumer_batch_spread"]
        self._judge = basis.assumed["judge_seconds"]

    def of(self, size: int) -> float:
        seconds = self._plain[size] * self._rng.lognormvariate(0, self._spread)
        return seconds + (self._judge if self._rng.random() < self._chance[size] else 0.0)


def simulate(times: list[float], concurrency: int, service: ServiceTimes, batch: int = 10) -> Waits:
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
        seconds = service.of(taken)
        waits += [start - times[position + n] for n in range(taken)]
        busy += seconds
        heapq.heappush(free, start + seconds)
        position += taken
    waits.sort()
    return Waits(
        concurrency,
        waits[len(waits) // 2],
        waits[int(len(waits) * 0.95)],
        waits[-1],
        busy / (concurrency * max(DAY, *free)),
    )


def tokens_needed(per_day: int, basis: Basis) -> int:
    """GitHub tokens for the day's submissions, spread evenly."""
    return math.ceil(per_day / 24 * basis.measured["github_requests"] / GITHUB_AN_HOUR)


def report(basis: Basis, per_day: int, seed: int, batch: int = 10) -> str:
    crawled = basis.assumed["crawled_share"]
    times = arrivals(per_day, random.Random(seed), crawled=crawled)
    plain, judge = batch_seconds(basis, batch), basis.assumed["judge_seconds"]
    chance = judged_chance(basis.assumed["tier2_share"], batch)
    lines = [
        f"{len(times):,} submissions in a day, {crawled:.0%} of them in bursts of {BURST:,}",
        f"a batch of {batch} takes {plain:.2f} s, and {chance:.0%} of such batches {judge:g} s more for the judge;",
        f"{basis.measured['github_requests']:.1f} requests to GitHub for each: {tokens_needed(per_day, basis)} tokens",
        "",
        "concurrency   wait p50      p95        worst     busy",
    ]
    for concurrency in CONCURRENCIES:
        seen = simulate(times, concurrency, ServiceTimes(basis, random.Random(seed), batch), batch)
        bar = "█" * max(1, min(40, round(math.log10(1 + seen.p95) * 12)))
        waits = f"{seen.p50:>8.1f} s {seen.p95:>8.1f} s {seen.worst:>9.1f} s"
        lines.append(f"{seen.concurrency:>11}  {waits}   {seen.busy:>5.0%}  {bar}")
    return "\n".join([*lines, "", str(basis)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.capacity.simulate", description=__doc__)
    parser.add_argument("--per-day", type=int, default=PER_DAY)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(report(load(), arguments.per_day, arguments.seed))


if __name__ == "__main__":
    main()
