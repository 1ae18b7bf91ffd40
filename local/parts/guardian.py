"""The guardian: a process that outlives its parent just long enough to end what the parent had started.

It reads orders from a pipe whose other end only the parent holds: `watch PID SIGNAL GRACE` and `forget PID`. However
the parent goes, be it by SIGKILL, the kernel closes that end; the guardian then asks every watched process to stop, and
kills the process groups that are still there when their grace is over. It is run by its path with a bare interpreter,
so it imports nothing of this project.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Ward:
    pid: int
    gentle: int
    grace: float


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a Ctrl-C is for the parent; the guardian goes when the parent has gone
    end_all(wards_at_the_end_of(sys.stdin))


def wards_at_the_end_of(orders: TextIO) -> list[Ward]:
    """Follow the orders until the parent is gone, and return what it left behind."""
    wards: dict[int, Ward] = {}
    for line in orders:
        if not line.endswith("\n"):
            break  # the parent died while it wrote this order; what it had not yet registered was never let loose
        order, pid, *rest = line.split()
        if order == "watch":
            wards[int(pid)] = Ward(int(pid), int(rest[0]), float(rest[1]))
        else:
            wards.pop(int(pid), None)
    return list(wards.values())


def end_all(wards: list[Ward]) -> None:
    started = time.monotonic()
    for ward in wards:
        _signal(os.kill, ward.pid, ward.gentle)
    while left := [ward for ward in wards if _signal(os.kill, ward.pid, 0)]:
        if all(time.monotonic() - started > ward.grace for ward in left):
            break
        time.sleep(_POLL_SECONDS)
    for ward in wards:
        _signal(os.killpg, ward.pid, signal.SIGKILL)


def _signal(send: Callable[[int, int], None], pid: int, number: int) -> bool:
    """Send a signal; False where there is nobody to receive it."""
    try:
        send(pid, number)
    except (ProcessLookupError, PermissionError):  # macOS answers the second for a group of zombies
        return False
    return True


if __name__ == "__main__":
    main()
