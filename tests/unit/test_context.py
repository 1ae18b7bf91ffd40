"""The environment of a record: its own, wherever its work runs, and nobody else's."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from skillgate import context
from skillgate.concurrency import settle
from skillgate.context import Environment, run_with_context
from skillgate.domain.errors import OutOfTime

from tests.support.fakes import settings

RECORDS, CALLS = 4, 5


def environment(name: str, **changes: object) -> Environment:
    return Environment(settings=settings(), request_id=name, **changes)  # type: ignore[arg-type]


def test_outside_of_any_record_there_is_no_environment() -> None:
    assert context.current_or_none() is None
    with pytest.raises(LookupError):
        context.current()


def test_the_environment_ends_with_its_callback_also_after_an_error() -> None:
    def fail() -> None:
        raise ValueError

    assert run_with_context(environment("a"), lambda: context.current().request_id) == "a"
    with pytest.raises(ValueError):  # noqa: PT011
        run_with_context(environment("a"), fail)
    assert context.current_or_none() is None


def test_an_inner_environment_does_not_outlive_its_callback() -> None:
    def outer() -> list[str]:
        before = context.current().request_id
        inner = run_with_context(environment("inner"), lambda: context.current().request_id)
        return [before, inner, context.current().request_id]

    assert run_with_context(environment("outer"), outer) == ["outer", "inner", "outer"]


def test_records_side_by_side_never_see_each_other_also_not_in_their_threads() -> None:
    """Every call of every record is inside at the same moment: each looks before and after all have met."""
    everybody = threading.Barrier(RECORDS * CALLS)

    def look(_: int) -> tuple[str, str]:
        before = context.current().request_id
        everybody.wait(30)
        return before, context.current().request_id

    def record(name: str) -> list[tuple[str, str]]:
        outcomes = run_with_context(environment(name), lambda: settle(look, range(CALLS), workers=CALLS))
        return [outcome.unwrap() for outcome in outcomes]

    names = [f"record-{number}" for number in range(RECORDS)]
    with ThreadPoolExecutor(RECORDS) as pool:
        seen = list(pool.map(record, names))

    assert seen == [[(name, name)] * CALLS for name in names]
    assert context.current_or_none() is None


def test_one_record_that_ends_takes_nothing_from_one_that_goes_on() -> None:
    entered, ended = threading.Barrier(2), threading.Event()

    def short() -> None:
        entered.wait(30)

    def long() -> str:
        entered.wait(30)
        assert ended.wait(30)
        return context.current().request_id

    def run_short() -> None:
        run_with_context(environment("short"), short)
        ended.set()

    with ThreadPoolExecutor(2) as pool:
        result = pool.submit(run_with_context, environment("long"), long)
        pool.submit(run_short).result()
        assert result.result() == "long"


def test_a_step_that_may_not_finish_in_time_is_not_begun() -> None:
    import time

    late = environment("a", deadline=time.monotonic() + 5)
    late.require(1, "a quick step")
    with pytest.raises(OutOfTime, match="a slow step"):
        late.require(600, "a slow step")
    assert environment("a").remaining() == float("inf")
