"""Running a scanner: in a bare environment, with an end to its time and output, and none left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.scanner.config import Limits
from workers.scanner.model import ScanFailed

# Semgrep asks its makers for news, even for `--version`, and waits for an answer where there is no network.
_OFFLINE = {"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"}


class Stopped(Exception):
    """The worker is stopping; the job is taken up again after the next start."""


@dataclass(frozen=True)
class Completed:
    exit_code: int
    output: str
    errors: str


class Commands:
    """Starts programs from the tools' folder (or PATH) in `scratch` folders, and can end them all."""

    def __init__(self, tools: Path, limits: Limits) -> None:
        self._tools, self._limits = tools, limits
        self._path = f"{tools}{os.pathsep}/usr/local/bin{os.pathsep}/usr/bin{os.pathsep}/bin"
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopping = False

    def find(self, program: str) -> str | None:
        return shutil.which(program, path=self._path)

    def run(self, command: Sequence[str], scratch: Path) -> Completed:
        """Raises ScanFailed where it takes too long or says too much, Stopped where the worker ends meanwhile."""
        program = self.find(command[0])
        if program is None:
            raise ScanFailed("scanner_not_installed", f"{command[0]} is not installed on this worker.")
        home = scratch / "home"  # settings and caches of a scanner start empty and end with the job
        home.mkdir(exist_ok=True)
        environment = {"PATH": self._path, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"} | _OFFLINE
        with (scratch / "stdout").open("w+b") as output, (scratch / "stderr").open("w+b") as errors:
            process = self._start([program, *command[1:]], scratch, environment, output.fileno(), errors.fileno())
            try:
                exit_code = process.wait(self._limits.scan_seconds)
            except subprocess.TimeoutExpired:
                message = f"{command[0]} did not finish in {self._limits.scan_seconds:g} seconds."
                raise ScanFailed("scanner_timed_out", message) from None
            finally:
                self._end(process)
            if self._stopping:
                raise Stopped
            return Completed(exit_code, self._read(output.name), self._read(errors.name))

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            for process in self._running:
                _kill_group(process)

    def _start(
        self, command: Sequence[str], scratch: Path, environment: dict[str, str], output: int, errors: int
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopping:
                raise Stopped
            process = subprocess.Popen(
                command,
                cwd=scratch,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
            self._running.add(process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Also ends what the scanner started and did not wait for."""
        _kill_group(process)
        process.wait()
        with self._lock:
            self._running.discard(process)

    def _read(self, path: str) -> str:
        if Path(path).stat().st_size > self._limits.output_bytes:
            raise ScanFailed("output_too_large", f"The scanner wrote over {self._limits.output_bytes:,} bytes.")
        return Path(path).read_text(encoding="utf-8", errors="replace")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended; macOS answers the second
        os.killpg(process.pid, signal.SIGKILL)
