"""Helpers for tests that start and kill real processes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_alive(pid: int) -> bool:
    """Whether a process still runs; a zombie that nobody has collected does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


def children_of(pid: int, command: str) -> list[int]:
    """The children of a process that have `command` in their command lines."""
    table = subprocess.run(["ps", "-ww", "-A", "-o", "pid=,ppid=,command="], capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=2) for line in table.stdout.splitlines()]
    return [int(row[0]) for row in rows if int(row[1]) == pid and command in row[2]]


@contextlib.contextmanager
def running(script: str, *arguments: object, uid: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A Python script that can import the project, and is told what to do by its arguments; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        text=True,
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, "the script ended without a word"
    return line
