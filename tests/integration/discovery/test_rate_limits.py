"""Limits that the stand-in sets: no candidate is lost, and the requests that it received show that nobody hammered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from skillgate.domain.discovery import GITHUB_CODE, GITHUB_TOPICS, Outcome, Run
from skillgate.services.discovery.loop import discover

from local.github import GitHubStandIn, Limits
from tests.integration.discovery.conftest import MakeWorld
from tests.support.backends import World
from tests.support.discovery import TestClock, clocked, fill, submitted

SKILLS, REPOSITORIES = 240, 60
REFUSED = (401, 403, 429)


@dataclass(frozen=True)
class Limited:
    """A stand-in with GitHub's own limits, whose time passes only when somebody waits."""

    github: GitHubStandIn
    clock: TestClock
    skills: set[tuple[str, str]]

    def discover(self, world: World, source: str) -> Run:
        with clocked(world.backend, self.clock) as backend:
            return discover(backend, source)

    def refused(self, *statuses: int) -> int:
        return sum(request.status in (statuses or REFUSED) for request in self.github.requests())

    def waits_after_refusals(self, token: str, path: str = "") -> list[float]:
        """For each refusal of this token: how long it was left alone after it, by requests of that kind."""
        mine = [request for request in self.github.requests() if request.token == token and path in request.path]
        return [after.time - before.time for before, after in pairwise(mine) if before.status in REFUSED]


@pytest.fixture
def limited() -> Iterator[Limited]:
    clock = TestClock(float(int(time.time())))
    with GitHubStandIn(limits=Limits(), clock=clock) as github:
        yield Limited(github, clock, fill(github, skills=SKILLS, repositories=REPOSITORIES, owners=3))


@pytest.fixture
def world(make_world: MakeWorld, limited: Limited) -> World:
    """Two tokens, each used by one request at a time, so that no request can be under way when a limit is met."""
    return make_world(limited.github, github_tokens="alpha,beta", discovery_requests_per_token=1)


def all_found(world: World, limited: Limited) -> bool:
    return submitted(world) == sorted(limited.skills)


def test_what_is_left_of_each_token_is_known_so_well_that_nothing_is_ever_refused(
    make_world: MakeWorld, limited: Limited
) -> None:
    world = make_world(limited.github, github_tokens="alpha,beta,gamma", discovery_requests_per_token=24)
    for source in (GITHUB_CODE, GITHUB_TOPICS, GITHUB_CODE, GITHUB_CODE, GITHUB_CODE, GITHUB_CODE):
        assert limited.discover(world, source).outcome is Outcome.COMPLETED
    assert all_found(world, limited)
    assert limited.refused() == 0
    searches = [request.token for request in limited.github.requests() if request.path == "/search/code"]
    assert set(searches) == {"alpha", "beta", "gamma"}, "they take turns by what each has left"


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        ({"kind": "rate_limit_429", "retry_after": 17}, 17),
        ({"kind": "rate_limit_403", "seconds": 40}, 40),
        ({"kind": "secondary_403", "retry_after": 31}, 31),
        ({"kind": "secondary_403"}, 60),  # what GitHub asks for where it names no time
    ],
    ids=["429 with Retry-After", "403 until the reset", "secondary with Retry-After", "secondary without"],
)
@pytest.mark.parametrize("where", ["/search/code", "/commits/HEAD"])
def test_a_limited_token_is_left_alone_until_its_time_and_nothing_is_lost(
    world: World, limited: Limited, fault: dict[str, Any], wait: int, where: str
) -> None:
    limited.github.set_faults(
        [{**fault, "match": where, "token": token, "times": times} for token, times in (("alpha", 2), ("beta", 1))]
    )
    run = limited.discover(world, GITHUB_CODE)

    assert run.outcome is Outcome.COMPLETED and run.counts.enqueued == SKILLS and run.counts.errors == 0
    assert all_found(world, limited)
    # A budget that is used up is one resource's; whoever is told to retry later leaves the token alone altogether.
    kind = where if fault["kind"] == "rate_limit_403" else ""
    waits = [wait for token in ("alpha", "beta") for wait in limited.waits_after_refusals(token, kind)]
    assert waits and min(waits) >= wait


def test_with_several_requests_under_way_only_those_can_still_arrive_at_a_limited_token(
    make_world: MakeWorld, limited: Limited
) -> None:
    at_once = 6
    world = make_world(limited.github, github_tokens="alpha", discovery_requests_per_token=at_once)
    limited.github.set_faults([{"kind": "secondary_403", "retry_after": 30, "match": "/commits/", "times": at_once}])
    run = limited.discover(world, GITHUB_CODE)
    assert run.counts.enqueued == SKILLS and all_found(world, limited)
    assert limited.refused(403) == at_once
    refusals = [request.time for request in limited.github.requests() if request.status == 403]
    assert refusals == sorted(refusals)
    early = [
        request
        for request in limited.github.requests()
        if request.status == 200 and refusals[0] < request.time < refusals[0] + 30
    ]
    assert early == []


def test_a_token_that_dies_is_retired_for_the_run_and_the_others_do_its_work(world: World, limited: Limited) -> None:
    limited.github.set_faults([{"kind": "dead_token", "token": "beta", "match": "/commits/"}])
    run = limited.discover(world, GITHUB_CODE)
    assert run.outcome is Outcome.COMPLETED and all_found(world, limited)
    assert limited.refused(401) == 1 and limited.waits_after_refusals("beta") == []
    assert {token.token for token in run.tokens if token.retired} == {"token 2"}
    assert "alpha" not in repr(run) and "beta" not in repr(run)


def test_with_no_token_left_the_run_ends_early_says_so_and_resumes(world: World, limited: Limited) -> None:
    deaths = [{"kind": "dead_token", "token": token, "match": "/tools-(3[0-9]|5)/"} for token in ("alpha", "beta")]
    limited.github.set_faults(deaths)
    run = limited.discover(world, GITHUB_TOPICS)
    assert run.outcome is Outcome.NO_TOKEN_LEFT and run.message and run.checkpoint is not None
    assert 0 < len(submitted(world)) < SKILLS and limited.refused(401) == 2

    limited.github.clear_faults()
    resumed = limited.discover(world, GITHUB_TOPICS)
    assert resumed.outcome is Outcome.COMPLETED and all_found(world, limited)
    assert run.counts.enqueued + resumed.counts.enqueued == SKILLS


def test_an_hour_is_not_waited_for_but_left_to_the_next_run(world: World, limited: Limited) -> None:
    limited.github.set_faults([{"kind": "rate_limit_403", "seconds": 3000, "match": "/git/trees/", "times": 2}])
    run = limited.discover(world, GITHUB_TOPICS)
    assert run.outcome is Outcome.NO_TOKEN_LEFT and sum(limited.clock.slept) < 100
    assert limited.refused(403) == 2, "one for each token"
    assert {state.remaining for state in run.tokens if state.resource == "core"} == {0}

    limited.clock.sleep(3001)
    assert limited.discover(world, GITHUB_TOPICS).outcome is Outcome.COMPLETED
    assert all_found(world, limited)


def test_without_any_token_it_works_unauthenticated_and_slower(make_world: MakeWorld, limited: Limited) -> None:
    world = make_world(limited.github, github_tokens="")
    outcomes = []
    for _ in range(10):
        outcomes.append(limited.discover(world, GITHUB_TOPICS).outcome)
        if outcomes[-1] is Outcome.COMPLETED:
            break
        limited.clock.sleep(3600)
    assert outcomes == [Outcome.NO_TOKEN_LEFT] * (len(outcomes) - 1) + [Outcome.COMPLETED] and len(outcomes) > 2
    assert all_found(world, limited) and limited.refused() == 0
    assert {request.token for request in limited.github.requests()} == {None}


def test_code_search_without_a_token_says_that_it_needs_one(make_world: MakeWorld, limited: Limited) -> None:
    run = limited.discover(make_world(limited.github, github_tokens=""), GITHUB_CODE)
    assert run.outcome is Outcome.NOT_CONFIGURED and "GITHUB_TOKENS" in (run.message or "")
    assert limited.github.requests() == []


def test_a_repository_that_cannot_be_looked_into_is_an_error_and_stops_nothing(world: World, limited: Limited) -> None:
    limited.github.set_faults([{"kind": "status", "status": 502, "match": "/tools-7/commits"}])
    run = limited.discover(world, GITHUB_CODE)
    lost = {key for key in limited.skills if key[0].endswith("/tools-7")}
    assert run.outcome is Outcome.COMPLETED
    assert submitted(world) == sorted(limited.skills - lost)
    log = {row.repo_url: row for row in world.backend.discoveries.repositories(run.id) or ()}
    assert log["https://github.com/owner-1/tools-7"].counts.errors == run.counts.errors > 0
    assert "source_unavailable" in (log["https://github.com/owner-1/tools-7"].error or "")

    limited.github.clear_faults()
    limited.discover(world, GITHUB_CODE)
    assert all_found(world, limited), "the next run finds it again"


def test_with_github_down_the_run_ends_and_the_next_goes_on(world: World, limited: Limited) -> None:
    limited.github.set_faults([{"kind": "status", "status": 503, "match": "/repos/"}])
    run = limited.discover(world, GITHUB_TOPICS)
    assert run.outcome is Outcome.SOURCE_UNAVAILABLE and submitted(world) == [] and run.counts.errors == 0
    limited.github.clear_faults()
    assert limited.discover(world, GITHUB_TOPICS).outcome is Outcome.COMPLETED
    assert all_found(world, limited)
