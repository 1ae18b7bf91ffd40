"""settle: calls side by side, each with its own ending."""

from __future__ import annotations

import threading

import pytest
from skillgate.concurrency import Settled, chunks, settle, together


def test_results_are_in_the_order_of_the_items_whatever_order_they_end_in() -> None:
    """Each call but the last waits for the next one to have ended: they end in the opposite order."""
    count = 6
    ended = [threading.Event() for _ in range(count + 1)]
    ended[count].set()

    def call(number: int) -> int:
        assert ended[number + 1].wait(30)
        ended[number].set()
        return number * 10

    outcomes = settle(call, range(count), workers=count)

    assert [outcome.unwrap() for outcome in outcomes] == [0, 10, 20, 30, 40, 50]


def test_as_many_calls_as_workers_run_at_once() -> None:
    workers = 3
    full = threading.Barrier(workers)

    outcomes = settle(lambda _: full.wait(30), range(workers * 4), workers=workers)

    assert all(outcome.ok for outcome in outcomes), "the barrier only opens to `workers` calls at the same time"


def test_never_more_calls_at_once_than_workers() -> None:
    workers = 3
    one_too_many = threading.Barrier(workers + 1)

    outcomes = settle(lambda _: one_too_many.wait(0.3), range(workers * 4), workers=workers)

    assert all(isinstance(outcome.error, threading.BrokenBarrierError) for outcome in outcomes)


def test_an_error_is_a_value_and_hides_no_other_result() -> None:
    def call(number: int) -> int:
        if number % 2:
            raise KeyError(number)
        return number

    outcomes = settle(call, range(4), workers=4)

    assert [outcome.ok for outcome in outcomes] == [True, False, True, False]
    assert isinstance(outcomes[1].error, KeyError) and outcomes[1].value is None
    with pytest.raises(KeyError):
        outcomes[3].unwrap()


@pytest.mark.parametrize("workers", [0, 1, 8])
def test_one_item_or_none_needs_no_thread(workers: int) -> None:
    caller = threading.current_thread()
    (only,) = settle(lambda _: threading.current_thread() is caller, [1], workers=workers)
    assert only.unwrap()
    assert settle(lambda _: 1, [], workers=workers) == []


def test_an_error_of_one_item_is_a_value_also_without_a_thread() -> None:
    (only,) = settle(lambda number: 1 // number, [0], workers=1)
    assert isinstance(only.error, ZeroDivisionError)


def test_threads_are_gone_when_it_returns() -> None:
    before = threading.active_count()
    settle(lambda number: number, range(20), workers=8)
    assert threading.active_count() == before


def test_different_calls_run_together() -> None:
    both = threading.Barrier(2)

    def fail() -> int:
        both.wait(30)
        raise ValueError("no")

    first, second = together(lambda: both.wait(30) >= 0, fail)
    assert first == Settled(value=True) and isinstance(second.error, ValueError)


def test_none_is_a_value_too() -> None:
    assert Settled(value=None).ok and Settled(value=None).unwrap() is None


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (4, [2, 2]), (5, [2, 2, 1])])
def test_chunks_are_full_but_for_the_last(count: int, sizes: list[int]) -> None:
    parts = chunks(list(range(count)), 2)
    assert [len(part) for part in parts] == sizes
    assert [item for part in parts for item in part] == list(range(count))
