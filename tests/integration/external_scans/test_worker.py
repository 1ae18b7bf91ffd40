"""The worker as a process: signed jobs, several at once and no more, results in spite of restarts and deaths."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from skillgate.domain.external_scan import ScanStatus
from skillgate.domain.signatures import job_headers, verify_webhook
from skillgate.services.sweep import sweep

from local.github import GitHubStandIn, Limits
from local.parts.scan_worker import ScanWorker
from local.servers.http_server import Request, Response, StandInServer
from tests.support.backends import Servers
from tests.support.external_scans import SKILL, WEBHOOK_SECRETS, WORKER_SECRET, Scans, scans_world

# A scanner that says when it begins, and goes on when it is told to.
SEMGREP = """#!/bin/sh
if [ "$1" = --version ]; then echo 1.0.0; exit 0; fi
for folder; do :; done
echo started >> {folder}/started
while [ ! -e {folder}/go ]; do sleep 0.05; done
printf '{{"version": "1.0.0", "results": [], "errors": [], "paths": {{"scanned": ["%s/00001.md"]}}}}' "$folder"
"""


class Gate:
    """Where the scanner waits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.tools = folder / "tools"
        self.tools.mkdir()
        program = self.tools / "semgrep"
        program.write_text(SEMGREP.format(folder=folder))
        program.chmod(0o755)

    def begun(self) -> int:
        started = self._folder / "started"
        return len(started.read_text().splitlines()) if started.exists() else 0

    def open(self) -> None:
        (self._folder / "go").touch()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.open()  # what a killed worker left behind ends with this


class Callback:
    """Takes results whose signature holds, and answers as it is told."""

    def __init__(self) -> None:
        self.results: list[dict[str, Any]] = []
        self.ids: list[str] = []
        self.answers: list[int] = []
        self.server = StandInServer(self._answer)

    @property
    def url(self) -> str:
        return f"{self.server.url}/hook"

    def done(self) -> list[dict[str, Any]]:
        return [result for result in self.results if result["status"] != "running"]

    def _answer(self, request: Request) -> Response:
        webhook_id = verify_webhook(request.headers, request.body, WEBHOOK_SECRETS, datetime.now(UTC))
        result = request.json()
        if result["status"] != "running":
            self.ids.append(webhook_id)
            if self.answers:
                return Response.of_json({}, self.answers.pop(0))
        self.results.append(result)
        return Response.of_json({}, 202)


@pytest.fixture
def callback() -> Iterator[Callback]:
    made = Callback()
    made.server.start()
    yield made
    made.server.stop()


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn(limits=Limits.generous()) as running:
        yield running


def worker_settings(github: GitHubStandIn, **more: str) -> dict[str, str]:
    secrets = {"SCAN_WORKER_SECRET": WORKER_SECRET, "WEBHOOK_SECRET": WEBHOOK_SECRETS[0]}
    return secrets | {"GITHUB_API_URL": github.url} | more


def make_job(github: GitHubStandIn, callback: Callback, number: int = 0, **more: str) -> dict[str, str]:
    commit = github.put_repository("acme", "tools", {"skills/pdf/SKILL.md": SKILL})
    assert commit is not None
    return {
        "jobId": f"0198d1a2-0000-7000-8000-{number:012}",
        "skillName": "pdf",
        "repoUrl": "https://github.com/acme/tools",
        "commitSha": commit,
        "contentHash": "b" * 64,
        "skillPath": "skills/pdf/SKILL.md",
        "provider": "semgrep",
        "callbackUrl": callback.url,
    } | more


def hand_over(worker: ScanWorker, job: dict[str, str], secret: str = WORKER_SECRET) -> httpx.Response:
    body = json.dumps(job).encode()
    return httpx.post(f"{worker.url}/jobs", content=body, headers=job_headers(body, secret, datetime.now(UTC)))


def health(worker: ScanWorker) -> Any:
    return httpx.get(f"{worker.url}/healthz").json()


def eventually(is_right: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_right():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def worker(tmp_path: Path, gate: Gate, github: GitHubStandIn) -> Iterator[ScanWorker]:
    settings = worker_settings(github, WORKER_CONCURRENCY="2", WORKER_BACKLOG="1")
    with ScanWorker(tmp_path / "data", settings, tools=gate.tools) as running:
        yield running


def test_several_jobs_run_at_once_and_no_more_and_healthz_says_how_busy_it_is(
    worker: ScanWorker, gate: Gate, github: GitHubStandIn, callback: Callback
) -> None:
    def send(number: int) -> int:
        return hand_over(worker, make_job(github, callback, number)).status_code

    assert send(1) == 202 and send(1) == 200
    eventually(lambda: gate.begun() == 1)
    assert send(2) == 202
    eventually(lambda: gate.begun() == 2)
    assert send(3) == 202
    assert send(4) == 503

    seen = health(worker)
    assert (seen["status"], seen["running"], seen["queued"], seen["concurrency"]) == ("ok", 2, 1, 2)
    assert seen["scanners"] == {"semgrep": "1.0.0", "njsscan": None, "trufflehog": None}

    gate.open()
    eventually(lambda: len(callback.done()) == 3)
    assert gate.begun() == 3
    assert {result["status"] for result in callback.done()} == {"completed"}


def test_a_job_that_is_not_signed_by_us_or_cannot_be_done_is_refused(
    worker: ScanWorker, gate: Gate, github: GitHubStandIn, callback: Callback
) -> None:
    job = make_job(github, callback)

    assert hand_over(worker, job, secret="not-ours").status_code == 401
    assert httpx.post(f"{worker.url}/jobs", json=job).status_code == 401
    assert hand_over(worker, job | {"provider": "njsscan"}).status_code == 422
    assert hand_over(worker, job | {"commitSha": "main"}).status_code == 400
    assert httpx.get(f"{worker.url}/jobs").status_code == 404

    assert (health(worker)["running"], health(worker)["queued"], gate.begun()) == (0, 0, 0)


def test_a_result_that_is_not_taken_is_sent_again_under_the_same_id(
    worker: ScanWorker, gate: Gate, github: GitHubStandIn, callback: Callback
) -> None:
    callback.answers = [503, 401]
    gate.open()

    hand_over(worker, make_job(github, callback))

    eventually(lambda: len(callback.done()) == 1)
    assert len(callback.ids) == 3 and len(set(callback.ids)) == 1


def test_a_repository_that_is_gone_fails_the_scan_and_says_so(
    worker: ScanWorker, github: GitHubStandIn, callback: Callback
) -> None:
    hand_over(worker, make_job(github, callback, repoUrl="https://github.com/acme/gone"))

    eventually(lambda: len(callback.done()) == 1)
    (result,) = callback.done()
    assert (result["status"], result["error"]["code"]) == ("failed", "repository_gone")
    assert "findings" not in result


@pytest.mark.parametrize("end", [ScanWorker.stop, ScanWorker.kill])
def test_jobs_survive_a_restart(
    worker: ScanWorker, gate: Gate, github: GitHubStandIn, callback: Callback, end: Callable[[ScanWorker], None]
) -> None:
    hand_over(worker, make_job(github, callback, 1))
    eventually(lambda: gate.begun() == 1)
    hand_over(worker, make_job(github, callback, 2))
    eventually(lambda: gate.begun() == 2)
    assert hand_over(worker, make_job(github, callback, 3)).status_code == 202
    end(worker)
    assert callback.done() == []

    gate.open()
    worker.start()

    eventually(lambda: len(callback.done()) == 3)
    assert len({result["jobId"] for result in callback.done()}) == 3


def test_a_worker_killed_in_the_middle_of_a_scan_the_scan_is_done_by_another_once(
    servers: Servers, tmp_path: Path, gate: Gate
) -> None:
    scans: Scans | None = None

    def gateway(request: Request) -> Response:
        assert scans is not None
        answer = scans.call(request.method, request.path, request.body, request.headers)
        return Response.of_json(answer.body, answer.status)

    hooks = StandInServer(gateway)
    hooks.start()
    with ExitStack() as stack:
        stack.callback(hooks.stop)
        github = stack.enter_context(GitHubStandIn(limits=Limits.generous()))
        workers = [
            stack.enter_context(ScanWorker(tmp_path / name, worker_settings(github), tools=gate.tools))
            for name in ("one", "two")
        ]
        sources = {"github_api_url": github.url, "github_raw_url": github.raw_url}
        scans = stack.enter_context(scans_world(servers, workers, public_url=hooks.url, **sources))
        scans.world.github = github
        published = scans.publish()
        scans.dispatch()
        eventually(lambda: gate.begun() == 1)
        (dead,) = (each for each in workers if each.url == scans.scan(published).worker)
        (alive,) = (each for each in workers if each is not dead)

        dead.kill()
        _let_time_pass(scans, "21 minutes")
        assert sweep(scans.backend).external_scans_again == 1
        scans.dispatch()
        gate.open()
        eventually(lambda: scans.scan(published).status is ScanStatus.COMPLETED)

        scan = scans.scan(published)
        assert (scan.worker, scan.dispatches) == (alive.url, 2)
        dead.start()  # it takes its job up again; its result comes too late to change anything
        eventually(lambda: _kept(scans) == ["already_completed"])
        assert scans.scan(published) == scan


def _let_time_pass(scans: Scans, amount: str) -> None:
    with psycopg.connect(scans.world.database_url) as connection:
        connection.execute(
            "UPDATE external_scans SET dispatched_at = dispatched_at - %s::interval,"
            " created_at = created_at - %s::interval",
            [amount, amount],
        )


def _kept(scans: Scans) -> list[str]:
    with psycopg.connect(scans.world.database_url) as connection:
        rows = connection.execute(
            "SELECT not_applied FROM external_scan_messages"
            " WHERE not_applied IS NOT NULL AND content->>'status' = 'completed'"
        )
        return [row[0] for row in rows]
