"""What every fast copy promises: the fake, dynoxide and Amazon's DynamoDB Local alike."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from skillgate.adapters.dynamodb.live import DynamoLive
from skillgate.adapters.dynamodb.table import Table
from skillgate.concurrency import settle
from skillgate.domain.ids import new_id
from skillgate.domain.submission import State
from skillgate.ports import LiveStore

from tests.contract.conftest import DYNAMODBS
from tests.support.examples import NOON, moved, published, submission
from tests.support.fakes import FakeLiveStore

LATER = NOON + timedelta(days=1)


@pytest.fixture(params=["fake", *DYNAMODBS])
def live(request: pytest.FixtureRequest, new_table: Callable[[str], tuple[Any, Table]]) -> LiveStore:
    return FakeLiveStore() if request.param == "fake" else DynamoLive(new_table(request.param)[1])


# --- submissions ------------------------------------------------------------------------------------------------------


def test_a_submission_comes_back_as_it_was_put_with_its_pending_events(live: LiveStore) -> None:
    received = submission(email="author@example.org", submitted_by="someone")
    carried = replace(received, pending=(received.received_event(),))
    claimed = moved(carried, State.TIER1_SCANNING, lease_until=LATER, attempt=1, score=80, commit_sha="c" * 40)

    assert live.put(claimed, unsynced=True)

    assert live.get_many([claimed.id]).submissions == {claimed.id: claimed}


def test_a_put_that_would_go_back_in_time_changes_nothing(live: LiveStore) -> None:
    received = submission()
    claimed = moved(received, State.TIER1_SCANNING)
    failed = moved(claimed, State.TIER1_FAILED)
    assert live.put(failed)

    assert not live.put(claimed)
    assert not live.put(received)
    assert not live.overwrite(claimed)

    assert live.get_many([failed.id]).submissions[failed.id] == failed


def test_of_two_different_copies_with_the_same_version_the_first_stays(live: LiveStore) -> None:
    received = submission()
    mine = moved(received, State.TIER1_SCANNING, lease_until=LATER)
    theirs = moved(received, State.DEQUEUED)
    assert live.put(mine)

    assert not live.put(theirs)

    assert live.get_many([mine.id]).submissions[mine.id].state is State.TIER1_SCANNING


def test_a_retried_put_that_meets_its_own_first_try_succeeds(live: LiveStore) -> None:
    claimed = moved(submission(), State.TIER1_SCANNING)
    assert live.put(claimed)
    assert live.put(claimed)


def test_the_truth_is_written_over_a_copy_of_the_same_version(live: LiveStore) -> None:
    received = submission()
    mistaken, true = moved(received, State.TIER1_SCANNING), moved(received, State.DEQUEUED)
    live.put(mistaken)

    assert live.overwrite(true)

    assert live.get_many([true.id]).submissions[true.id] == true


def test_the_truth_replaces_the_copy_that_was_seen_and_no_other(live: LiveStore) -> None:
    received = submission()
    claimed = moved(received, State.TIER1_SCANNING)
    astray = moved(moved(claimed, State.TIER2_SCANNING), State.NEEDS_REVIEW)
    assert not live.replace_copy(claimed, of_version=4), "nothing is there"
    live.put(astray)

    assert not live.replace_copy(claimed, of_version=3)
    assert live.replace_copy(claimed, of_version=4), "also back to a lower version"

    assert live.get_many([claimed.id]).submissions[claimed.id] == claimed


def test_hundreds_are_put_and_read_at_once_and_what_is_missing_is_counted(live: LiveStore) -> None:
    many = [submission() for _ in range(230)]
    live.put_new(many)

    found = live.get_many([*(each.id for each in many), new_id(), new_id(), many[0].id])

    assert found.submissions == {each.id: each for each in many}
    assert found.skipped == 2


def test_nothing_asked_is_nothing_found(live: LiveStore) -> None:
    found = live.get_many([])
    assert (found.submissions, found.skipped) == ({}, 0)


# --- listings ---------------------------------------------------------------------------------------------------------


def test_only_what_is_in_flight_and_idle_is_listed(live: LiveStore) -> None:
    idle = submission()
    claimed = moved(submission(), State.TIER1_SCANNING)
    busy = submission(after=timedelta(hours=2))
    done = moved(moved(submission(), State.TIER1_SCANNING), State.TIER1_FAILED)
    review = submission(state=State.NEEDS_REVIEW)
    for each in (idle, claimed, busy, done, review):
        live.put(each)

    found = live.in_flight_before(NOON + timedelta(hours=1), 1000)

    assert set(found.submissions) == {idle.id, claimed.id}
    assert found.skipped == 0


def test_a_submission_that_ended_is_no_longer_listed(live: LiveStore) -> None:
    received = submission()
    live.put(received)
    assert set(live.in_flight_before(LATER, 1000).submissions) == {received.id}

    live.put(moved(received, State.DEQUEUED))

    assert live.in_flight_before(LATER, 1000).submissions == {}


def test_what_postgres_lacks_is_listed_until_it_has_it(live: LiveStore) -> None:
    received = submission()
    carried = replace(received, pending=(received.received_event(),))
    live.put(carried, unsynced=True)
    live.put(submission())

    assert live.unsynced(1000).submissions == {carried.id: carried}
    assert carried.id not in live.in_flight_before(LATER, 1000).submissions

    live.overwrite(received)
    assert live.unsynced(1000).submissions == {}
    assert carried.id in live.in_flight_before(LATER, 1000).submissions


# --- creating while Postgres is away ----------------------------------------------------------------------------------


def test_only_one_open_submission_per_skill_is_created(live: LiveStore) -> None:
    first = submission()
    second = replace(submission(), repo_url=first.repo_url.upper().replace("HTTPS://GITHUB.COM", "https://github.com"))

    assert live.create_exclusive(first) is None
    holder = live.create_exclusive(second)

    assert holder is not None and holder.id == first.id
    assert live.get_many([second.id]).submissions == {}
    assert set(live.unsynced(1000).submissions) == {first.id}


def test_creating_again_what_was_created_succeeds(live: LiveStore) -> None:
    received = submission()
    assert live.create_exclusive(received) is None
    assert live.create_exclusive(received) is None


def test_a_lock_whose_submission_has_ended_is_taken_over(live: LiveStore) -> None:
    first = submission()
    live.put_new([first])
    live.put(moved(first, State.DEQUEUED))
    second = replace(submission(), repo_url=first.repo_url)

    assert live.create_exclusive(second) is None

    assert set(live.get_many([second.id]).submissions) == {second.id}


def test_a_lock_whose_submission_is_gone_is_taken_over(live: LiveStore) -> None:
    """The copy of a finished submission expires; its lock may outlive it."""
    first, second = submission(), submission()
    live.put_new([first])
    live.put(replace(first, version=2, state=State.REJECTED, ended_at=NOON))
    assert live.create_exclusive(replace(second, repo_url=first.repo_url)) is None


def test_of_many_that_create_the_same_at_once_exactly_one_gets_in(live: LiveStore) -> None:
    callers = 8
    wanted = submission()
    rivals = [replace(wanted, id=new_id()) for _ in range(callers)]
    barrier = threading.Barrier(callers)

    def create(rival: Any) -> Any:
        barrier.wait(30)
        return live.create_exclusive(rival)

    holders = [outcome.unwrap() for outcome in settle(create, rivals, workers=callers)]

    winners = [rival for rival, holder in zip(rivals, holders, strict=True) if holder is None]
    assert len(winners) == 1
    assert {holder.id for holder in holders if holder is not None} == {winners[0].id}
    assert set(live.unsynced(1000).submissions) == {winners[0].id}


# --- skills -----------------------------------------------------------------------------------------------------------


def test_a_skill_comes_back_as_it_was_put_whatever_the_case_of_its_name(live: LiveStore) -> None:
    skill = published(content="x" * 500_000)  # compresses to less than an item may have
    assert live.put_skill(skill, synced=True)

    assert live.get_skill("Acme/Tools/PDF") == skill
    assert live.get_skill("acme/tools/other") is None


def test_an_older_revision_of_a_skill_changes_nothing(live: LiveStore) -> None:
    newer = published(revision=3, version="1.0.2")
    live.put_skill(newer, synced=True)

    assert not live.put_skill(published(revision=2), synced=True)
    assert not live.put_skill(published(revision=3, version="9.9.9"), synced=False)

    assert live.get_skill(newer.skill_id) == newer


def test_a_skill_that_postgres_lacks_is_listed_until_it_has_it(live: LiveStore) -> None:
    skill = published()
    live.put_skill(skill, synced=False)
    live.put_skill(published(skill_id="acme/tools/other"), synced=True)
    assert [each.skill_id for each in live.unsynced_skills(100)] == [skill.skill_id]

    assert live.put_skill(skill, synced=True)

    assert live.unsynced_skills(100) == []


# --- blocklist and controls -------------------------------------------------------------------------------------------


def test_a_block_on_a_repository_covers_its_skills_and_nobody_elses(live: LiveStore) -> None:
    live.block(repo_key="bad/repo", skill_path=None, content_hash=None, reason="malware")
    live.block(repo_key="mixed/repo", skill_path="evil/SKILL.md", content_hash=None, reason="steals keys")
    keys = [
        ("bad/repo", "a/SKILL.md"),
        ("mixed/repo", "evil/SKILL.md"),
        ("mixed/repo", "good/SKILL.md"),
        ("other/repo", "evil/SKILL.md"),
    ]

    found = live.screen(keys)

    assert {key: each.blocked_reason for key, each in found.items()} == {keys[0]: "malware", keys[1]: "steals keys"}
    live.unblock(repo_key="bad/repo", skill_path=None, content_hash=None)
    assert set(live.screen(keys)) == {keys[1]}


def test_blocked_content_is_known_by_its_hash(live: LiveStore) -> None:
    live.block(repo_key=None, skill_path=None, content_hash="f" * 64, reason="malware")
    assert live.blocked_content("f" * 64) == "malware"
    assert live.blocked_content("0" * 64) is None
    assert live.screen([("f" * 64, "SKILL.md")]) == {}


def test_a_control_is_what_was_set_last_not_what_arrived_last(live: LiveStore) -> None:
    assert live.control("queue-pause") is None
    live.set_control("queue-pause", {"paused": True}, at=NOON + timedelta(seconds=5), by="ann")
    live.set_control("queue-pause", {"paused": False}, at=NOON, by="bob")

    control = live.control("queue-pause")

    assert control is not None and (control["paused"], control["updatedBy"]) == (True, "ann")
