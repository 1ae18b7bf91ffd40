"""The services on fakes alone: a submission from its request to the marketplace, and with a store away."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State
from skillgate.ports import Backend, Found
from skillgate.services.consume import consume
from skillgate.services.submit import Answer, Outcome, Request, create_submission
from skillgate.services.sweep import sweep

from tests.support.examples import submission
from tests.support.fakes import FakeDatabase, FakeLiveStore, FakeQueue, FakeSource, ManualClock, fake_backend

SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def backend(clock: ManualClock) -> Backend:
    made = fake_backend(clock)
    assert isinstance(made.source, FakeSource)
    made.source.put("acme", "tools", {"skills/pdf/SKILL.md": SKILL, "README.md": "Tools."})
    return made


def submit(backend: Backend) -> Answer:
    return create_submission(backend, Request(RepoUrl("acme", "tools"), "skills/pdf/SKILL.md"))


def drain(backend: Backend) -> int:
    """Consumes what is visible, as Lambda would; returns how many messages were received."""
    queue, received = backend.queue, 0
    assert isinstance(queue, FakeQueue)
    bodies = {message.message_id: message.body for message in queue.messages}
    while messages := queue.receive():
        received += len(messages)
        records: list[dict[str, Any]] = [
            {
                "messageId": message.message_id,
                "receiptHandle": message.receipt_handle,
                "body": bodies[message.message_id],
                "attributes": {"ApproximateReceiveCount": str(message.receive_count)},
            }
            for message in messages
        ]
        answer = consume(backend, records, request_id="test", seconds_left=60)
        wanted_again = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for record in records:
            if record["messageId"] not in wanted_again:
                queue.delete(record["receiptHandle"])
    return received


def database_of(backend: Backend) -> FakeDatabase:
    database: FakeDatabase = backend.store.database  # type: ignore[attr-defined]
    return database


def test_a_clean_skill_is_published(backend: Backend) -> None:
    answer = submit(backend)
    assert answer.outcome is Outcome.CREATED and answer.submission is not None and answer.queued

    assert drain(backend) == 1

    skill = backend.skills.get("acme/tools/pdf")
    assert skill is not None and skill.content == SKILL
    row = backend.store.get_many([answer.submission.id])[answer.submission.id]
    copy = backend.live.get_many([answer.submission.id]).submissions[answer.submission.id]
    assert row.state is State.PUBLISHED and (copy.state, copy.version) == (row.state, row.version)
    assert submit(backend).outcome is Outcome.ALREADY_PUBLISHED


def test_a_message_that_comes_twice_finds_nothing_to_do(backend: Backend) -> None:
    answer = submit(backend)
    assert answer.submission is not None
    backend.queue.send([answer.submission.id, answer.submission.id])

    assert drain(backend) == 3

    assert backend.skills.count() == 1
    versions = [event.version for event in backend.store.history(answer.submission.id)]
    assert versions == sorted(set(versions))


def test_with_the_durable_store_away_a_skill_is_published_and_written_down_later(backend: Backend) -> None:
    with database_of(backend).away():
        answer = submit(backend)
        assert answer.submission is not None and not answer.durable
        drain(backend)
        skill = backend.live.get_skill("acme/tools/pdf")
        assert skill is not None
        assert submit(backend).outcome is Outcome.CREATED, "what is published cannot be asked, so it is looked at again"
    assert backend.skills.get("acme/tools/pdf") is None

    report = sweep(backend)

    assert report.errors == 0 and report.skills_replayed == 1
    row = backend.store.get_many([answer.submission.id])[answer.submission.id]
    assert row.state is State.PUBLISHED
    history = backend.store.history(answer.submission.id)
    assert [event.version for event in history] == list(range(1, row.version + 1))
    durable = backend.skills.get("acme/tools/pdf")
    assert durable is not None and durable.content_hash == skill.content_hash


def test_with_the_fast_copy_away_a_skill_is_published_all_the_same(backend: Backend) -> None:
    live = backend.live
    assert isinstance(live, FakeLiveStore)
    with live.away():
        answer = submit(backend)
        assert answer.submission is not None and answer.durable
        drain(backend)
    assert backend.skills.count() == 1
    assert backend.store.get_many([answer.submission.id])[answer.submission.id].state is State.PUBLISHED


def test_a_poisonous_message_does_not_hold_up_the_rest_of_its_batch(backend: Backend) -> None:
    queue = backend.queue
    assert isinstance(queue, FakeQueue)
    for body in ("[" * 200_000, "not json", '{"submissionId": "../../x"}'):
        queue.put_body(body)
    submit(backend)

    assert drain(backend) == 4

    assert backend.skills.count() == 1
    assert queue.depth() == {"visible": 0, "notVisible": 0, "delayed": 0, "deadLetters": 0}


class HalfReadable(FakeLiveStore):
    """Lists items that cannot be read."""

    def unsynced(self, limit: int) -> Found:
        return Found({}, skipped=2)

    def in_flight_before(self, idle_since: datetime, limit: int) -> Found:
        return Found({}, skipped=3)


def test_a_sweep_counts_every_item_that_it_could_not_read() -> None:
    assert sweep(fake_backend(live=HalfReadable())).skipped == 5


def test_what_never_reached_the_queue_is_sent_by_the_sweeper(backend: Backend, clock: ManualClock) -> None:
    queue = backend.queue
    assert isinstance(queue, FakeQueue)
    lost = replace(submission(), created_at=clock(), updated_at=clock())
    backend.store.insert_many([lost], with_events=True)
    assert queue.waiting_ids == []

    clock.advance(minutes=10)
    assert sweep(backend).unsent_sent == 1

    assert queue.waiting_ids == [lost.id]
    assert sweep(backend).unsent_sent == 0, "once is enough"
