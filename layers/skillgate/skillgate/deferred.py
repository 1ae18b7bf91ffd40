"""Parts that are made when they are first used: what a function never touches, it never imports, opens or waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

# One for all: boto3's session must not be set up by two threads, and a part may need another one to be made.
_MAKING = threading.RLock()


class Once(Generic[T]):
    """Calls `make` the first time it is called, whichever thread comes first, and gives that result ever after.

    A `make` that raises is tried again by the next caller.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []

    def __call__(self) -> T:
        if not self._made:
            with _MAKING:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]


class _Deferred:
    """Stands in for a part; every attribute is the part's own."""

    def __init__(self, part: Callable[[], object]) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part(), name)


def deferred(make: Callable[[], T]) -> T:
    """What `make` returns, to all who use it, but made only when they do."""
    return cast(T, _Deferred(Once(make)))
