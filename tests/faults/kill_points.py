"""A consumer that dies by SIGKILL just before or just after the n-th call of any of its ports."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Literal

from skillgate.ports import Backend

PORTS = ("store", "skills", "live", "queue", "source", "judge", "operators")
Moment = Literal["before", "after"]


class KillPoint:
    """Counts the calls of all ports of a backend, and ends this process at one of them."""

    def __init__(self, call: int, moment: Moment) -> None:
        self._call, self._moment = call, moment
        self._calls = itertools.count(1)
        self._lock = threading.Lock()

    def around(self, backend: Backend) -> Backend:
        assert set(PORTS) <= {field.name for field in fields(Backend)}
        watched: dict[str, Any] = {name: _Watched(getattr(backend, name), self) for name in PORTS}
        return replace(backend, **watched)

    def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        with self._lock:
            number = next(self._calls)
        if number == self._call and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(*arguments, **named)
        if number == self._call and self._moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result


class _Watched:
    def __init__(self, port: Any, point: KillPoint) -> None:
        self._port, self._point = port, point

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return lambda *arguments, **named: self._point.call(method, *arguments, **named)
