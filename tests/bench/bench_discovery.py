"""Discovery with a GitHub that takes 50 ms for an answer: side by side, against one candidate at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from skillgate.domain.discovery import GITHUB_CODE, Verdict
from skillgate.services.discovery.candidates import take
from skillgate.services.discovery.loop import discover

from local.github import GitHubStandIn, Limits
from tests.bench.harness import Result, bench, faster
from tests.support.backends import Servers, World, running_servers, world
from tests.support.discovery import fill

CANDIDATES = 1_000
SAMPLE = 100  # one at a time, a thousand would take a minute; their time grows with their number
ANSWER_SECONDS = 0.05


@bench("discovery")
def measure() -> Result:
    with running_servers() as servers:
        with _slow_github(servers, CANDIDATES) as ours:
            began = time.perf_counter()
            run = discover(ours.backend, GITHUB_CODE)
            side_by_side = time.perf_counter() - began
            assert run.counts.enqueued == CANDIDATES
        one = {"discovery_workers": 1, "discovery_requests_per_token": 1}
        with _slow_github(servers, SAMPLE, **one) as baseline:
            began = time.perf_counter()
            assert _one_at_a_time(baseline) == SAMPLE
            sampled = time.perf_counter() - began
    note = f"{CANDIDATES} candidates in as many repositories, 50 ms an answer; the baseline is {SAMPLE} of them, scaled"
    return faster("discovery", side_by_side, sampled * CANDIDATES / SAMPLE, note=note)


@contextmanager
def _slow_github(servers: Servers, candidates: int, **settings: int) -> Iterator[World]:
    with GitHubStandIn(limits=Limits.generous()) as github:
        fill(github, skills=candidates, repositories=candidates)
        github.set_faults([{"kind": "latency", "seconds": ANSWER_SECONDS}])
        urls = {"github_api_url": github.url, "github_raw_url": github.raw_url, "github_tokens": "one,two"}
        with world(servers, **urls, **settings) as made:
            yield made


def _one_at_a_time(made: World) -> int:
    """The same steps, with one candidate in each."""
    enqueued = 0
    for page in made.backend.discovery_sources.open(GITHUB_CODE).pages(None):
        for candidate in page.candidates:
            [(_, verdict)], _ = take(made.backend, [candidate], source=GITHUB_CODE, at_most=1)
            enqueued += verdict is Verdict.ENQUEUED
    return enqueued
