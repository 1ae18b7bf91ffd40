"""The SQS server as a part of the stack."""

from __future__ import annotations

from pathlib import Path

from local.parts.own_server import OwnServer
from local.parts.process import Guardian, LogLine
from local.sqs.server import DEFAULT_ACCOUNT, DEFAULT_REGION


class Sqs(OwnServer):
    """Queues in `directory` or, without one, in memory. `release` gives back at the start what was being worked on."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        port: int = 0,
        region: str = DEFAULT_REGION,
        account: str = DEFAULT_ACCOUNT,
        release: bool = False,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        arguments = ["--region", region, "--account", account]
        if directory is not None:
            arguments += ["--data", str(directory.absolute() / "sqs.sqlite")]
        if release:
            arguments.append("--release")
        super().__init__("sqs", arguments, directory=directory, port=port, guardian=guardian, log=log)
