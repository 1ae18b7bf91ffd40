"""Parts leave nothing behind, say what they have to say, and fail by name."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.parts.process import ChildProcess, DirectoryLock, Guardian, PartError
from tests.integration.local import processes

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)
OBEDIENT = "import time; print('up', flush=True); time.sleep(600)"
STACK = """
import os, signal, sys, time
from local.parts.process import ChildProcess, Guardian
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin with it ignored
guardian = Guardian()
children = [
    ChildProcess(name, [sys.executable, "-c", code], guardian=guardian, grace=0.5)
    for name, code in (("obedient", sys.argv[1]), ("stubborn", sys.argv[2]))
]
for child in children:
    child.wait_until(lambda: "up" in child.last_lines)
print(*(child.pid for child in children), flush=True)
time.sleep(600)
"""


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    with Guardian() as guardian:
        yield guardian


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_stack_that_ends_by_a_signal_leaves_no_child_behind(end: signal.Signals) -> None:
    with processes.running(STACK, OBEDIENT, STUBBORN) as stack:
        children = [int(pid) for pid in processes.first_line(stack).split()]
        assert len(children) == 2 and all(processes.is_alive(pid) for pid in children)
        stack.send_signal(end)
        assert processes.wait_for(lambda: not any(processes.is_alive(pid) for pid in children))


def test_a_grandchild_in_the_group_goes_with_the_part(guardian: Guardian) -> None:
    code = (
        "import subprocess, sys, time;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print(p.pid, flush=True);"
        "time.sleep(600)"
    )
    child = ChildProcess("parent", [sys.executable, "-c", code], guardian=guardian)
    child.wait_until(lambda: bool(child.last_lines))
    grandchild = int(child.last_lines[0])
    child.stop()
    assert processes.wait_for(lambda: not processes.is_alive(grandchild))


def test_a_child_that_ignores_the_gentle_signal_is_killed(guardian: Guardian) -> None:
    child = ChildProcess("stubborn", [sys.executable, "-c", STUBBORN], guardian=guardian, grace=0.2)
    child.wait_until(lambda: "up" in child.last_lines)
    child.stop()
    assert not processes.is_alive(child.pid)


def test_a_ctrl_c_in_the_terminal_does_not_reach_the_parts(guardian: Guardian) -> None:
    child = ChildProcess("part", [sys.executable, "-c", OBEDIENT], guardian=guardian)
    assert os.getsid(child.pid) == child.pid != os.getsid(0)
    child.stop()


def test_every_line_is_handed_on_with_the_name_of_its_part(guardian: Guardian) -> None:
    lines: list[tuple[str, str]] = []
    code = (
        "import sys; print('out'); sys.stdout.flush(); sys.stderr.write('err\\n'); sys.stdout.buffer.write(b'\\xff\\n')"
    )
    child = ChildProcess(
        "talker", [sys.executable, "-c", code], guardian=guardian, log=lambda name, line: lines.append((name, line))
    )
    assert processes.wait_for(lambda: len(lines) == 3)
    child.stop()
    assert lines == [("talker", "out"), ("talker", "err"), ("talker", "\ufffd")]


def test_a_part_that_does_not_come_up_is_named_with_its_last_lines(guardian: Guardian) -> None:
    child = ChildProcess("broken", [sys.executable, "-c", "print('no such option'); exit(3)"], guardian=guardian)
    with pytest.raises(PartError, match=r"(?s)broken ended with 3 instead of starting.*no such option"):
        child.wait_until(lambda: False)


def test_a_part_that_does_not_answer_in_time_is_ended(guardian: Guardian) -> None:
    child = ChildProcess("silent", [sys.executable, "-c", OBEDIENT], guardian=guardian)
    with pytest.raises(PartError, match=r"silent did not answer within 0\.1 s"):
        child.wait_until(lambda: False, timeout=0.1)
    assert not processes.is_alive(child.pid)


def test_nothing_is_started_without_its_guardian(tmp_path: Path) -> None:
    guardian = Guardian()
    guardian.close()
    with pytest.raises(PartError, match="unguarded was not started: its guardian is gone"):
        ChildProcess("unguarded", ["touch", tmp_path / "started"], guardian=guardian)
    assert not (tmp_path / "started").exists()


def test_a_directory_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    lock = DirectoryLock("first", tmp_path)
    with pytest.raises(PartError, match=r"second in .* is in use by another process"):
        DirectoryLock("second", tmp_path)
    lock.release()
    DirectoryLock("second", tmp_path).release()
