"""The submission pipeline: taking many at once, working side by side, and not slowing down as the table grows."""

from __future__ import annotations

import itertools
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import httpx
import psycopg
from skillgate.adapters.postgres.migrations import migrate
from skillgate.concurrency import settle
from skillgate.domain.repo_url import RepoUrl
from skillgate.observability import logger
from skillgate.ports import ListQuery
from skillgate.services.consume import consume
from skillgate.services.queue_view import list_submissions, queue_statistics
from skillgate.services.submit import Request, create_submissions_batch
from skillgate.services.sweep import sweep

from local.parts.dynamodb import DynamoDb
from local.parts.postgres import temporary_postgres
from local.parts.sqs import Sqs
from local.sqs.server import SqsServer
from tests.bench.harness import Result, bench, faster
from tests.support.backends import TEMPLATE_DATABASE, Servers, World, world
from tests.support.http import admin_client, public_client
from tests.support.queue import records_of

SMALL, LARGE = 1_000, 1_000_000
BULK = 1_000
SINGLE = 200  # of the thousand; the rest would only repeat it
ROUNDS = 5
IN_PARALLEL, ONE_BY_ONE = 400, 12
CONCURRENCY, BATCH = 20, 10
SQS_SECONDS = 0.005  # a typical answer of SQS within its region; the emulator's own takes a fraction of that


@contextmanager
def fresh_world(**settings: Any) -> Iterator[World]:
    before = logger.log_level
    logger.setLevel("ERROR")
    try:
        with (
            temporary_postgres() as postgres,
            DynamoDb() as dynamodb,
            Sqs() as sqs,  # a process of its own: its work is not ours
        ):
            migrate(postgres.create_database(TEMPLATE_DATABASE))
            with world(Servers(postgres, dynamodb, cast(SqsServer, sqs)), **settings) as made:
                yield made
    finally:
        logger.setLevel(before)


def seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def typical(*calls: Callable[[], object], times: int = 25) -> list[float]:
    """The median of each, called in turns so that all see the same machine; the first calls warm up."""
    for call in calls * 3:
        call()
    rounds = [[seconds(call) for call in calls] for _ in range(times)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


@bench("bulk-enqueue")
def bulk_enqueue() -> list[Result]:
    with fresh_world(limit_submissions=1_000_000) as made:  # a refusal would be quick, and no measure
        public, admin = public_client(made.backend), admin_client(made.backend)

        def some(numbers: list[int]) -> None:
            for number in numbers:
                one(number)

        def one(number: int) -> None:
            answer = public.post("/api/v1/submissions", {"repoUrl": f"https://github.com/single/repo-{number}"})
            assert answer.status == 202, answer

        def many(name: str) -> None:
            items = [{"repoUrl": f"https://github.com/{name}/repo-{n}", "skillName": f"skill-{n}"} for n in range(BULK)]
            answer = admin.post("/api/v1/admin/queue/bulk-enqueue", items)
            assert answer.json["enqueued"] == BULK, answer

        one(0)
        many("warm-up")
        results: list[Result] = []
        numbers = itertools.count(1)
        for latency, where in ((0.0, "an SQS that answers at once"), (SQS_SECONDS, "SQS answering in 5 ms")):
            _delay_sqs(made, latency)
            single = bulk = 0.0
            for round_ in range(ROUNDS):  # in turns, so that both see the same machine
                part = [next(numbers) for _ in range(SINGLE // ROUNDS)]
                single += seconds(lambda part=part: some(part)) * BULK / SINGLE  # type: ignore[misc]
                bulk += seconds(lambda name=f"bulk-{latency}-{round_}": many(name)) / ROUNDS  # type: ignore[misc]
            note = f"API handlers on real stores; {SINGLE} single ones measured, scaled to {BULK}"
            results.append(faster(f"bulk-enqueue of 1000, against one by one, with {where}", bulk, single, note=note))
        return results


def _delay_sqs(made: World, latency: float) -> None:
    fault = {"operation": "*", "kind": "latency", "times": None, "seconds": latency}
    httpx.put(f"{made.servers.sqs.url}/_control/faults", json=[fault]).raise_for_status()


@bench("pipeline-throughput")
def pipeline_throughput() -> Result:
    with fresh_world(database_pool_size=40) as made:
        repositories = _skills(made, IN_PARALLEL + ONE_BY_ONE)
        made.github.set_faults([{"kind": "latency", "seconds": 0.1}])
        alone = _worked_through(made, repositories[:ONE_BY_ONE], concurrency=1, batch=1)
        together = _worked_through(made, repositories[ONE_BY_ONE:], concurrency=CONCURRENCY, batch=BATCH)
    note = (
        "submissions a second; GitHub answers in 100 ms; consume() on threads of one process, which share its one core"
    )
    rate_alone, rate_together = ONE_BY_ONE / alone, IN_PARALLEL / together
    name = "pipeline at batch 10 × concurrency 20, against one at a time"
    return Result(name, rate_together, rate_alone, rate_together / rate_alone, "1/s", note)


def _skills(made: World, number: int) -> list[Request]:
    requests = []
    for n in range(number):
        repo = RepoUrl("bench", f"repo-{n}")
        text = (
            f"---\nname: skill-{n}\ndescription: Sums up meeting {n}.\n---\n# Notes\nSum the notes of meeting {n} up.\n"
        )
        made.github.put_repository(repo.owner, repo.repo, {"SKILL.md": text})
        requests.append(Request(repo, "SKILL.md"))
    return requests


def _worked_through(made: World, requests: list[Request], *, concurrency: int, batch: int) -> float:
    create_submissions_batch(made.backend, requests)
    url = made.settings.submissions_queue_url
    left = threading.Semaphore(0)

    def work(_: int) -> None:
        while messages := made.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=batch, MessageSystemAttributeNames=["All"], WaitTimeSeconds=0
        ).get("Messages"):
            answer = consume(made.backend, records_of(messages), request_id="bench", seconds_left=60)
            assert answer == {"batchItemFailures": []}, answer
            entries = [{"Id": str(n), "ReceiptHandle": m["ReceiptHandle"]} for n, m in enumerate(messages)]
            made.sqs.delete_message_batch(QueueUrl=url, Entries=entries)
            left.release(len(messages))

    taken = seconds(lambda: [outcome.unwrap() for outcome in settle(work, range(concurrency), workers=concurrency)])
    assert left._value == len(requests)
    return taken


@bench("pipeline-scale")
def scale() -> list[Result]:
    """The same calls on a small and on a large table, with the same few submissions stuck in both."""
    with fresh_world() as small, fresh_world() as large:
        fill(small, SMALL)
        fill(large, LARGE)
        sweeps = typical(lambda: sweep(small.backend), lambda: sweep(large.backend))
        query = ListQuery()
        pages = typical(lambda: list_submissions(small.backend, query), lambda: list_submissions(large.backend, query))
        (counted,) = typical(lambda: queue_statistics(large.backend))
    return [
        _growth("the sweep at 1,000,000 submissions, against 1,000", *sweeps),
        _growth("the first list page at 1,000,000 submissions, against 1,000", *pages),
        Result("statistics at 1,000,000 submissions", counted * 1000, 50.0, 50.0 / (counted * 1000), "ms",
               "the baseline is the limit of 50 ms"),
    ]  # fmt: skip


def _growth(name: str, small: float, large: float) -> Result:
    return Result(name, large, small, small / large, "s", f"{large / small:.2f} times slower; at most 1.5 is allowed")


def fill(made: World, rows: int) -> None:
    """Finished submissions of the last months, and a hundred that wait their turn in the queue."""
    with psycopg.connect(made.database_url, autocommit=True) as connection:
        connection.execute("SET statement_timeout = 0")
        connection.execute(
            "INSERT INTO submissions (id, repo_url, repo_key, skill_path, skill_name, source, state, version,"
            " sent_at, created_at, updated_at, ended_at, reason_code, reason)"
            " SELECT gen_random_uuid(), 'https://github.com/load/repo-' || n, 'load/repo-' || n, 'SKILL.md',"
            " 'skill-' || n, 'crawler', CASE WHEN n %% 10 < 7 THEN 'PUBLISHED' WHEN n %% 10 < 9 THEN 'REJECTED'"
            " ELSE 'TIER1_FAILED' END::submission_state, 4, at, at, at, at + interval '40 seconds', 'done', 'Done.'"
            " FROM (SELECT n, now() - n * interval '10 seconds' AS at FROM generate_series(1, %s) AS n) AS made",
            [rows],
        )
        connection.execute("VACUUM ANALYZE submissions")
    requests = [Request(RepoUrl("waiting", f"repo-{n}"), "SKILL.md") for n in range(100)]
    create_submissions_batch(replace(made.backend, now=lambda: datetime.now(UTC) - timedelta(minutes=20)), requests)
