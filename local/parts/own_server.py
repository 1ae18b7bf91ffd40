"""The servers of our own (`python -m local.<name>`) as parts of the stack."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from local.parts.part import PROJECT, Part
from local.parts.process import ChildProcess, Guardian, LogLine


class OwnServer(Part):
    """Runs a module that says `<name> listening on <url>` once it is ready. A restart keeps the port."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str] = (),
        *,
        directory: Path | None = None,
        port: int = 0,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__(name, directory, guardian=guardian, log=log)
        self._arguments, self._port = tuple(arguments), port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        command = [sys.executable, "-m", f"local.{self.name}", "--port", str(self._port), *self._arguments]
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        child = ChildProcess(self.name, command, guardian=guardian, log=self._log, environment=environment)
        ready = f"{self.name} listening on "
        child.wait_until(lambda: any(line.startswith(ready) for line in child.last_lines))
        (line,) = (line for line in child.last_lines if line.startswith(ready))
        self._port = int(line.rpartition(":")[2])
        return child
