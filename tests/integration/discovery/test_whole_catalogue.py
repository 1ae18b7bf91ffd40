"""5,000 candidate skills in 600 repositories: counts, cap, two at once, and a run that is cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from skillgate.adapters.discovery.sharding import MOST_RESULTS
from skillgate.concurrency import settle
from skillgate.domain.discovery import GITHUB_CODE, GITHUB_TOPICS, Counts, Mark, Outcome, Run
from skillgate.ports import DiscoveryBatch, DiscoveryStore
from skillgate.services.discovery.loop import discover

from tests.integration.discovery.conftest import REPOSITORIES, SKILLS, Catalogue, MakeWorld
from tests.support.backends import World
from tests.support.discovery import rows, submitted


def adds_up(counts: Counts) -> bool:
    parts = counts.enqueued + counts.skipped_dedup + counts.skipped_blocked + counts.errors
    return counts.candidates == parts


@pytest.fixture
def world(make_world: MakeWorld, catalogue: Catalogue) -> World:
    catalogue.github.clear_requests()
    return make_world(catalogue.github, discovery_max_results=100_000)


@pytest.mark.slow
def test_code_search_finds_every_skill_once_although_a_query_shows_only_a_thousand(
    world: World, catalogue: Catalogue
) -> None:
    run = discover(world.backend, GITHUB_CODE)

    assert run.outcome is Outcome.COMPLETED and run.checkpoint is None and run.hidden == 0
    assert run.counts == Counts(candidates=SKILLS, enqueued=SKILLS)
    assert submitted(world) == sorted(catalogue.skills) and len(catalogue.skills) > MOST_RESULTS
    assert world.backend.queue.depth()["visible"] == SKILLS
    log = world.backend.discoveries.repositories(run.id)
    assert log is not None and len(log) == REPOSITORIES
    assert sum(row.counts.candidates for row in log) == sum(row.counts.enqueued for row in log) == SKILLS
    heads = [request for request in catalogue.github.requests() if request.path.endswith("/commits/HEAD")]
    assert len(heads) == REPOSITORIES, "a repository on many pages is asked for its commit once"

    again = discover(world.backend, GITHUB_CODE)
    assert again.counts == Counts(candidates=SKILLS, skipped_dedup=SKILLS)
    assert len(submitted(world)) == SKILLS


@pytest.mark.parametrize("most", [1, 19, 20, 137])
def test_the_cap_is_honoured_exactly_and_the_next_run_goes_on_with_the_rest(world: World, most: int) -> None:
    for number in (1, 2, 3):
        run = discover(world.backend, GITHUB_CODE, max_results=most)
        assert run.outcome is Outcome.CAPPED and run.counts.enqueued == most and adds_up(run.counts)
        assert len(set(submitted(world))) == len(submitted(world)) == number * most


@pytest.mark.slow
@pytest.mark.parametrize("sources", [[GITHUB_CODE, GITHUB_TOPICS], [GITHUB_CODE, GITHUB_CODE]], ids="+".join)
def test_of_two_runs_at_once_nothing_is_submitted_twice(world: World, catalogue: Catalogue, sources: list[str]) -> None:
    runs: list[Run] = [
        outcome.unwrap() for outcome in settle(lambda name: discover(world.backend, name), sources, workers=2)
    ]
    assert [run.outcome for run in runs] == [Outcome.COMPLETED] * 2
    assert all(run.counts.candidates == SKILLS and adds_up(run.counts) for run in runs)
    assert sum(run.counts.enqueued for run in runs) == SKILLS
    assert submitted(world) == sorted(catalogue.skills)


class Cut(BaseException):
    """The end of the execution environment: nothing is caught, nothing is written down any more."""


@dataclass
class CutShort:
    """A store whose process dies at one of its marks: before that batch is kept, and after it was submitted."""

    store: DiscoveryStore
    at_mark: int
    marks: Iterator[int]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    @contextmanager
    def exclusively(self, *arguments: Any, **more: Any) -> Iterator[DiscoveryBatch]:
        with self.store.exclusively(*arguments, **more) as batch:
            yield CutBatch(batch, self)


@dataclass
class CutBatch:
    batch: DiscoveryBatch
    cut: CutShort

    def has_been_discovered(self) -> set[tuple[str, str]]:
        return self.batch.has_been_discovered()

    def mark_discovered(self, marks: Sequence[Mark]) -> None:
        if next(self.cut.marks) >= self.cut.at_mark:
            raise Cut
        self.batch.mark_discovered(marks)


@pytest.mark.slow
@pytest.mark.parametrize("source", [GITHUB_CODE, GITHUB_TOPICS])
def test_a_run_that_is_cut_in_the_middle_is_resumed_without_loss(
    world: World, catalogue: Catalogue, source: str
) -> None:
    dying = CutShort(world.backend.discoveries, at_mark=100, marks=itertools.count(1))
    with pytest.raises(Cut):
        discover(replace(world.backend, discoveries=dying), source)
    before = len(submitted(world))
    assert 0 < before < SKILLS
    [cut] = world.backend.discoveries.runs(source=source, limit=10)
    assert cut.ended_at is None and cut.outcome is None and cut.checkpoint is not None
    catalogue.github.clear_requests()

    resumed = discover(world.backend, source)

    assert resumed.outcome is Outcome.COMPLETED and adds_up(resumed.counts)
    assert submitted(world) == sorted(catalogue.skills)
    assert resumed.counts.enqueued == SKILLS - before
    assert resumed.counts.candidates < SKILLS, "it went on from the checkpoint, not from the beginning"
    assert rows(world, "SELECT count(*) FROM discoveries WHERE submitted_at IS NOT NULL") == [(SKILLS,)]
