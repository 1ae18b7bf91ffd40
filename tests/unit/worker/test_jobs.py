"""The worker's memory, its signatures, and what it makes of answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from workers.scanner.config import Config, ConfigError
from workers.scanner.delivery import Answer, Deliverer
from workers.scanner.jobs import Added, Delivery, JobStore
from workers.scanner.model import InvalidJob, Job
from workers.scanner.signatures import SIGNATURE, TIMESTAMP, job_is_genuine

REQUEST: dict[str, Any] = {
    "jobId": "0198d1a2-0000-7000-8000-000000000000",
    "skillName": "pdf",
    "repoUrl": "https://github.com/acme/tools",
    "commitSha": "a" * 40,
    "contentHash": "b" * 64,
    "skillPath": "skills/pdf/SKILL.md",
    "provider": "semgrep",
    "callbackUrl": "https://skills.example/hook",
}


def request(number: int = 0) -> str:
    return json.dumps(REQUEST | {"jobId": f"0198d1a2-0000-7000-8000-{number:012}"})


def add(store: JobStore, number: int = 0, backlog: int = 10) -> Added:
    return store.add(Job.parse(request(number)), request(number), float(number), backlog=backlog)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JobStore]:
    made = JobStore(tmp_path / "jobs.sqlite")
    yield made
    made.close()


def test_jobs_are_claimed_in_order_and_once(store: JobStore) -> None:
    assert [add(store, number) for number in (1, 2)] == [Added.ACCEPTED] * 2

    first, second = store.claim(), store.claim()

    assert first and second and first.job.job_id < second.job.job_id
    assert store.claim() is None


def test_a_job_that_is_known_is_not_scanned_again(store: JobStore) -> None:
    add(store)
    store.claim()

    assert add(store) is Added.KNOWN and store.claim() is None


def test_a_full_backlog_takes_no_more(store: JobStore) -> None:
    assert [add(store, number, backlog=2) for number in range(3)] == [Added.ACCEPTED, Added.ACCEPTED, Added.FULL]


def test_a_restart_takes_up_what_was_running_and_what_was_not_reported(tmp_path: Path) -> None:
    before = JobStore(tmp_path / "jobs.sqlite")
    add(before, 1)
    add(before, 2)
    for _ in range(2):
        before.claim()
    before.finish(json.loads(request(2))["jobId"], '{"status": "completed"}')
    before.close()

    after = JobStore(tmp_path / "jobs.sqlite")
    assert after.recover() == 1
    again, due = after.claim(), after.due(10.0)
    after.close()

    assert again and again.attempts == 2 and again.job.job_id.endswith("1")
    assert due and due.result == '{"status": "completed"}'


def test_an_interrupted_scan_is_no_attempt(store: JobStore) -> None:
    add(store)
    claimed = store.claim()
    assert claimed
    store.put_back(claimed.job.job_id)

    again = store.claim()
    assert again and again.attempts == 1


def test_a_reported_job_that_is_sent_again_is_reported_again_under_a_new_id(store: JobStore) -> None:
    add(store)
    claimed = store.claim()
    assert claimed
    store.finish(claimed.job.job_id, "{}")
    first = store.due(10.0)
    assert first
    store.end(claimed.job.job_id, 10.0, reported=True)
    assert store.due(99.0) is None

    assert add(store) is Added.KNOWN

    second = store.due(99.0)
    assert second and second.result == "{}" and second.webhook_id != first.webhook_id


def test_a_postponed_delivery_waits_under_the_same_id(store: JobStore) -> None:
    add(store)
    claimed = store.claim()
    assert claimed
    store.finish(claimed.job.job_id, "{}")
    first = store.due(10.0)
    assert first
    store.postpone(claimed.job.job_id, 20.0)

    assert store.due(19.0) is None
    second = store.due(20.0)
    assert second and (second.webhook_id, second.deliveries) == (first.webhook_id, 1)


def test_jobs_that_ended_long_ago_are_forgotten(store: JobStore) -> None:
    add(store)
    claimed = store.claim()
    assert claimed
    store.finish(claimed.job.job_id, "{}")
    store.end(claimed.job.job_id, 10.0, reported=True)

    store.forget(11.0)

    assert store.counts() == {} and add(store) is Added.ACCEPTED


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (202, {}, Answer.TAKEN),
        (401, {"code": "webhook_replayed"}, Answer.TAKEN),
        (401, {"code": "webhook_signature_invalid"}, Answer.TRY_AGAIN),
        (401, [], Answer.TRY_AGAIN),
        (404, {"code": "job_unknown"}, Answer.REFUSED),
        (400, {}, Answer.REFUSED),
        (429, {}, Answer.TRY_AGAIN),
        (503, {}, Answer.TRY_AGAIN),
    ],
)
def test_an_answer_decides_whether_a_result_is_sent_again(status: int, body: Any, expected: Answer) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=body))
    with httpx.Client(transport=transport) as client:
        delivery = Delivery(Job.parse(request()), "msg_1", "{}", 0)
        assert Deliverer(client, "secret").deliver(delivery) is expected


def test_no_answer_at_all_is_tried_again() -> None:
    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with httpx.Client(transport=httpx.MockTransport(refuse)) as client:
        delivery = Delivery(Job.parse(request()), "msg_1", "{}", 0)
        assert Deliverer(client, "secret").deliver(delivery) is Answer.TRY_AGAIN


@pytest.mark.parametrize(
    "change",
    [
        {"repoUrl": "https://github.com/acme/tools/../x"},
        {"repoUrl": "https://github.com/../tools"},
        {"repoUrl": "https://evil.example/acme/tools"},
        {"commitSha": "main"},
        {"contentHash": 3},
        {"callbackUrl": "file:///etc/passwd"},
        {"provider": "../semgrep"},
        {"jobId": ""},
    ],
)
def test_what_does_not_fit_is_no_job(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidJob):
        Job.parse(json.dumps(REQUEST | change))


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff"])
def test_what_is_no_json_object_is_no_job(body: bytes) -> None:
    with pytest.raises(InvalidJob):
        Job.parse(body)


def test_a_job_signed_by_the_dispatcher_is_genuine_and_nothing_else_is() -> None:
    from datetime import UTC, datetime

    from skillgate.domain.signatures import job_headers

    body, at = request().encode(), datetime(2026, 3, 2, 10, 15, tzinfo=UTC)
    headers, now = job_headers(body, "old", at), at.timestamp()

    assert job_is_genuine(headers, body, ["new", "old"], now)
    assert not job_is_genuine(headers, body, ["new"], now)
    assert not job_is_genuine(headers, body + b" ", ["old"], now)
    assert not job_is_genuine(headers, body, ["old"], now + 301)
    assert not job_is_genuine(headers | {TIMESTAMP: str(int(now) + 1)}, body, ["old"], now)
    assert not job_is_genuine({TIMESTAMP: headers[TIMESTAMP]}, body, ["old"], now)
    assert not job_is_genuine({SIGNATURE: headers[SIGNATURE]}, body, ["old"], now)
    assert not job_is_genuine(headers | {TIMESTAMP: "²"}, body, ["old"], now)


def test_missing_secrets_are_named() -> None:
    with pytest.raises(ConfigError, match="SCAN_WORKER_SECRET, WEBHOOK_SECRET"):
        Config.from_environment({})
    with pytest.raises(ConfigError, match="WORKER_CONCURRENCY"):
        Config.from_environment({"SCAN_WORKER_SECRET": "a", "WEBHOOK_SECRET": "b", "WORKER_CONCURRENCY": "0"})
