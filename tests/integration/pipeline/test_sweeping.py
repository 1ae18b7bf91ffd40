"""The sweeper: finds what is stuck, unsent or in one store only, at a cost that follows what it finds."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from skillgate.adapters.dynamodb.live import DynamoLive
from skillgate.adapters.dynamodb.table import Table
from skillgate.concurrency import settle
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import Reason, State
from skillgate.ports import SendOutcome
from skillgate.services import operate
from skillgate.services.operate import Operator
from skillgate.services.submit import Request
from skillgate.services.sweep import stuck, sweep
from skillgate.services.transition import update_state

from tests.integration.pipeline.steps import now_of, one_submitted, put_skills, records, sql, state_of, submitted
from tests.support.backends import World
from tests.support.outage import later, without_dynamodb, without_postgres
from tests.support.queue import drain

LONG = timedelta(minutes=16)
VERY_LONG = timedelta(hours=3)


class Refusing:
    """A queue that takes no message."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def send(self, submission_ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome:
        return SendOutcome([], dict.fromkeys(submission_ids, "refused"))


def many(world: World, number: int) -> list[str]:
    requests = [Request(RepoUrl("many", f"repo-{n}"), "SKILL.md") for n in range(number)]
    return [each.id for each in submitted(world.backend, requests)]


def test_a_lost_message_is_sent_again_at_most_three_times_and_then_given_up(quick: World) -> None:
    made = one_submitted(quick)
    quick.queued_ids()  # lost
    for times in (1, 2, 3):
        assert sweep(later(quick.backend, times * LONG)).resent == 1
        assert quick.queued_ids() == [made.id]
        assert now_of(quick.backend, made).sweeps == times
        assert sweep(later(quick.backend, times * LONG)).resent == 0
    report = sweep(later(quick.backend, 4 * LONG))
    assert (report.resent, report.given_up) == (0, 1) and quick.queued_ids() == []
    ended = now_of(quick.backend, made)
    assert ended.state is State.REJECTED and ended.reason and ended.reason.code == "processing_failed"


def test_a_restart_that_could_not_be_sent_is_none_of_the_three(quick: World) -> None:
    made = one_submitted(quick)
    quick.queued_ids()

    refusing: Any = Refusing(quick.backend.queue)
    for _ in range(4):
        assert sweep(replace(later(quick.backend, LONG), queue=refusing)).resent == 0
    assert now_of(quick.backend, made).sweeps == 0
    assert sweep(later(quick.backend, LONG)).resent == 1


def test_a_consumer_that_died_is_found_when_its_lease_is_over_and_not_before(quick: World) -> None:
    made = one_submitted(quick)
    quick.queued_ids()
    until = quick.backend.now() + timedelta(hours=1)
    update_state(quick.backend, made, State.TIER1_SCANNING, actor="consumer", attempt=1, lease_until=until)
    assert stuck(later(quick.backend, LONG)) == ([], 0)
    assert [each.id for each in stuck(later(quick.backend, VERY_LONG))[0]] == [made.id]
    assert sweep(later(quick.backend, VERY_LONG)).resent == 1
    assert now_of(quick.backend, made).lease_until is None
    drain(quick)
    assert state_of(quick.backend, made) is State.PUBLISHED


def test_what_was_accepted_and_never_sent_is_sent(quick: World) -> None:
    refusing: Any = Refusing(quick.backend.queue)
    made = submitted(replace(quick.backend, queue=refusing), put_skills(quick, ["a", "b"]))
    assert sweep(quick.backend).unsent_sent == 0  # it may be on its way at this moment
    assert sweep(later(quick.backend, timedelta(minutes=3))).unsent_sent == 2
    assert sweep(later(quick.backend, timedelta(minutes=3))).unsent_sent == 0
    assert drain(quick) == 2 and {state_of(quick.backend, each) for each in made} == {State.PUBLISHED}


def test_what_was_accepted_without_postgres_and_lost_is_sent_again_before_it_is_back(quick: World) -> None:
    crippled = without_postgres(quick.backend)
    made = submitted(crippled, put_skills(quick, ["a"]))[0]
    quick.queued_ids()
    assert sweep(later(crippled, LONG)).resent == 1
    assert quick.queued_ids() == [made.id]


def test_a_backlog_is_not_mistaken_for_stuck(quick: World) -> None:
    many(quick, 30)
    assert sweep(later(quick.backend, LONG)).resent == 0
    assert sweep(later(quick.backend, VERY_LONG)).resent == 30  # by then a message is taken to be lost


def test_nothing_is_sent_again_while_the_queue_is_paused(quick: World) -> None:
    one_submitted(quick)
    quick.queued_ids()
    operate.pause(quick.backend, Operator("me", "because of the test"), on=True)
    report = sweep(later(quick.backend, LONG))
    assert (report.resent, report.unsent_sent) == (0, 0)


def test_two_sweepers_at_once_do_no_harm(quick: World) -> None:
    ids = many(quick, 20)
    quick.queued_ids()
    ready = threading.Barrier(2)

    def run(_: int) -> int:
        ready.wait()
        report = sweep(later(quick.backend, LONG))
        return report.errors

    assert [outcome.unwrap() for outcome in settle(run, range(2), workers=2)] == [0, 0]
    rows = quick.backend.store.get_many(ids)
    assert {row.sweeps for row in rows.values()} == {1}
    copies = quick.backend.live.get_many(ids).submissions
    assert {id_: copy.version for id_, copy in copies.items()} == {id_: row.version for id_, row in rows.items()}


class Counting:
    """Counts the calls of a port, and how many were under way at once."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.calls: Counter[str] = Counter()
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._real, name)
        if not callable(method):
            return method

        def counted(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                self.calls[name] += 1
                self._now += 1
                self.most_at_once = max(self.most_at_once, self._now)
            try:
                return method(*arguments, **named)
            finally:
                with self._lock:
                    self._now -= 1

        return counted


def test_a_sweep_costs_what_is_stuck_and_not_what_exists(quick: World) -> None:
    def cost() -> Counter[str]:
        client = Counting(quick.dynamodb)
        live = DynamoLive(Table(client, quick.settings.table_name))
        store = Counting(quick.backend.store)
        report = sweep(replace(later(quick.backend, LONG), live=live, store=store))
        assert report.degraded == [] and report.errors == 0
        return client.calls + store.calls

    empty = cost()
    finished = [
        replace(s, state=State.REJECTED, version=2, ended_at=s.created_at)
        for s in submitted(quick.backend, [Request(RepoUrl("many", f"repo-{n}"), "SKILL.md") for n in range(2000)])
    ]
    sql(
        quick,
        "UPDATE submissions SET state = 'REJECTED', version = 2, ended_at = now(), reason_code = 'x', reason = 'x'",
    )
    quick.backend.live.put_new(finished, with_locks=False)
    quick.sqs.purge_queue(QueueUrl=quick.settings.submissions_queue_url)
    assert cost() == empty
    plan = sql(
        quick,
        "EXPLAIN SELECT * FROM submissions WHERE state IN ('RECEIVED', 'TIER1_SCANNING', 'TIER2_SCANNING',"
        " 'AUTO_APPROVED', 'RESCAN_REQUIRED') AND updated_at < now() ORDER BY updated_at LIMIT 1000",
    )
    assert "submissions_in_flight" in str(plan)


def test_reading_stuck_submissions_has_more_than_one_read_in_flight_at_once(quick: World) -> None:
    """The reads wait for each other: one after the other, they would never come to an end."""
    ids = many(quick, 250)
    side_by_side = threading.Barrier(2)
    waited: list[int] = []

    class Meeting(Counting):
        def __getattr__(self, name: str) -> Any:
            if name == "batch_get_item" and len(waited) < 2:
                waited.append(1)
                side_by_side.wait(20)
            return super().__getattr__(name)

    client = Meeting(quick.dynamodb)
    live = DynamoLive(Table(client, quick.settings.table_name))
    found = live.in_flight_before(quick.backend.now() + timedelta(minutes=1), 10_000)
    assert set(found.submissions) == set(ids) and found.skipped == 0
    assert len(waited) == 2 and client.calls["batch_get_item"] == 3 and client.most_at_once > 1


def test_a_key_that_is_gone_or_throws_is_skipped_and_counted(quick: World) -> None:
    ids = many(quick, 220)

    class Failing(Counting):
        def __getattr__(self, name: str) -> Any:
            method = super().__getattr__(name)
            if name != "batch_get_item":
                return method

            def read(**named: Any) -> Any:
                keys = named["RequestItems"][quick.settings.table_name]["Keys"]
                if len(keys) == 20:  # the last chunk
                    raise quick.dynamodb.exceptions.InternalServerError(
                        {"Error": {"Code": "InternalServerError", "Message": "no"}}, name
                    )
                answer = method(**named)
                items = answer["Responses"][quick.settings.table_name]
                items[0]["document"] = {"S": "{"}  # nobody can read this one
                del items[1]  # and this one has gone since it was listed
                return answer

            return read

    live = DynamoLive(Table(Failing(quick.dynamodb), quick.settings.table_name))
    backend = replace(later(quick.backend, LONG), live=live)
    found = live.in_flight_before(backend.now(), 10_000)
    assert (len(found.submissions), found.skipped) == (220 - 20 - 4, 20 + 4)
    quick.sqs.purge_queue(QueueUrl=quick.settings.submissions_queue_url)
    report = sweep(backend)
    assert report.skipped >= 24 and report.resent == len(ids)  # Postgres knows them all


def test_a_copy_left_behind_is_brought_up_and_a_row_left_behind_is_replayed(quick: World) -> None:
    behind, ahead = submitted(quick.backend, put_skills(quick, ["a", "b"]))
    one, two = records(quick)
    from skillgate.services.consume import consume

    by_body = {record["body"]: record for record in (one, two)}
    from skillgate.domain.message import to_body

    without = without_dynamodb(quick.backend)
    consume(without, [by_body[to_body(behind.id)]], request_id="t", seconds_left=60)
    consume(without_postgres(quick.backend), [by_body[to_body(ahead.id)]], request_id="t", seconds_left=60)

    sweep(quick.backend)

    for made in (behind, ahead):
        row = quick.backend.store.get_many([made.id])[made.id]
        copy = quick.backend.live.get_many([made.id]).submissions[made.id]
        assert row.state is State.PUBLISHED and (copy.state, copy.version) == (row.state, row.version)


def test_a_decision_that_died_between_the_two_stores_is_finished(quick: World) -> None:
    """Nothing in review is in flight, so no index but the mark on the copy leads to it."""
    waiting = one_submitted(quick)
    for state in (State.TIER1_SCANNING, State.TIER2_SCANNING, State.NEEDS_REVIEW):
        waiting = update_state(quick.backend, waiting, state, actor="consumer")

    class Dying:
        def __getattr__(self, name: str) -> Any:
            return getattr(quick.backend.store, name)

        def move(self, *_: Any) -> bool:
            raise MemoryError

    dying: Any = Dying()
    with pytest.raises(MemoryError):
        update_state(
            replace(quick.backend, store=dying), waiting, State.REJECTED, actor="me", reason=Reason("no", "No.")
        )
    sweep(quick.backend)
    row = quick.backend.store.get_many([waiting.id])[waiting.id]
    copy = quick.backend.live.get_many([waiting.id]).submissions[waiting.id]
    assert row.state is copy.state is State.REJECTED and row.version == copy.version == waiting.version + 1
