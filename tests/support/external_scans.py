"""Driving external scans: workers that can misbehave, the dispatcher as Lambda runs it, and signed webhooks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from admin_api.routes import build_api as build_admin_api
from public_api.routes import build_api as build_public_api
from skillgate.api.router import Api
from skillgate.domain.external_scan import ExternalScan, Scanner
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import Published
from skillgate.ports import Backend
from skillgate.services.external_scans.configuration import DispatchConfig, dispatch_config
from skillgate.services.external_scans.dispatch import dispatch
from skillgate.services.submit import Request as Submit
from skillgate.services.submit import create_submission
from webhook_api.routes import build_api as build_webhook_api

from local.servers.http_server import Request, Response, StandIn
from tests.support.backends import INTERNAL_KEY, Servers, World, world
from tests.support.queue import drain, records_of
from workers.scanner.signatures import TIMESTAMP, job_is_genuine, webhook_headers

WORKER_SECRET = "test-worker-secret"
WEBHOOK_SECRETS = ("test-webhook-secret-new", "test-webhook-secret-old")
PUBLIC_URL = "https://skills.example"
SKILL_ID = "acme/tools/pdf"
SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"


class Clock:
    """The time, until a test moves it."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def advance(self, **amount: float) -> None:
        self._ahead += timedelta(**amount)


class FakeWorker(StandIn):
    """Takes jobs whose signature holds, answers as it is told, and remembers them."""

    def __init__(self, *, status: int = 202, seconds: float = 0.0) -> None:
        super().__init__()
        self.status, self.seconds = status, seconds
        self.jobs: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def _answer(self, request: Request) -> Response:
        signed_at = float(request.headers.get(TIMESTAMP, 0))  # tests move the sender's clock
        genuine = job_is_genuine(request.headers, request.body, [WORKER_SECRET], signed_at)
        if request.path != "/jobs" or not genuine:
            return Response.of_json({"code": "bad_signature"}, 401)
        self._server.pause(self.seconds)
        with self._lock:
            self.jobs.append(request.json())
        return Response.of_json({}, self.status)


@dataclass
class Answer:
    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Scans:
    """A world with scan workers, its clock, and its HTTP APIs."""

    world: World
    workers: Sequence[Any]  # fake ones, or real
    clock: Clock

    def __post_init__(self) -> None:
        backend = self.world.backend
        self._apis: dict[str, Api] = {
            "/api/v1/webhooks/": build_webhook_api(backend),
            "/api/v1/admin/": build_admin_api(backend),
            "/api/": build_public_api(backend),
        }

    @property
    def backend(self) -> Backend:
        return self.world.backend

    @property
    def config(self) -> DispatchConfig:
        return dispatch_config(self.world.settings)

    def publish(self, content: str = SKILL, name: str = "pdf") -> Published:
        """Through the whole pipeline, as anybody's skill."""
        path = f"skills/{name}/SKILL.md"
        self.world.github.put_repository("acme", "tools", {path: content})
        create_submission(self.backend, Submit(RepoUrl("acme", "tools"), path))
        drain(self.world)
        published = self.backend.skills.get(f"acme/tools/{name}")
        assert published is not None
        return published

    def scan(self, published: Published, scanner: Scanner = Scanner.SEMGREP) -> ExternalScan:
        found = self.backend.external_scans.of_version(published.skill_id, published.content_hash)
        return next(scan for scan in found if scan.scanner is scanner)

    def dispatch(self, config: DispatchConfig | None = None) -> int:
        """Dispatches until no message is visible; what is to be retried stays hidden. Returns how many there were."""
        return dispatch_all(self.world, config or self.config)

    def call(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        api = next(api for prefix, api in self._apis.items() if path.startswith(prefix))
        given = {"content-type": "application/json", **(headers or {})}
        if "/admin/" in path:
            given["x-internal-key"] = INTERNAL_KEY
        answer = api.handle(_event(method, path, body, given), _LAMBDA)  # type: ignore[arg-type]
        text = answer.get("body") or "null"
        return Answer(answer["statusCode"], json.loads(text), answer["headers"])

    def report(self, report: Mapping[str, Any], webhook_id: str = "msg_1", secret: str = WEBHOOK_SECRETS[0]) -> Answer:
        """Posts a report with a good signature."""
        body = json.dumps(report).encode()
        return self.post(body, webhook_headers(webhook_id, body, secret, self.clock().timestamp()))

    def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        return self.call("POST", "/api/v1/webhooks/scan-results", body, headers)

    def security(self, provider: str | None = None) -> Any:
        answer = self.call("GET", f"/api/v1/skills/{SKILL_ID}/security" + (f"/{provider}" if provider else ""))
        assert answer.status == 200, answer.body
        return answer.body


def completed(scan: ExternalScan, findings: Sequence[Mapping[str, Any]] = (), **more: Any) -> dict[str, Any]:
    """What a worker sends when it is done."""
    coverage = {"filesTotal": 2, "filesScanned": 2, "bytesScanned": 300, "skipped": [], "complete": True}
    return {
        "jobId": scan.job_id,
        "contentHash": scan.content_hash,
        "provider": scan.scanner.value,
        "status": "completed",
        "scannerVersion": "1.172.0",
        "durationMs": 2345,
        "coverage": coverage,
        "findings": list(findings),
        **more,
    }


def finding(severity: str = "high", *, confirmed: bool = False, rule: str = "shell-from-input") -> dict[str, Any]:
    place = {"file": "skills/pdf/run.py", "line": 3, "message": "Input reaches a shell."}
    return {"ruleId": rule, "severity": severity, "confirmed": confirmed, **place}


def dispatch_all(world_: World, config: DispatchConfig) -> int:
    url, sqs, received = world_.settings.external_scans_queue_url, world_.sqs, 0
    while messages := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"], WaitTimeSeconds=0
    ).get("Messages"):
        received += len(messages)
        dispatch_batch(world_, config, messages)
    return received


def dispatch_batch(world_: World, config: DispatchConfig, messages: Sequence[dict[str, Any]]) -> None:
    """One invocation of the dispatcher; what it does not want again is deleted, as Lambda would."""
    answer = dispatch(world_.backend, config, records_of(list(messages)), seconds_left=60)
    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    for message in messages:
        if message["MessageId"] not in failed:
            url = world_.settings.external_scans_queue_url
            world_.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


@contextmanager
def scans_world(servers: Servers, workers: Sequence[Any], **settings: Any) -> Iterator[Scans]:
    usual = {
        "scan_workers": ",".join(worker.url for worker in workers),
        "scan_worker_secret": WORKER_SECRET,
        "webhook_secrets": ",".join(WEBHOOK_SECRETS),
        "public_url": PUBLIC_URL,
    }
    with world(servers, **usual | settings) as made:
        clock = Clock()
        made.backend = replace(made.backend, now=clock)
        yield Scans(made, workers, clock)


@contextmanager
def fake_workers(count: int) -> Iterator[list[FakeWorker]]:
    with ExitStack() as stack:
        yield [stack.enter_context(FakeWorker()) for _ in range(count)]


_LAMBDA = SimpleNamespace(
    aws_request_id="test-request",
    function_name="test",
    memory_limit_in_mb=128,
    invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:test",
    get_remaining_time_in_millis=lambda: 30_000,
)


def _event(method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> dict[str, Any]:
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": dict(headers),
        "requestContext": {"http": {"method": method, "path": path}, "stage": "$default", "requestId": "test"},
        "body": None if body is None else body.decode(),
        "isBase64Encoded": False,
    }
