"""Dispatching 500 scans to workers that take 100 ms to answer: side by side against one at a time, within the limit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from skillgate.concurrency import chunks, settle

from tests.bench.harness import Result, bench, faster
from tests.support.backends import World, running_servers
from tests.support.external_scans import FakeWorker, Scans, dispatch_batch, scans_world

SCANS = 500
ONE_AT_A_TIME = 40  # measured, and taken as the pace of all 500
WORKER_SECONDS = 0.1
INVOCATIONS = 5  # the dispatcher's concurrency in template.yaml
BATCH = 10
LIMIT = 300  # for the run that must not go over it

_PUBLISHED = """
WITH s AS (
    INSERT INTO skills (id, owner, repo, slug, repo_url, repo_key, skill_path, name, name_key, slug_key,
        current_version, commit_sha, content_hash, cert_tier, cert_method, cert_score, certified_at, created_at,
        updated_at)
    SELECT 'acme/r' || n || '/s', 'acme', 'r' || n, 's', 'https://github.com/acme/r' || n, 'acme/r' || n, 'SKILL.md',
        's' || n, 's' || n, 's', '1.0.0', repeat('a', 40), repeat('b', 64), 'VERIFIED', 'tier1', 90, now(), now(), now()
    FROM generate_series(1, %(count)s) AS n
    RETURNING id, commit_sha, content_hash
), v AS (
    INSERT INTO skill_versions (skill_id, version, content_hash, commit_sha, submission_id, content, published_at)
    SELECT id, '1.0.0', content_hash, commit_sha, gen_random_uuid(), '', now() FROM s
    RETURNING id, content_hash
)
INSERT INTO external_scans (job_id, version_id, scanner, content_hash, status, created_at)
SELECT gen_random_uuid(), id, 'semgrep', content_hash, 'QUEUED', now() FROM v
RETURNING job_id::text
"""


@contextmanager
def planned(count: int, per_hour: int) -> Iterator[tuple[Scans, Sequence[FakeWorker], list[dict[str, Any]]]]:
    """Workers, and the queue's messages for so many scans."""
    with (
        running_servers() as servers,
        FakeWorker(seconds=WORKER_SECONDS) as one,
        FakeWorker(seconds=WORKER_SECONDS) as two,
        scans_world(servers, [one, two], external_scans_per_hour=per_hour) as scans,
    ):
        with psycopg.connect(scans.world.database_url) as connection:
            job_ids = [row[0] for row in connection.execute(_PUBLISHED, {"count": count})]
        scans.backend.external_queue.send(job_ids)
        yield scans, (one, two), _messages(scans.world)


def _messages(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    url = world.settings.external_scans_queue_url
    while batch := world.sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=BATCH, MessageSystemAttributeNames=["All"]
    ).get("Messages"):
        found += batch
    return found


def _dispatch(scans: Scans, messages: Sequence[dict[str, Any]], *, batch: int, invocations: int) -> float:
    started = time.perf_counter()
    outcomes = settle(
        lambda each: dispatch_batch(scans.world, scans.config, each), chunks(messages, batch), workers=invocations
    )
    for outcome in outcomes:
        outcome.unwrap()
    return time.perf_counter() - started


def _taken(workers: Sequence[FakeWorker]) -> int:
    return len({job["jobId"] for worker in workers for job in worker.jobs})


@bench("external-scans")
def dispatching() -> list[Result]:
    with planned(SCANS, per_hour=SCANS) as (scans, workers, messages):
        slow = _dispatch(scans, messages[:ONE_AT_A_TIME], batch=1, invocations=1) * SCANS / ONE_AT_A_TIME
        assert _taken(workers) == ONE_AT_A_TIME
    with planned(SCANS, per_hour=SCANS) as (scans, workers, messages):
        quick = _dispatch(scans, messages, batch=BATCH, invocations=INVOCATIONS)
        assert _taken(workers) == SCANS
    with planned(SCANS, per_hour=LIMIT) as (scans, workers, messages):
        _dispatch(scans, messages, batch=BATCH, invocations=INVOCATIONS)
        taken = sum(len(worker.jobs) for worker in workers)
    return [
        faster(f"dispatch {SCANS} scans", quick, slow, note="5 invocations of 10 against one at a time"),
        Result(f"dispatched of {SCANS}, limit {LIMIT} an hour", taken, LIMIT, LIMIT / taken, "scans", "never over it"),
    ]
