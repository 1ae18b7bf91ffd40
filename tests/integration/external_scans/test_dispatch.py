"""From publishing to a worker: every scan once, whoever is down, within the hour's limit."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from skillgate.adapters.sqs import SqsExternalScans
from skillgate.concurrency import settle
from skillgate.domain.errors import QueueUnavailable
from skillgate.domain.external_scan import Scanner, ScanStatus
from skillgate.ports import SendOutcome
from skillgate.services.external_scans.configuration import dispatch_config
from skillgate.services.sweep import sweep
from skillgate.settings import Settings, SettingsError

from tests.support.backends import PROJECT, Servers
from tests.support.external_scans import PUBLIC_URL, Scans, dispatch_batch, fake_workers, scans_world


def all_jobs(scans: Scans) -> list[dict[str, str]]:
    return [job for worker in scans.workers for job in worker.jobs]


def test_publishing_sends_one_signed_job_per_scanner_to_a_worker(scans: Scans) -> None:
    published = scans.publish()

    assert scans.dispatch() == 3

    jobs = all_jobs(scans)
    assert sorted(job["provider"] for job in jobs) == ["njsscan", "semgrep", "trufflehog"]
    semgrep = scans.scan(published)
    assert next(job for job in jobs if job["provider"] == "semgrep") == {
        "jobId": semgrep.job_id,
        "skillName": "pdf",
        "repoUrl": "https://github.com/acme/tools",
        "commitSha": published.commit_sha,
        "contentHash": published.content_hash,
        "skillPath": "skills/pdf/SKILL.md",
        "provider": "semgrep",
        "callbackUrl": f"{PUBLIC_URL}/api/v1/webhooks/scan-results",
    }
    assert semgrep.status is ScanStatus.PENDING and semgrep.worker in {worker.url for worker in scans.workers}


def test_publishing_the_same_content_again_plans_no_second_scan(scans: Scans) -> None:
    published = scans.publish()
    scans.dispatch()

    again = scans.publish()

    assert again.content_hash == published.content_hash
    assert scans.dispatch() == 0 and len(all_jobs(scans)) == 3


def test_a_message_that_comes_twice_is_dispatched_once(scans: Scans) -> None:
    published = scans.publish()
    scans.backend.external_queue.send([scans.scan(published).job_id])

    assert scans.dispatch() == 4

    assert len(all_jobs(scans)) == 3


def test_a_message_that_nobody_understands_is_dropped(scans: Scans) -> None:
    url = scans.world.settings.external_scans_queue_url
    scans.world.sqs.send_message(QueueUrl=url, MessageBody='{"scanJobId": "../etc"}')

    assert scans.dispatch() == 1

    depth = scans.backend.external_queue.depth()
    assert (depth["visible"], depth["notVisible"]) == (0, 0)


def test_a_worker_that_is_down_is_skipped(scans: Scans) -> None:
    scans.workers[0].stop()
    scans.publish()

    scans.dispatch()

    assert len(scans.workers[1].jobs) == 3


def test_a_worker_that_refuses_is_skipped(scans: Scans) -> None:
    scans.workers[0].status = 503
    published = scans.publish()

    scans.dispatch()

    assert len(scans.workers[1].jobs) == 3
    assert scans.scan(published).worker == scans.workers[1].url


def test_with_every_worker_down_messages_go_back_with_a_growing_delay_and_take_no_place_of_the_hour(
    scans: Scans, monkeypatch: pytest.MonkeyPatch
) -> None:
    for worker in scans.workers:
        worker.stop()
    delays: list[int] = []
    monkeypatch.setattr(SqsExternalScans, "delay_redelivery", lambda self, handle, seconds: delays.append(seconds))
    published = scans.publish()
    url = scans.world.settings.external_scans_queue_url
    scans.world.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "0"})

    for _ in range(3):
        messages = scans.world.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
        )["Messages"]
        assert len(messages) == 3
        dispatch_batch(scans.world, scans.config, messages)

    assert sorted(delays) == [30] * 3 + [60] * 3 + [120] * 3
    scan = scans.scan(published)
    assert (scan.status, scan.dispatches) == (ScanStatus.QUEUED, 0)
    assert scans.backend.external_scans.statistics(scans.clock()).dispatched_hour == 0


def test_what_no_worker_ever_takes_ends_as_a_dead_letter(scans: Scans) -> None:
    for worker in scans.workers:
        worker.status = 500
    scans.publish()
    url = scans.world.settings.external_scans_queue_url
    scans.world.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "0"})
    settings = scans.world.settings.model_copy(update={"retry_base_seconds": 0})
    scans.world.backend = replace(scans.backend, settings=settings)

    scans.dispatch()

    assert scans.backend.external_queue.depth()["deadLetters"] == 3


def test_a_scanner_that_no_worker_has_fails_without_a_word_about_the_skill(scans: Scans) -> None:
    for worker in scans.workers:
        worker.status = 422
    published = scans.publish()

    scans.dispatch()

    shown = scans.security("trufflehog")
    assert (shown["status"], shown["verdict"], shown["errorCode"]) == ("FAILED", None, "scanner_not_available")
    assert scans.backend.external_queue.depth()["visible"] == 0
    assert published.status == "published"


def test_the_hourly_limit_holds_and_what_is_over_it_goes_out_in_the_next_hour(servers: Servers) -> None:
    with fake_workers(1) as workers, scans_world(servers, workers, external_scans_per_hour=4) as scans:
        scans.publish()
        scans.publish(name="csv", content=scans_skill("csv"))
        scans.dispatch()
        assert len(all_jobs(scans)) == 4

        scans.clock.advance(minutes=10)
        sweep(scans.backend)
        scans.dispatch()
        assert len(all_jobs(scans)) == 4

        for job in all_jobs(scans):
            scans.backend.external_scans.fail(job["jobId"], code="x", message="x", at=scans.clock())
        scans.clock.advance(minutes=51)
        assert sweep(scans.backend).external_scans_sent == 2
        scans.dispatch()
        assert len({job["jobId"] for job in all_jobs(scans)}) == 6


def test_dispatchers_side_by_side_never_go_over_the_hourly_limit(servers: Servers) -> None:
    with fake_workers(2) as workers, scans_world(servers, workers, external_scans_per_hour=7) as scans:
        for name in ("a1", "b2", "c3", "d4", "e5"):
            scans.publish(name=name, content=scans_skill(name))
        url = scans.world.settings.external_scans_queue_url
        batches = [scans.world.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)["Messages"] for _ in range(7)]
        start = threading.Barrier(len(batches))

        def invoke(messages: list[dict[str, Any]]) -> None:
            start.wait()
            dispatch_batch(scans.world, scans.config, messages)

        for outcome in settle(invoke, batches, workers=len(batches)):
            outcome.unwrap()

        assert len(all_jobs(scans)) == 7
        assert scans.backend.external_scans.statistics(scans.clock()).dispatched_hour == 7


def scans_skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: Reads {name} files and tells what is in them.\n---\n# {name}\nSum it up.\n"


def test_a_scan_whose_message_was_never_sent_is_sent_by_the_sweeper(
    scans: Scans, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, ids: list[str], **_: object) -> SendOutcome:
        return SendOutcome([], dict.fromkeys(ids, QueueUnavailable("away").message))

    with monkeypatch.context() as broken:
        broken.setattr(SqsExternalScans, "send", refuse)
        published = scans.publish()
    assert scans.dispatch() == 0 and scans.scan(published).sent_at is None

    scans.clock.advance(minutes=5)
    assert sweep(scans.backend).external_scans_sent == 3

    assert scans.dispatch() == 3 and len(all_jobs(scans)) == 3


def test_without_workers_scans_wait_visibly_and_go_out_once_there_are_some(servers: Servers) -> None:
    with fake_workers(1) as workers, scans_world(servers, workers, scan_workers="") as scans:
        published = scans.publish()
        assert scans.dispatch() == 3

        seen = scans.call("GET", "/api/v1/admin/external-scans").body
        assert seen["state"] == "no_workers" and seen["workers"] == []
        assert {name: counts["QUEUED"] for name, counts in seen["unfinished"].items()} == dict.fromkeys(Scanner, 1)
        scans.clock.advance(minutes=5)
        assert sweep(scans.backend).external_scans_sent == 0

        settings = scans.world.settings.model_copy(update={"scan_workers": (workers[0].url,)})
        scans.world.backend = replace(scans.backend, settings=settings)
        sweep(scans.backend)
        scans.dispatch(dispatch_config(settings))
        assert len(workers[0].jobs) == 3
        assert scans.scan(published).status is ScanStatus.PENDING


def test_statistics_say_silent_when_work_waits_and_nothing_comes_back(scans: Scans) -> None:
    scans.publish()
    scans.dispatch()
    assert scans.call("GET", "/api/v1/admin/external-scans").body["state"] == "ok"

    scans.clock.advance(hours=2)

    seen = scans.call("GET", "/api/v1/admin/external-scans").body
    assert seen["state"] == "silent" and seen["oldestUnfinishedSeconds"] >= 7200


def test_what_was_published_while_postgres_was_away_is_scanned_once_it_is_back(scans: Scans) -> None:
    published = scans.publish()
    scans.dispatch()
    only_copy = replace(
        published, skill_id="acme/tools/csv", skill_path="skills/csv/SKILL.md", content_hash="c" * 64, version="1.0.0"
    )
    scans.backend.live.put_skill(only_copy, synced=False)

    scans.clock.advance(minutes=5)
    report = sweep(scans.backend)

    assert (report.skills_replayed, report.external_scans_sent) == (1, 3)
    assert scans.dispatch() == 3


def test_the_function_itself_does_not_start_without_what_workers_need(scans: Scans) -> None:
    variables = dict(scans.world.template.functions["ExternalScanDispatcher"].environment)
    variables |= {name: "" for name in variables if name.endswith("_SECRET_ARN")}
    variables |= {"DATABASE_URL": scans.world.database_url, "JWT_SECRETS": "k" * 32}
    variables |= {"INTERNAL_KEYS": "key", "SCAN_WORKERS": "https://one.example,https://two.example"}
    variables |= {"AWS_DEFAULT_REGION": "us-east-1", "TRACING": "false"}
    paths = os.pathsep.join(str(PROJECT / part) for part in ("functions", "layers/skillgate"))

    started = subprocess.run(
        [sys.executable, "-c", "import external_scan_dispatcher.app"],
        env=variables | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )

    assert started.returncode != 0
    assert "SCAN_WORKERS is set, and these are missing: SCAN_WORKER_SECRET, WEBHOOK_SECRETS" in started.stderr


@pytest.mark.parametrize("value", ["ftp://one.example", "one.example", "https://one.example,javascript:x"])
def test_a_worker_address_that_is_none_stops_every_function(value: str) -> None:
    with pytest.raises(SettingsError, match="SCAN_WORKERS"):
        Settings.from_environment({"SCAN_WORKERS": value})


@pytest.mark.parametrize("missing", ["scan_worker_secret", "webhook_secrets", "public_url"])
def test_the_dispatcher_refuses_to_start_without_what_workers_need_and_names_it(scans: Scans, missing: str) -> None:
    empty = {"scan_worker_secret": None, "webhook_secrets": (), "public_url": ""}[missing]
    settings = scans.world.settings.model_copy(update={missing: empty})

    with pytest.raises(SettingsError, match=missing.upper()):
        dispatch_config(settings)
