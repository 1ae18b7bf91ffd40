"""A runner for each test, on a template that the test writes and on handlers that leave notes in a folder."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from local.runner import Runner, RunnerSettings, load_template
from local.runner.async_invocations import AsyncSettings
from local.runner.pools import PoolSettings
from local.runner.schedules import Clock

HANDLERS = Path(__file__).with_name("handlers")
PATIENCE = 60.0

Eventually = Callable[[Callable[[], Any]], Any]


@dataclass
class Running:
    """A started runner, and the ways to talk to it and look into it."""

    runner: Runner
    notes_dir: Path
    log: list[tuple[str, int, str]] = field(default_factory=list)

    @property
    def lambda_client(self) -> Any:
        return boto3.client(
            "lambda",
            endpoint_url=self.runner.invoke_address,
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
            config=Config(retries={"max_attempts": 0}, read_timeout=120, max_pool_connections=20),
        )

    def invoke(self, name: str, event: Any = None) -> tuple[Any, str | None]:
        """The function's answer, and its error kind."""
        client = self.lambda_client
        answer = client.invoke(FunctionName=name, Payload=json.dumps(event or {}))
        payload = json.load(answer["Payload"])
        client.close()
        return payload, answer.get("FunctionError")

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.notes_dir.glob(f"{kind}-*"))]

    def release(self, name: str = "") -> None:
        """Lets the handlers that hold go on, or only those that were told this name."""
        (self.notes_dir / f"release{name}").touch()


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts runners on resources given as YAML; all are stopped when the test ends."""
    with ExitStack() as cleanup:

        def start_runner(
            resources: str,
            *,
            sqs_endpoint: str = "http://127.0.0.1:9",
            environment: dict[str, str] | None = None,
            unreserved_concurrency: int = 50,
            idle: float = 300.0,
            clock: Clock | None = None,
            stop_grace: float = 5.0,
        ) -> Running:
            notes = tmp_path / "notes"
            notes.mkdir(exist_ok=True)
            path = tmp_path / "template.yaml"
            path.write_text(
                f"Globals: {{Function: {{Runtime: python3.13, CodeUri: {HANDLERS}, Timeout: 60}}}}\n{resources}"
            )
            log: list[tuple[str, int, str]] = []
            runner = Runner(
                load_template(path, sqs_endpoint=sqs_endpoint),
                layer_paths=[],
                environment={"NOTES": str(notes), **(environment or {})},
                sqs_endpoint=sqs_endpoint,
                log=lambda *line: log.append(line),
                settings=RunnerSettings(
                    pool=PoolSettings(idle=idle, longest_init_pause=0.2),
                    asynchronous=AsyncSettings(retry_delays=(0.01, 0.02), throttle_delay=0.01),
                    unreserved_concurrency=unreserved_concurrency,
                    stop_grace=stop_grace,
                ),
                clock=clock,
            )
            runner.start()
            cleanup.callback(runner.stop)
            return Running(runner, notes, log)

        yield start_runner


@pytest.fixture
def eventually() -> Eventually:
    """Waits until a condition holds and returns its value."""

    def wait(condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.02)
        return value

    return wait
