"""The one place that starts threads."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@dataclass(frozen=True)
class Settled(Generic[R]):
    """How one call ended: a value or an error, never both."""

    value: R | None = None
    error: Exception | None = None

    @property
    def ok(self) -> bool:
        return self.error is None

    def unwrap(self) -> R:
        """The value, or raises the call's own error."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # R itself may be None


def settle(fn: Callable[[T], R], items: Iterable[T], workers: int) -> list[Settled[R]]:
    """Calls `fn` on every item, at most `workers` at once, and returns how each ended, in the order of the items.

    An error is a value here: one bad item never hides the others' results. The caller's context (and with it the
    record's environment) is carried into every thread.
    """
    work: Sequence[T] = list(items)

    def call(item: T) -> Settled[R]:
        try:
            return Settled(value=fn(item))
        except Exception as error:  # noqa: BLE001 - returned to the caller, who decides
            return Settled(error=error)

    if len(work) <= 1 or workers <= 1:
        return [call(item) for item in work]
    with ThreadPoolExecutor(max_workers=min(workers, len(work)), thread_name_prefix="settle") as pool:
        futures = [pool.submit(contextvars.copy_context().run, call, item) for item in work]
        return [future.result() for future in futures]


@overload
def together(first: Callable[[], A], second: Callable[[], B], /) -> tuple[Settled[A], Settled[B]]: ...
@overload
def together(
    first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], /
) -> tuple[Settled[A], Settled[B], Settled[C]]: ...
def together(*calls: Callable[[], Any]) -> tuple[Settled[Any], ...]:
    """Makes a few different calls side by side; `settle` for when the functions differ and not the items."""
    return tuple(settle(lambda call: call(), calls, workers=len(calls)))


def chunks(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
