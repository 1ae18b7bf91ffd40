"""The whole stack as a user starts it: `python -m local run`, its own process, its own data."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from local.parts.process import free_port
from tests.support.backends import PROJECT

KEY = {"X-Internal-Key": "local-internal-key"}


@dataclass
class RunningStack:
    process: subprocess.Popen[str]
    address: str
    output: Path
    data: Path

    def until(self, what: Callable[[], object], *, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            assert self.process.poll() is None, f"the stack ended:\n{self.output.read_text()}"
            assert time.monotonic() < deadline, f"not within {seconds} s:\n{self.output.read_text()[-4000:]}"
            time.sleep(0.1)

    def statistics(self) -> dict[str, int]:
        return dict(
            httpx.get(f"{self.address}/api/v1/submissions/stats", timeout=30).raise_for_status().json()["states"]
        )


def local_command(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """`python -m local …` and the environment that it needs."""
    environment = os.environ | {"PYTHONPATH": f"{PROJECT}:{PROJECT}/functions:{PROJECT}/layers/skillgate"}
    environment.pop("DATABASE_URL", None)
    return [sys.executable, "-m", "local", *arguments], environment


def run_local(*arguments: str) -> subprocess.CompletedProcess[str]:
    command, environment = local_command(*arguments)
    return subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def start_stack(data: Path, port: int, *arguments: str) -> RunningStack:
    output = data.with_suffix(f".{time.monotonic_ns()}.log")
    command, environment = local_command("run", "--port", str(port), "--data", str(data), *arguments)
    with output.open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
    stack = RunningStack(process, f"http://127.0.0.1:{port}", output, data)
    stack.until(lambda: "Skillgate is running at" in output.read_text(), seconds=60)
    return stack


def stop_stack(stack: RunningStack) -> None:
    if stack.process.poll() is None:
        stack.process.send_signal(signal.SIGINT)
        stack.process.wait(timeout=60)


@contextmanager
def running_stack(data: Path) -> Iterator[RunningStack]:
    """The stack with its examples."""
    running = start_stack(data, free_port())
    try:
        yield running
    finally:
        stop_stack(running)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """One for each module, whose tests may leave something behind for those that follow in it."""
    with running_stack(tmp_path_factory.mktemp("stack") / "data") as running:
        yield running
