"""When a candidate that was seen before is submitted again, and when it is not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from skillgate.domain.discovery import BULK, GITHUB_CODE, Candidate, Counts, Mark, Outcome, Run
from skillgate.domain.errors import StoreUnavailable
from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend, SendOutcome
from skillgate.services import submit
from skillgate.services.discovery.bulk import hand_in
from skillgate.services.discovery.candidates import again_since
from skillgate.services.discovery.loop import discover

from tests.support.backends import World
from tests.support.discovery import rows, skill_text, submitted
from tests.support.queue import drain

SKILL, OTHER = skill_text("pdf", 200), skill_text("pdf", 300)
PATH = "skills/pdf/SKILL.md"

Later = Callable[[timedelta], Backend]


@pytest.fixture
def world(real: World) -> World:
    real.github.put_repository("acme", "tools", {PATH: SKILL})
    assert discover(real.backend, GITHUB_CODE).counts == Counts(candidates=1, enqueued=1)
    drain(real)
    return real


@pytest.fixture
def later(world: World) -> Later:
    def make(after: timedelta) -> Backend:
        return replace(world.backend, now=lambda: world.backend.now() + after)

    return make


def test_within_thirty_days_an_unmoved_candidate_is_skipped(world: World, later: Later) -> None:
    run = discover(later(timedelta(days=29)), GITHUB_CODE)
    assert run.counts == Counts(candidates=1, skipped_dedup=1)


def test_after_thirty_days_it_is_submitted_again(world: World, later: Later) -> None:
    assert discover(later(timedelta(days=31)), GITHUB_CODE).counts.enqueued == 1
    assert discover(later(timedelta(days=32)), GITHUB_CODE).counts.enqueued == 0
    assert len(submitted(world)) == 2


def test_a_candidate_whose_commit_moved_is_submitted_again_once(world: World) -> None:
    world.github.put_repository("acme", "tools", {PATH: OTHER})
    assert discover(world.backend, GITHUB_CODE).counts.enqueued == 1
    drain(world)
    assert discover(world.backend, GITHUB_CODE).counts == Counts(candidates=1, skipped_dedup=1)


def test_what_a_person_submitted_at_this_commit_is_known_to_discovery(real: World) -> None:
    real.github.put_repository("acme", "tools", {PATH: SKILL})
    submit.create_submission(real.backend, submit.Request(RepoUrl("acme", "tools"), PATH))
    drain(real)
    assert discover(real.backend, GITHUB_CODE).counts == Counts(candidates=1, skipped_dedup=1)


def test_what_is_open_already_is_skipped_and_remembered(real: World) -> None:
    real.github.put_repository("acme", "tools", {PATH: SKILL})
    submit.create_submission(real.backend, submit.Request(RepoUrl("acme", "tools"), PATH))
    assert discover(real.backend, GITHUB_CODE).counts == Counts(candidates=1, skipped_dedup=1)


def test_a_blocked_repository_is_counted_and_not_submitted(real: World) -> None:
    real.github.put_repository("acme", "tools", {PATH: SKILL})
    now = real.backend.now()
    real.backend.operators.block(
        repo_key="acme/tools", skill_path=None, content_hash=None, reason="stole keys", by="op", at=now
    )
    assert discover(real.backend, GITHUB_CODE).counts == Counts(candidates=1, skipped_blocked=1)
    assert submitted(real) == []
    real.backend.operators.unblock(repo_key="acme/tools", skill_path=None, content_hash=None, at=now)
    assert discover(real.backend, GITHUB_CODE).counts.enqueued == 1


def test_whoever_looks_at_a_candidate_next_waits_for_the_first_even_if_it_is_answered_meanwhile(real: World) -> None:
    real.github.put_repository("acme", "tools", {PATH: SKILL})
    [candidate] = [Candidate(RepoUrl("acme", "tools"), PATH)]
    held = real.backend.discoveries.exclusively(
        [candidate], source=BULK, at=real.backend.now(), again_since=again_since(real.backend)
    )
    second: list[Run] = []
    with held as batch:
        assert batch.has_been_discovered() == set()
        other = threading.Thread(target=lambda: second.append(hand_in(real.backend, [candidate])))
        other.start()
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while rows(real, waiting) != [(1,)]:
            time.sleep(0.01)
        [answer] = submit.create_submissions_batch(real.backend, [submit.Request(candidate.repo, PATH)])
        drain(real)  # scanned and published: no open submission stands in the second's way any more
        assert answer.submission is not None
        batch.mark_discovered([Mark(candidate, settled=True, submission_id=answer.submission.id)])
    other.join()
    assert second[0].counts == Counts(candidates=1, skipped_dedup=1) and len(submitted(real)) == 1


def test_candidates_that_are_handed_in_go_the_same_way(world: World) -> None:
    tools, other = RepoUrl("acme", "tools"), RepoUrl("Acme", "Other")
    run = hand_in(world.backend, [Candidate(tools, PATH), Candidate(other, "SKILL.md"), Candidate(other, "SKILL.md")])
    assert run.source == BULK and run.outcome is Outcome.COMPLETED
    assert run.counts == Counts(candidates=3, enqueued=1, skipped_dedup=2)


def test_what_sqs_did_not_take_is_found_and_sent_later_not_submitted_twice(real: World) -> None:
    class NoQueue:
        def send(self, ids: list[str], **_: object) -> SendOutcome:
            return SendOutcome(sent=[], failed=dict.fromkeys(ids, "away"))

    real.github.put_repository("acme", "tools", {PATH: SKILL})
    assert discover(replace(real.backend, queue=NoQueue()), GITHUB_CODE).counts.enqueued == 1  # type: ignore[arg-type]
    assert discover(real.backend, GITHUB_CODE).counts.skipped_dedup == 1
    assert len(real.backend.store.unsent(created_before=real.backend.now(), limit=10)) == 1


def test_a_store_that_fails_in_the_middle_ends_the_run_with_the_rest_still_to_do(real: World) -> None:
    for number in range(60):
        real.github.put_repository("acme", f"t{number}", {PATH: SKILL})
    calls: list[int] = []

    class Failing:
        def __getattr__(self, name: str) -> object:
            return getattr(real.backend.discoveries, name)

        def exclusively(self, batch: list[Candidate], **more: object) -> object:
            calls.append(len(batch))
            if len(calls) == 2:
                raise StoreUnavailable("away")
            return real.backend.discoveries.exclusively(batch, **more)  # type: ignore[arg-type]

    run = discover(replace(real.backend, discoveries=Failing()), GITHUB_CODE)  # type: ignore[arg-type]
    assert run.outcome is Outcome.STORE_UNAVAILABLE and run.counts.errors == 20
    assert run.counts.candidates == run.counts.enqueued + run.counts.errors
    assert discover(real.backend, GITHUB_CODE).outcome is Outcome.COMPLETED
    assert len(set(submitted(real))) == len(submitted(real)) == 60
