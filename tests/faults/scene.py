"""A scene of the fault suite: a workload, consumers in processes of their own, sweepers, and time to settle."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import psycopg
from pydantic import SecretStr
from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import Unavailable
from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend
from skillgate.services.submit import Answer, Request, create_submission, create_submissions_batch
from skillgate.services.sweep import sweep
from skillgate.settings import Settings

from local.parts.dynamodb import DynamoDb
from tests.support.backends import PROJECT, Servers, World, world
from tests.support.fault_proxy import FaultProxy

# Everything that takes minutes in production takes seconds here.
QUICK: Mapping[str, Any] = {
    "lease_seconds": 5,
    "stuck_after_seconds": 3,
    "unsent_after_seconds": 1,
    "retry_base_seconds": 0,
    "fast_approve": False,
}
VISIBILITY_SECONDS = 5
SETTLE_SECONDS = 75
SKILLS_PER_REPOSITORY = 10
_CALLERS = 4
# What the judge makes of a skill, or that there is none; by the last digit of its number.
KINDS = ("ok", "ok", "ok", "ok", "ok", "ok", "ok", "review", "reject", "gone")


@dataclass
class Figures:
    accepted: int = 0
    refused: int = 0
    kills: int = 0
    sweeps: int = 0
    started: float = field(default_factory=time.monotonic)
    repairs: Counter[str] = field(default_factory=Counter)


@dataclass
class Scene:
    world: World
    proxy: FaultProxy
    figures: Figures
    given_out: set[str]
    kinds: dict[tuple[str, str], str]
    log: Path
    consumers: list[subprocess.Popen[bytes]]
    random: random.Random

    @property
    def backend(self) -> Backend:
        return self.world.backend

    # --- the workload ---------------------------------------------------------------------------------------------

    def prepare(self, skills: int) -> list[Request]:
        """Puts repositories with several skills each onto the stand-in."""
        requests: list[Request] = []
        for number, part in enumerate(chunks(range(skills), SKILLS_PER_REPOSITORY)):
            repo = RepoUrl("fault", f"repo-{number}")
            files: dict[str, str] = {"README.md": "# Skills\n"}
            for skill in part:
                kind, path = KINDS[skill % len(KINDS)], f"skills/skill-{skill}/SKILL.md"
                self.kinds[repo.key, path] = kind
                requests.append(Request(repo, path, source="faults"))
                if kind != "gone":
                    files[path] = skill_text(skill, kind)
            self.world.github.put_repository(repo.owner, repo.repo, files)
        return requests

    def submit(self, requests: Sequence[Request], *, over_seconds: float = 0.0) -> None:
        """Every fourth by itself, the others in batches of ten, side by side; a caller that is refused comes back."""
        single = [[request] for request in requests[::4]]
        batches = chunks([request for n, request in enumerate(requests) if n % 4], 10)
        calls = [*single, *batches]
        self.random.shuffle(calls)
        pause = over_seconds * _CALLERS / len(calls)

        def call(part: Sequence[Request]) -> list[Answer]:
            time.sleep(pause)
            return self._submit_until_taken(part)

        for outcome in settle(call, calls, workers=_CALLERS):
            self.given_out |= {answer.submission.id for answer in outcome.unwrap() if answer.submission}
        self.figures.accepted = len(self.given_out)

    def _submit_until_taken(self, requests: Sequence[Request]) -> list[Answer]:
        deadline = time.monotonic() + SETTLE_SECONDS
        while True:
            try:
                if len(requests) == 1:
                    return [create_submission(self.backend, requests[0])]
                return create_submissions_batch(self.backend, requests)
            except Unavailable:
                self.figures.refused += 1
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    # --- those who work on it -------------------------------------------------------------------------------------

    def start_consumer(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            consumer = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.worker"],
                cwd=PROJECT, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.consumers.append(consumer)
        return consumer

    def kill_consumer(self) -> None:
        """SIGKILL for one of them, and a fresh one in its place."""
        victim = self.consumers.pop(self.random.randrange(len(self.consumers)))
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        self.figures.kills += 1
        self.start_consumer()

    def stop_consumers(self) -> None:
        for consumer in self.consumers:
            consumer.kill()
            consumer.wait()
        self.consumers.clear()

    def environment(self) -> dict[str, str]:
        paths = [str(PROJECT), str(PROJECT / "functions"), str(PROJECT / "layers" / "skillgate")]
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": os.pathsep.join(paths),
            "AWS_ENDPOINT_URL_SQS": self.world.servers.sqs.url,
            "AWS_ENDPOINT_URL_DYNAMODB": self.proxy.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.world.bedrock.url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": "us-east-1",
            **variables(self.world.settings),
        }

    @contextmanager
    def sweepers(self, number: int = 1) -> Iterator[None]:
        """So many sweepers, each once a second."""
        over = threading.Event()
        lock = threading.Lock()

        def run() -> None:
            while not over.wait(1.0):
                report = sweep(self.backend).as_dict()
                with lock:
                    self.figures.sweeps += 1
                    self.figures.repairs.update({k: v for k, v in report.items() if isinstance(v, int) and v})

        threads = [threading.Thread(target=run) for _ in range(number)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    # --- the end --------------------------------------------------------------------------------------------------

    def wait_until_settled(self) -> None:
        deadline = time.monotonic() + SETTLE_SECONDS
        while not self._settled():
            assert time.monotonic() < deadline, f"not settled in {SETTLE_SECONDS} s: {self._unfinished()}"
            time.sleep(0.3)

    def _settled(self) -> bool:
        depth = self.backend.queue.depth()
        if depth["visible"] + depth["notVisible"] + depth["delayed"] > 0:
            return False
        live = self.backend.live
        return not self._unfinished() and not live.unsynced(100).submissions and not live.unsynced_skills(100)

    def _unfinished(self) -> dict[str, int]:
        with psycopg.connect(self.world.database_url) as connection:
            rows = connection.execute(
                "SELECT CASE WHEN uncopied THEN 'uncopied' ELSE state::text END, count(*) FROM submissions"
                " WHERE ended_at IS NULL AND state <> 'NEEDS_REVIEW' OR uncopied GROUP BY 1"
            ).fetchall()
            known = {str(id_) for (id_,) in connection.execute("SELECT id FROM submissions").fetchall()}
        missing = len(self.given_out - known)
        return dict(rows) | ({"missing": missing} if missing else {})


def skill_text(number: int, kind: str) -> str:
    return (
        f"---\nname: skill-{number}\ndescription: Sums up the notes of meeting {number}.\n---\n"
        f"# Notes {number}\nRead the notes and sum them up in {number + 2} sentences. Kind of play: {kind}.\n"
    )


PLAYS = [
    {"match": "Kind of play: review", "play": "review"},
    {"match": "Kind of play: reject", "play": "reject"},
    {"match": "Kind of play: ok", "play": "approve"},
]


def variables(settings: Settings) -> dict[str, str]:
    """The settings as a function's environment has them."""

    def text(value: Any) -> str:
        if isinstance(value, SecretStr):
            return value.get_secret_value()
        if isinstance(value, tuple):
            return ",".join(map(text, value))
        return str(value)

    values = {name.upper(): getattr(settings, name) for name in type(settings).model_fields}
    return {name: text(value) for name, value in values.items() if value not in (None, "", ())}


@contextmanager
def scene(servers: Servers, log: Path, *, consumers: int = 2, **settings: Any) -> Iterator[Scene]:
    """Consumers run from the start; sweepers are the test's to start."""
    with ExitStack() as exits:
        proxy = exits.enter_context(FaultProxy(servers.dynamodb.url))
        behind_proxy = replace(servers, dynamodb=cast(DynamoDb, proxy))
        made = exits.enter_context(world(behind_proxy, **{**QUICK, **settings}))
        made.bedrock.set_script(PLAYS)
        made.sqs.set_queue_attributes(
            QueueUrl=made.settings.submissions_queue_url,
            Attributes={"VisibilityTimeout": str(VISIBILITY_SECONDS), "ReceiveMessageWaitTimeSeconds": "0"},
        )
        set_up = Scene(made, proxy, Figures(), set(), {}, log, [], random.Random(7))
        exits.callback(set_up.stop_consumers)
        for _ in range(consumers):
            set_up.start_consumer()
        yield set_up


def in_background(work: Callable[[], None]) -> Callable[[], None]:
    """Starts it and returns how to wait for it, which raises what it raised."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def join() -> None:
        thread.join()
        if errors:
            raise errors[0]

    return join
