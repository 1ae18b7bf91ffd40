"""Starting the stack's parts as processes, and leaving none of them behind.

Every part runs in a session of its own, so that a Ctrl-C in the terminal reaches the stack alone and the stack ends its
parts in order. For the case that the stack cannot (SIGKILL, a crash), a `Guardian` watches it from outside.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

LogLine = Callable[[str, str], None]
"""Takes a part's name and one line that it wrote."""

_LAST_LINES = 40
_POLL_SECONDS = 0.02
# The process waits for a word before it becomes the part: it is given when the guardian knows of it. A stack that dies
# between the two closes the pipe, and the process ends without having started anything.
_WAIT_FOR_THE_WORD = 'read -r word && exec "$@" </dev/null'


class PartError(RuntimeError):
    """A part did not do what the stack needs of it; says which, and what it wrote last."""

    def __init__(self, part: str, problem: str, last_lines: Sequence[str] = ()) -> None:
        said = "".join(f"\n  {line}" for line in last_lines)
        super().__init__(f"{part} {problem}" + (f"; its last lines:{said}" if said else ""))
        self.part = part
        self.last_lines = tuple(last_lines)


@dataclass(frozen=True)
class Account:
    """The user that a process runs as."""

    uid: int
    gid: int


class Guardian:
    """Ends the watched processes when this process is gone, however it went. Harmless to close twice."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("guardian.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    def watch(self, pid: int, gentle: signal.Signals, grace: float) -> None:
        self._order(f"watch {pid} {int(gentle)} {grace}")

    def forget(self, pid: int) -> None:
        self._order(f"forget {pid}")

    def close(self) -> None:
        """Let the guardian end what it still watches, and wait for it to go."""
        with self._lock:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()

    def __enter__(self) -> Guardian:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _order(self, order: str) -> None:
        with self._lock:
            assert self._process.stdin is not None
            self._process.stdin.write(order + "\n")
            self._process.stdin.flush()


class ChildProcess:
    """One part's process: guarded, its lines handed on, ended gently first."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        guardian: Guardian,
        log: LogLine | None = None,
        gentle: signal.Signals = signal.SIGTERM,
        grace: float = 5.0,
        account: Account | None = None,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> None:
        self.name = name
        self._guardian, self._log, self._gentle, self._grace = guardian, log, gentle, grace
        self._last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _WAIT_FOR_THE_WORD, name, *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=None if environment is None else dict(environment),
            cwd=directory,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        try:
            guardian.watch(self._process.pid, gentle, grace)
        except (BrokenPipeError, ValueError) as error:  # killed, or closed
            self._process.communicate()
            raise PartError(name, "was not started: its guardian is gone") from error
        self._reader = threading.Thread(target=self._read_lines, name=f"{name} log", daemon=True)
        self._reader.start()
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as word:
            word.write(b"go\n")

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def last_lines(self) -> tuple[str, ...]:
        return tuple(self._last_lines)

    def wait_until(self, is_ready: Callable[[], bool], timeout: float = 30.0) -> None:
        """Return when the part answers. Raises PartError, and leaves no process, where it ends or takes too long."""
        deadline = time.monotonic() + timeout
        while not is_ready():
            if not self.is_running:
                self._clean_up()
                raise PartError(
                    self.name, f"ended with {self._process.returncode} instead of starting", self.last_lines
                )
            if time.monotonic() > deadline:
                self.kill()
                raise PartError(self.name, f"did not answer within {timeout:g} s", self.last_lines)
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Ask it to stop, wait for its grace, then kill what is left of its group."""
        self._process.send_signal(self._gentle)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(self._grace)
        self.kill()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS answers the second for zombies
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._clean_up()

    def _clean_up(self) -> None:
        with contextlib.suppress(BrokenPipeError, ValueError):  # the guardian may have been closed or killed before
            self._guardian.forget(self.pid)
        self._reader.join(timeout=1.0)  # a grandchild may hold the pipe open; its lines are not worth waiting for

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for raw in lines:
                line = raw.decode(errors="replace").rstrip()
                self._last_lines.append(line)
                if self._log:
                    self._log(self.name, line)


class DirectoryLock:
    """Keeps a second stack from the same data. Held until released, or until this process is gone."""

    def __init__(self, part: str, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._file = (directory / "lock").open("w")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise PartError(part, f"in {directory} is in use by another process") from error

    def release(self) -> None:
        self._file.close()


def free_port() -> int:
    """A port that was free a moment ago, for a part that cannot choose one itself."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers_on(port: int) -> bool:
    """Whether somebody accepts connections on this port of the loopback interface."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True
