"""The SQS store on a clock of the test's own: order, age, and the cost of a backlog."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.sqs.attributes import DEFAULTS
from local.sqs.content import checked_content
from local.sqs.store import DeadLetters, Queue, Store


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Iterator[Store]:
    store = Store(None, clock=clock)
    yield store
    store.close()


def queue_in(store: Store, name: str = "work", **attributes: str) -> Queue:
    store.create_queue(name, DEFAULTS | attributes)
    queue = store.queue(name)
    assert queue is not None
    return queue


def put(store: Store, queue: Queue, *bodies: str, delay: int = 0) -> None:
    store.send(queue, [(checked_content(body, {}, {}), delay) for body in bodies])


def steps_of_a_receive(store: Store, queue: Queue) -> int:
    """How much SQLite works for one receive, in its own unit: no clock is involved."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    store.db.set_progress_handler(count, 10)
    messages, _ = store.receive(queue, 10, 30, None)
    store.db.set_progress_handler(None, 0)
    assert len(messages) == 10
    return steps


def test_a_receive_costs_what_it_returns_however_long_the_queue_is(store: Store) -> None:
    short, long = queue_in(store, "short"), queue_in(store, "long")
    put(store, short, *map(str, range(20)))
    put(store, long, *map(str, range(5_000)))
    for _ in range(100):  # a thousand in flight must not cost either
        store.receive(long, 10, 3_600, None)
    put(store, long, *map(str, range(2_000)), delay=900)
    assert steps_of_a_receive(store, long) <= 2 * steps_of_a_receive(store, short)


def test_messages_come_oldest_first_and_come_back_when_their_visibility_ends(store: Store, clock: Clock) -> None:
    queue = queue_in(store)
    put(store, queue, "first")
    clock.seconds += 1
    put(store, queue, "second")
    assert [m.body for m in store.receive(queue, 1, 60, None)[0]] == ["first"]
    assert [m.body for m in store.receive(queue, 10, 600, None)[0]] == ["second"]
    clock.seconds += 59.9
    assert store.receive(queue, 10, 60, None) == ([], False)
    clock.seconds += 0.1
    assert [m.body for m in store.receive(queue, 10, 60, None)[0]] == ["first"]


def test_a_message_is_dropped_when_its_retention_ends(store: Store, clock: Clock) -> None:
    queue = queue_in(store, MessageRetentionPeriod="60")
    put(store, queue, "old")
    clock.seconds += 30
    put(store, queue, "young")
    clock.seconds += 31
    assert store.counts(queue).visible == 1
    assert [m.body for m in store.receive(queue, 10, 30, None)[0]] == ["young"]


def test_a_dead_letter_keeps_its_age(store: Store, clock: Clock) -> None:
    queue, dead = queue_in(store), queue_in(store, "dead", MessageRetentionPeriod="60")
    letters = DeadLetters(dead.id, 1, "arn:source")
    put(store, queue, "x")
    store.receive(queue, 1, 0, letters)
    clock.seconds += 61
    assert store.receive(queue, 1, 0, letters) == ([], True)
    assert store.receive(dead, 1, 0, None) == ([], False)
