"""The SQS server as a part of the stack."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from local.parts.part import PROJECT, Part
from local.parts.process import ChildProcess, Guardian, LogLine
from local.sqs.server import DEFAULT_ACCOUNT, DEFAULT_REGION

_READY = "sqs listening on "


class Sqs(Part):
    """`python -m local.sqs`, with its data in `directory` or, without one, in memory. A restart keeps the port."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        port: int = 0,
        region: str = DEFAULT_REGION,
        account: str = DEFAULT_ACCOUNT,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__("sqs", directory, guardian=guardian, log=log)
        self._port, self._region, self._account = port, region, account

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        command = [sys.executable, "-m", "local.sqs", "--port", str(self._port)]
        command += ["--region", self._region, "--account", self._account]
        if self._directory is not None:
            command += ["--data", str(self._directory / "sqs.sqlite")]
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        child = ChildProcess(self.name, command, guardian=guardian, log=self._log, environment=environment)
        child.wait_until(lambda: any(line.startswith(_READY) for line in child.last_lines))
        (ready,) = (line for line in child.last_lines if line.startswith(_READY))
        self._port = int(ready.rpartition(":")[2])
        return child
