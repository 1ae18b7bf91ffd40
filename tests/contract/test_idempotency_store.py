"""What every memory of idempotency keys promises."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from skillgate.adapters.dynamodb.idempotency import DynamoIdempotency
from skillgate.adapters.dynamodb.table import Table
from skillgate.bootstrap import utc_now
from skillgate.concurrency import settle
from skillgate.ports import IdempotencyStore

from tests.contract.conftest import DYNAMODBS
from tests.support.backends import World
from tests.support.fakes import FakeIdempotencyStore

HOUR = timedelta(hours=1)


@pytest.fixture(params=["fake", "postgres", *DYNAMODBS])
def keys(request: pytest.FixtureRequest, new_table: Callable[[str], tuple[Any, Table]]) -> Iterator[IdempotencyStore]:
    if request.param == "fake":
        yield FakeIdempotencyStore(utc_now)
    elif request.param == "postgres":
        real: World = request.getfixturevalue("real")
        yield real.backend.idempotency_fallback
    else:
        yield DynamoIdempotency(new_table(request.param)[1], utc_now)


def test_the_first_caller_gets_the_key_and_the_second_learns_of_the_first(keys: IdempotencyStore) -> None:
    assert keys.begin("k", "hash-1", utc_now() + HOUR) is None

    assert keys.begin("k", "hash-2", utc_now() + HOUR) == {"request_hash": "hash-1", "response": None}
    assert keys.begin("another", "hash-2", utc_now() + HOUR) is None


def test_a_finished_key_gives_its_answer(keys: IdempotencyStore) -> None:
    keys.begin("k", "hash", utc_now() + HOUR)
    keys.finish("k", {"id": "1", "nested": {"list": [1, 2.5, None]}}, utc_now() + HOUR)

    known = keys.begin("k", "hash", utc_now() + HOUR)

    assert known == {"request_hash": "hash", "response": {"id": "1", "nested": {"list": [1, 2.5, None]}}}


def test_an_expired_key_is_free_again(keys: IdempotencyStore) -> None:
    keys.begin("k", "hash-1", utc_now() + HOUR)
    keys.finish("k", {"id": "old"}, utc_now() - HOUR)

    assert keys.begin("k", "hash-2", utc_now() + HOUR) is None

    assert keys.begin("k", "hash-2", utc_now() + HOUR) == {"request_hash": "hash-2", "response": None}


def test_a_forgotten_key_is_free_again(keys: IdempotencyStore) -> None:
    keys.begin("k", "hash-1", utc_now() + HOUR)
    keys.forget("k")
    assert keys.begin("k", "hash-2", utc_now() + HOUR) is None


def test_an_answer_is_not_forgotten(keys: IdempotencyStore) -> None:
    keys.begin("k", "hash", utc_now() + HOUR)
    keys.finish("k", {"id": "1"}, utc_now() + HOUR)
    keys.forget("k")
    assert keys.begin("k", "hash", utc_now() + HOUR) == {"request_hash": "hash", "response": {"id": "1"}}


def test_finishing_a_key_that_nobody_began_remembers_nothing(keys: IdempotencyStore) -> None:
    keys.finish("k", {"id": "1"}, utc_now() + HOUR)
    assert keys.begin("k", "hash", utc_now() + HOUR) is None


def test_of_many_callers_with_the_same_key_and_body_exactly_one_gets_it(keys: IdempotencyStore) -> None:
    """All of them ask for the same expiry, as callers within one second do."""
    callers, expires = 8, utc_now() + HOUR
    barrier = threading.Barrier(callers)

    def begin(_: int) -> Any:
        barrier.wait(30)
        return keys.begin("k", "hash", expires)

    answers = [outcome.unwrap() for outcome in settle(begin, range(callers), workers=callers)]

    assert answers.count(None) == 1
