"""What every durable store of submissions promises: the fake and Postgres alike."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from skillgate.concurrency import settle
from skillgate.domain.errors import DuplicateSubmission
from skillgate.domain.ids import new_id
from skillgate.domain.submission import Event, State, Submission
from skillgate.ports import ListQuery, OperatorStore, ScanRecord, SkillStore, SubmissionStore

from tests.support.backends import World
from tests.support.examples import NOON, moved, published, submission
from tests.support.fakes import FakeDatabase, FakeOperatorStore, FakeSkillStore, FakeSubmissionStore

LATER = NOON + timedelta(days=1)
Stores = tuple[SubmissionStore, SkillStore, OperatorStore]


@pytest.fixture(params=["fake", "postgres"])
def stores(request: pytest.FixtureRequest) -> Stores:
    if request.param == "fake":
        database = FakeDatabase()
        return FakeSubmissionStore(database), FakeSkillStore(database), FakeOperatorStore(database)
    real: World = request.getfixturevalue("real")
    return real.backend.store, real.backend.skills, real.backend.operators


@pytest.fixture
def store(stores: Stores) -> SubmissionStore:
    return stores[0]


def insert(store: SubmissionStore, *submissions: Submission) -> None:
    assert store.insert_many(submissions, with_events=True) == {each.id for each in submissions}


def move(store: SubmissionStore, before: Submission, to: State, **changes: Any) -> Submission:
    """Moves in the store and returns what the row must be now."""
    after = moved(replace(before, pending=()), to, **changes)
    assert store.move(before, replace(after, pending=()), after.pending[-1])
    return replace(after, pending=())


def one(store: SubmissionStore, id_: str) -> Submission:
    return store.get_many([id_])[id_]


# --- creating ---------------------------------------------------------------------------------------------------------


def test_a_submission_comes_back_as_it_was_inserted(store: SubmissionStore) -> None:
    received = submission(email="a@example.org", submitted_by="someone", source="crawler")
    insert(store, received)

    assert store.get_many([received.id, new_id()]) == {received.id: received}
    assert store.history(received.id) == [received.received_event()]


def test_a_second_open_submission_of_a_skill_is_not_inserted(store: SubmissionStore) -> None:
    first = submission()
    insert(store, first)
    rival = replace(submission(), repo_url=first.repo_url.replace("Acme", "ACME"))
    other_path = replace(submission(), repo_url=first.repo_url, skill_path="other/SKILL.md")

    assert store.insert_many([rival, other_path, first], with_events=True) == {other_path.id}

    assert store.find_open([rival.open_key, ("nobody/nothing", "SKILL.md")]) == {first.open_key: first}
    assert store.history(rival.id) == []


def test_a_batch_that_repeats_a_skill_inserts_it_once(store: SubmissionStore) -> None:
    first = submission()
    assert len(store.insert_many([first, replace(first, id=new_id())], with_events=False)) == 1
    assert store.history(first.id) == []


def test_a_skill_can_be_submitted_again_when_the_last_submission_has_ended(store: SubmissionStore) -> None:
    first = submission()
    insert(store, first)
    move(store, first, State.DEQUEUED)

    insert(store, replace(submission(), repo_url=first.repo_url))


def test_of_many_that_insert_the_same_at_once_exactly_one_does(store: SubmissionStore) -> None:
    callers, wanted = 8, submission()
    barrier = threading.Barrier(callers)

    def create(_: int) -> set[str]:
        mine = replace(wanted, id=new_id())
        barrier.wait(30)
        return store.insert_many([mine], with_events=True)

    created = [outcome.unwrap() for outcome in settle(create, range(callers), workers=callers)]

    assert sum(map(len, created)) == 1
    assert {store.find_open([wanted.open_key])[wanted.open_key].id} == set().union(*created)


# --- moving -----------------------------------------------------------------------------------------------------------


def test_a_move_changes_the_row_and_writes_its_event(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)

    claimed = move(store, received, State.TIER1_SCANNING, lease_until=LATER, attempt=1, commit_sha="c" * 40)
    failed = move(store, claimed, State.TIER1_FAILED, score=12)

    assert one(store, received.id) == failed
    history = store.history(received.id)
    assert [(event.version, event.from_state, event.to_state) for event in history] == [
        (1, None, State.RECEIVED),
        (2, State.RECEIVED, State.TIER1_SCANNING),
        (3, State.TIER1_SCANNING, State.TIER1_FAILED),
    ]
    assert history[-1].reason is not None and history[-1].reason.code == "became_tier1_failed"


def test_a_late_move_changes_nothing_and_writes_no_event(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    late = moved(received, State.REJECTED)
    claimed = move(store, received, State.TIER1_SCANNING)

    assert not store.move(received, replace(late, pending=()), late.pending[-1])

    assert one(store, received.id) == claimed
    assert len(store.history(received.id)) == 2


def test_of_many_that_move_the_same_at_once_exactly_one_does(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    after = moved(received, State.TIER1_SCANNING)
    callers = 8
    barrier = threading.Barrier(callers)

    def claim(_: int) -> bool:
        barrier.wait(30)
        return store.move(received, replace(after, pending=()), after.pending[-1])

    won = [outcome.unwrap() for outcome in settle(claim, range(callers), workers=callers)]

    assert won.count(True) == 1
    assert len(store.history(received.id)) == 2


def test_a_submission_cannot_be_reopened_beside_another_open_one(store: SubmissionStore) -> None:
    first = submission()
    insert(store, first)
    ended = move(store, first, State.DEQUEUED)
    insert(store, replace(submission(), repo_url=first.repo_url))
    again = moved(ended, State.RECEIVED)

    with pytest.raises(DuplicateSubmission):
        store.move(ended, replace(again, pending=()), again.pending[-1])

    assert one(store, first.id).state is State.DEQUEUED


def test_what_starts_over_counts_as_unsent_again(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    store.mark_sent([received.id], NOON)
    ended = replace(move(store, received, State.DEQUEUED), sent_at=NOON)
    assert store.unsent(created_before=LATER, limit=10) == []

    move(store, ended, State.RECEIVED)

    assert [each.id for each in store.unsent(created_before=LATER, limit=10)] == [received.id]


# --- replaying --------------------------------------------------------------------------------------------------------


def test_a_submission_from_the_copy_is_replayed_with_all_its_events(store: SubmissionStore) -> None:
    received = submission()
    claimed = moved(replace(received, pending=(received.received_event(),)), State.TIER1_SCANNING)

    assert store.replay(claimed)

    assert one(store, received.id) == replace(claimed, pending=())
    assert store.history(received.id) == list(claimed.pending)


def test_replaying_what_is_known_or_older_changes_nothing(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    claimed = moved(received, State.TIER1_SCANNING)
    failed = moved(claimed, State.TIER1_FAILED)
    assert store.replay(failed)

    assert not store.replay(failed)
    assert not store.replay(claimed)

    assert one(store, received.id) == replace(failed, pending=())
    assert [event.version for event in store.history(received.id)] == [1, 2, 3]


def test_a_copy_that_went_another_way_than_the_row_is_not_replayed(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    claimed = move(store, received, State.TIER1_SCANNING)
    astray = moved(moved(received, State.DEQUEUED), State.RECEIVED)
    too_far = replace(moved(moved(claimed, State.TIER2_SCANNING), State.NEEDS_REVIEW), pending=())

    assert not store.replay(astray), "it says otherwise of version 2"
    assert not store.replay(too_far), "it lacks the event of version 3"

    assert one(store, received.id) == claimed
    assert [event.to_state for event in store.history(received.id)] == [State.RECEIVED, State.TIER1_SCANNING]


def test_what_the_copy_lacks_is_listed_until_it_was_copied_as_it_is(store: SubmissionStore) -> None:
    older, newer = submission(), submission(after=timedelta(minutes=1))
    insert(store, older, newer, submission())
    store.mark_uncopied([newer.id, older.id, new_id()])
    assert [each.id for each in store.uncopied(10)] == [older.id, newer.id]
    assert [each.id for each in store.uncopied(1)] == [older.id]

    moved_on = move(store, older, State.TIER1_SCANNING, minutes=5)
    store.mark_copied([older, newer])
    assert [each.id for each in store.uncopied(10)] == [older.id], "the copy is of an earlier version"

    store.mark_copied([moved_on])
    assert store.uncopied(10) == []


def test_replaying_a_second_open_submission_of_a_skill_is_refused_whole(store: SubmissionStore) -> None:
    first = submission()
    insert(store, first)
    rival = replace(submission(), repo_url=first.repo_url)
    carried = replace(rival, pending=(rival.received_event(),))

    with pytest.raises(DuplicateSubmission):
        store.replay(carried)

    assert store.get_many([rival.id]) == {}
    assert store.history(rival.id) == []


# --- finding ----------------------------------------------------------------------------------------------------------


def test_what_is_idle_and_held_by_nobody_is_stuck(store: SubmissionStore) -> None:
    idle, leased, ended, fresh = submission(), submission(), submission(), submission(after=timedelta(hours=5))
    insert(store, idle, leased, ended, fresh)
    move(store, leased, State.TIER1_SCANNING, lease_until=LATER + timedelta(hours=1))
    move(store, ended, State.DEQUEUED)

    found = store.stuck(idle_since=NOON + timedelta(hours=1), now=LATER, limit=10)

    assert [each.id for each in found] == [idle.id]


def test_marking_as_sent_is_done_once(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    store.mark_sent([received.id], NOON)
    store.mark_sent([received.id], LATER)
    assert one(store, received.id).sent_at == NOON
    assert store.unsent(created_before=LATER, limit=10) == []


def test_the_place_in_the_queue_counts_who_waits_longer(store: SubmissionStore) -> None:
    first, second, third = (submission(after=timedelta(seconds=n)) for n in range(3))
    insert(store, first, second, third)
    move(store, first, State.TIER1_SCANNING)
    assert store.waiting_before(third.created_at) == 1


def test_a_page_is_sorted_filtered_and_continued_by_its_cursor(store: SubmissionStore) -> None:
    rows = [submission(after=timedelta(seconds=n // 2), skill_name=f"name-{n}") for n in range(7)]
    insert(store, *rows)
    ended = move(store, rows[3], State.DEQUEUED)
    newest_first = sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)

    seen: list[str] = []
    query = ListQuery(limit=3)
    while True:
        page = store.page(query)
        seen += [row.id for row in page.rows]
        assert (page.total, page.total_is_exact) == (7, True)
        if page.next_after is None:
            break
        query = replace(query, after=page.next_after)
    assert seen == [row.id for row in newest_first]

    oldest_first = store.page(ListQuery(descending=False, offset=2, limit=2))
    assert [row.id for row in oldest_first.rows] == seen[::-1][2:4]
    assert [row.id for row in store.page(ListQuery(states=(State.DEQUEUED, State.BLOCKED))).rows] == [ended.id]


@pytest.mark.parametrize(("text", "found"), [("NAME%", 1), ("name_", 1), ("acme/", 4), ("zzz", 0), ("\\", 1)])
def test_a_search_takes_the_text_literally(store: SubmissionStore, text: str, found: int) -> None:
    names = ("name%", "name_x", "back\\slash", "plain")
    insert(store, *(submission(skill_name=name) for name in names))
    page = store.page(ListQuery(text=text))
    assert (len(page.rows), page.total, page.total_is_exact) == (found, found, True)


def test_a_search_for_an_id_or_a_repository_finds_just_that(store: SubmissionStore) -> None:
    wanted, other = submission(), submission()
    insert(store, wanted, other)
    assert [row.id for row in store.page(ListQuery(text=wanted.id)).rows] == [wanted.id]
    assert [row.id for row in store.page(ListQuery(repo_key=wanted.repo_key)).rows] == [wanted.id]


def test_the_statistics_count_each_state_and_each_answer(store: SubmissionStore) -> None:
    waiting, quick, slow = submission(), submission(), submission()
    insert(store, waiting, quick, slow)
    now = NOON + timedelta(hours=3)
    move(store, quick, State.REJECTED, minutes=1)
    move(store, slow, State.BLOCKED, minutes=160)

    numbers = store.statistics(now)

    assert {state: n for state, n in numbers.states.items() if n} == {
        State.RECEIVED: 1,
        State.REJECTED: 1,
        State.BLOCKED: 1,
    }
    assert (numbers.answered_hour, numbers.answered_six_hours, numbers.answered_day) == (1, 2, 2)
    assert numbers.published_day == 0
    assert numbers.median_seconds == pytest.approx(80.5 * 60)
    assert numbers.p95_seconds == pytest.approx(60 + 0.95 * 159 * 60)
    assert numbers.answers_per_second == pytest.approx(2 / (159 * 60))
    assert numbers.oldest_in_flight == waiting.created_at


def test_nothing_submitted_is_zero_of_everything_and_no_time(store: SubmissionStore) -> None:
    numbers = store.statistics(NOON)
    assert set(numbers.states.values()) == {0} and set(numbers.states) == set(State)
    assert (numbers.median_seconds, numbers.answers_per_second, numbers.oldest_in_flight) == (None, None, None)


def test_the_stream_gives_every_event_once_from_where_a_reader_left_off(store: SubmissionStore) -> None:
    received = submission()
    start = store.newest_event()
    insert(store, received)
    move(store, received, State.TIER1_SCANNING)

    first = store.events_after(start, 1)
    rest = store.events_after(first[-1].cursor, 100)

    assert [item.event.to_state for item in (*first, *rest)] == [State.RECEIVED, State.TIER1_SCANNING]
    assert (rest[0].repo_url, rest[0].skill_name) == (received.repo_url, "pdf")
    assert store.newest_event() == rest[-1].cursor
    assert store.events_after(rest[-1].cursor, 100) == []
    assert len(store.events_after(None, 100)) == 2


def test_a_scan_that_is_repeated_replaces_the_first(store: SubmissionStore) -> None:
    first = ScanRecord(new_id(), 1, "a" * 64, "tier1/1", 40, "fail", {"findings": [1]}, 12, NOON)
    again = replace(first, score=90, decision="pass", created_at=LATER)
    judged = replace(first, tier=2, scanner="judge", score=None, created_at=NOON - timedelta(seconds=1))
    for scan in (first, judged, again):
        store.save_scan(scan)
    assert list(store.scans(first.submission_id)) == [judged, again]


# --- screening --------------------------------------------------------------------------------------------------------


def test_screening_tells_blocks_and_what_is_published(stores: Stores) -> None:
    store, skills, operators = stores
    skill = skills.publish(published())
    by: Any = {"reason": "malware", "by": "ann", "at": NOON}
    operators.block(repo_key="bad/repo", skill_path=None, content_hash=None, **by)
    operators.block(repo_key="bad/repo", skill_path=None, content_hash=None, **by)
    operators.block(repo_key=None, skill_path=None, content_hash="f" * 64, **by)
    keys = [("bad/repo", "x/SKILL.md"), ("acme/tools", "skills/pdf/SKILL.md"), ("good/repo", "SKILL.md")]

    found = store.screen(keys)

    assert found.keys() == set(keys[:2])
    assert found[keys[0]].blocked_reason == "malware" and found[keys[0]].skill_id is None
    assert (found[keys[1]].skill_id, found[keys[1]].commit_sha) == (skill.skill_id, skill.commit_sha)
    assert store.blocked_content("f" * 64) == "malware" and store.blocked_content("0" * 64) is None
    assert operators.unblock(repo_key="bad/repo", skill_path=None, content_hash=None, at=NOON)
    assert not operators.unblock(repo_key="bad/repo", skill_path=None, content_hash=None, at=NOON)
    assert store.screen(keys[:1]) == {}


def test_an_event_keeps_its_detail(store: SubmissionStore) -> None:
    received = submission()
    insert(store, received)
    after, event = received.moved(
        State.TIER1_SCANNING, at=LATER, actor="consumer", detail={"attempt": [1, {"a": None}]}
    )
    assert store.move(received, after, event)
    assert store.history(received.id)[-1] == Event(
        received.id, 2, State.RECEIVED, State.TIER1_SCANNING, LATER, "consumer", None, {"attempt": [1, {"a": None}]}
    )
