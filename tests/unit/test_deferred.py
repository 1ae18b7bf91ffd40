"""Parts that are made at their first use, once."""

import threading

import pytest
from skillgate.concurrency import settle
from skillgate.deferred import Once, deferred


class Part:
    def __init__(self) -> None:
        self.name = "part"


def test_nothing_is_made_before_it_is_used() -> None:
    made: list[Part] = []

    def make() -> Part:
        made.append(Part())
        return made[-1]

    part = deferred(make)
    assert not made
    assert part.name == "part" and part.name == "part"
    assert len(made) == 1


def test_threads_that_come_together_get_one_and_the_same() -> None:
    barrier = threading.Barrier(8)
    once = Once(Part)

    def use(_: int) -> Part:
        barrier.wait(timeout=10)
        return once()

    parts = {id(outcome.unwrap()) for outcome in settle(use, range(8), workers=8)}
    assert len(parts) == 1


def test_a_part_may_need_another_that_is_not_made_yet() -> None:
    inner = Once(Part)
    outer = deferred(lambda: [inner().name])
    assert outer.count("part") == 1


def test_what_could_not_be_made_is_tried_again() -> None:
    troubles = [OSError("away")]

    def make() -> Part:
        if troubles:
            raise troubles.pop()
        return Part()

    part = deferred(make)
    with pytest.raises(OSError, match="away"):
        _ = part.name
    assert part.name == "part"


def test_an_attribute_that_the_part_lacks_is_lacking() -> None:
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = deferred(Part).colour  # type: ignore[attr-defined]
