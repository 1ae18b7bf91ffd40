"""The scan worker as a part of the stack, with its scanners in an environment of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from local.parts.part import PROJECT, Part
from local.parts.process import ChildProcess, Guardian, LogLine, PartError

SCANNERS = PROJECT / ".local" / "worker-venv"
_READY = "scanner listening on "


def install_scanners(directory: Path = SCANNERS) -> Path:
    """The folder with Semgrep and njsscan; made once, which takes a download of 330 MB. Raises PartError."""
    environment = {
        **os.environ,
        "PATH": f"{PROJECT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHON": sys.executable,
    }
    directory.parent.mkdir(parents=True, exist_ok=True)
    setup = [str(PROJECT / "workers" / "scanner" / "setup.sh"), str(directory)]
    done = subprocess.run(setup, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PartError("scanner", "could not install its scanners", done.stderr.splitlines()[-10:])
    return directory / "bin"


class ScanWorker(Part):
    """Runs `workers.scanner`. `tools` is where the scanners are; `settings` are its variables."""

    def __init__(
        self,
        directory: Path,
        settings: Mapping[str, str],
        *,
        tools: Path,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__("scanner", directory, guardian=guardian, log=log)
        self._settings, self._tools, self._port = dict(settings), tools, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        assert self._directory is not None
        command = [sys.executable, "-m", "workers.scanner", "--port", str(self._port)]
        environment = {
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            "WORKER_DATA": str(self._directory),
            "SCANNER_TOOLS": str(self._tools),
            **self._settings,
        }
        child = ChildProcess(self.name, command, guardian=guardian, log=self._log, environment=environment)
        child.wait_until(lambda: any(line.startswith(_READY) for line in child.last_lines), timeout=60.0)
        (line,) = (line for line in child.last_lines if line.startswith(_READY))
        self._port = int(line.rpartition(":")[2])
        return child
