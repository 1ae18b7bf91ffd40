"""What one submission takes, by the kind of work: the figures under `make cost` and `make simulate`.

The example skills go through API handlers and consumer on real stores, with a GitHub that takes 100 ms for an answer.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import yaml
from skillgate.domain.message import submission_id_of
from skillgate.domain.submission import State
from skillgate.observability import traced
from skillgate.scanning import scan
from skillgate.services.consume import consume
from skillgate.services.marketplace import load_index
from skillgate.services.published_index import build_index
from skillgate.services.search import Search, search_skills
from skillgate.services.sweep import sweep
from skillgate.skill_folders import skill_files, skill_folders

from local.stack import EXAMPLES
from tests.bench.bench_marketplace import loaded_world
from tests.bench.harness import Result, bench
from tests.bench.meters import Meters, captured_logs
from tests.support.backends import World, running_servers, world
from tests.support.http import FakeLambdaContext, admin_client, public_client
from tests.support.queue import records_of

COPIES = 8  # of each example skill
BATCH = 10
GITHUB_SECONDS = 0.1
READS = 30
INDEXED, BUILDS = 10_000, 3
WITHOUT_SKILL = {"example-org/just-docs", "example-org/empty-start", "acme-labs/changelog-bot"}
JUDGED = {State.REJECTED, State.NEEDS_REVIEW}
_NO_LIMITS = {f"limit_{kind}": 1_000_000 for kind in ("reads", "submissions", "bulk", "writes")}
_PUBLISHING = """SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM at - before)) FROM (
SELECT to_state, at, lag(at) OVER (PARTITION BY submission_id ORDER BY version) AS before
FROM submission_events) AS moves
WHERE to_state = 'PUBLISHED'"""


def figure(name: str, value: float, unit: str, note: str) -> Result:
    return Result(name.replace("_", " "), value, None, None, unit, note, figure=name)


@bench("capacity")
def capacity() -> Iterator[Result]:
    with running_servers() as servers, world(servers, **_NO_LIMITS) as made:
        targets = _put_examples(made)
        made.github.set_faults([{"kind": "latency", "seconds": GITHUB_SECONDS}])
        meters = Meters(made)
        with captured_logs() as printed:
            submit_seconds = _submitted(made, targets)
            batches, alone = _worked_through(made)
        yield from _consumer(made, batches, alone, submit_seconds)
        yield from _per_submission(made, meters, len(targets), len(printed.getvalue()))
        yield from _http(made)
    yield from _marketplace()


def _put_examples(made: World) -> list[tuple[str, str]]:
    """Copies of every example, each with a line of its own so that none is known already; (repoUrl, skillPath)."""
    targets = []
    for entry in yaml.safe_load((EXAMPLES / "expected.yaml").read_text()):
        owner, repo = entry["repoUrl"].split("/")[-2:]
        if f"{owner}/{repo}" in WITHOUT_SKILL:
            continue
        folder = EXAMPLES / "repositories" / owner / repo
        files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        for copy in range(COPIES):
            own = {p: f"{t}\nCopy {copy}.\n" if p.endswith("SKILL.md") else t for p, t in files.items()}
            made.github.put_repository(f"{owner}-{copy}", repo, own)
            targets.append((f"https://github.com/{owner}-{copy}/{repo}", entry["skillPath"]))
    return targets[::COPIES] + [each for n, each in enumerate(targets) if n % COPIES]


def _submitted(made: World, targets: Sequence[tuple[str, str]]) -> float:
    public = public_client(made.backend)
    spent = []
    for repo_url, skill_path in targets:
        started = time.perf_counter()
        place = {} if skill_path == "." else {"skillPath": skill_path}
        answer = public.post("/api/v1/submissions", {"repoUrl": repo_url, **place})
        spent.append(time.perf_counter() - started)
        assert answer.status == 202, answer
    return statistics.median(spent)


def _worked_through(made: World) -> tuple[list[float], list[tuple[State, float]]]:
    """Seconds of every full batch, and of a share that is taken one at a time, with what became of each."""
    handler: Callable[..., Any] = traced(
        lambda event, context: consume(made.backend, event["Records"], request_id="bench", seconds_left=60), on=False
    )
    batches: list[float] = []
    alone: list[tuple[State, float]] = []
    while messages := _receive(made, BATCH if len(batches) * BATCH < len(alone) * 4 else 1):
        started = time.perf_counter()
        answer = handler({"Records": records_of(messages)}, FakeLambdaContext())
        spent = time.perf_counter() - started
        assert answer == {"batchItemFailures": []}, answer
        if len(messages) == BATCH:
            batches.append(spent)
        elif len(messages) == 1:
            alone.append((_state_of(made, messages[0]), spent))
    return batches, alone


def _receive(made: World, most: int) -> list[dict[str, Any]]:
    url = made.settings.submissions_queue_url
    messages: list[dict[str, Any]] = made.sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=most, MessageSystemAttributeNames=["All"], WaitTimeSeconds=0
    ).get("Messages", [])
    for message in messages:
        made.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return messages


def _state_of(made: World, message: dict[str, Any]) -> State:
    found = submission_id_of(message["Body"]) or ""
    return made.backend.live.get_many([found]).submissions[found].state


def _consumer(
    made: World, batches: list[float], alone: list[tuple[State, float]], submit_seconds: float
) -> Iterator[Result]:
    note = f"{len(batches)} batches of {BATCH} example skills side by side, GitHub answering in 100 ms, judge at once"
    yield figure("consumer_batch_seconds", statistics.median(batches), "s", note)
    spread = statistics.stdev(math.log(each) for each in batches)
    yield figure("consumer_batch_spread", spread, "ln", "standard deviation of the logarithm of those batches")
    kinds = {"published": {State.PUBLISHED}, "tier1_failed": {State.TIER1_FAILED}, "judged": JUDGED}
    for name, states in kinds.items():
        spent = [each for state, each in alone if state in states]
        yield figure(f"consumer_{name}_seconds", statistics.median(spent), "s", f"{len(spent)} one at a time")
    yield figure("consumer_alone_seconds", statistics.median(each for _, each in alone), "s", "all of those")
    yield figure("scan_cpu_seconds", _scan_cpu(), "s", "tier 1 of one example skill, on one core")
    with psycopg.connect(made.database_url) as connection:
        row = connection.execute(_PUBLISHING).fetchone()
    assert row is not None
    yield figure("publish_seconds", float(row[0]), "s", "from approved to published, by the submission's own events")
    yield figure("api_submit_seconds", submit_seconds, "s", "POST /api/v1/submissions")


def _scan_cpu() -> float:
    skills = [tuple(skill_files(folder)) for folder in skill_folders(EXAMPLES / "repositories")]
    for files in skills:
        scan(files)
    started = time.process_time()
    for files in skills:
        scan(files)
    return (time.process_time() - started) / len(skills)


def _per_submission(made: World, meters: Meters, submissions: int, log_bytes: int) -> Iterator[Result]:
    each = "for one submission from POST to its end, over all example skills"
    # Lambda receives and deletes for the function: one request each for a batch, which is not ours to count.
    batched = 2 / BATCH
    yield figure("dynamodb_write_units", meters.write_units / submissions, "units", each)
    yield figure("dynamodb_read_units", meters.read_units / submissions, "units", f"{each}; strongly consistent")
    yield figure("sqs_requests", meters.sqs_requests / submissions + batched, "requests", f"{each}, batches of {BATCH}")
    yield figure("github_requests", meters.github_requests / submissions, "requests", each)
    yield figure("github_kilobytes", meters.github_bytes / submissions / 1000, "kB", each)
    yield figure("postgres_transactions", meters.postgres_transactions / submissions, "commits", each)
    yield figure("postgres_kilobytes", meters.postgres_kilobytes / submissions, "kB", f"{each}, with its indexes")
    yield figure("postgres_cpu_seconds", meters.postgres_cpu_seconds / submissions, "s", f"{each}; the server's CPU")
    yield figure("log_kilobytes", log_bytes / submissions / 1000, "kB", f"{each}, with its metrics")
    prompts = [len(record.prompt) for record in made.bedrock.requests()]
    note = f"{len(prompts)} prompts, instructions and findings included"
    yield figure("judge_characters_in", statistics.mean(prompts), "chars", note)


def _http(made: World) -> Iterator[Result]:
    public, admin = public_client(made.backend), admin_client(made.backend)
    build_index(made.backend)
    load_index(made.backend)
    meters = Meters(made)
    paths = ("/api/v1/submissions", "/api/v1/skills", "/api/v1/submissions/stats", "/api/v1/skills?q=notes")
    spent = [_timed(lambda path=path: public.get(path)) for path in paths for _ in range(READS)]  # type: ignore[misc]
    calls = len(spent)
    yield figure("api_read_seconds", statistics.median(spent), "s", f"median of {calls} calls to {', '.join(paths)}")
    yield figure("api_read_write_units", meters.write_units / calls, "units", "of DynamoDB, for one read (rate limits)")
    yield figure("api_read_read_units", meters.read_units / calls, "units", "of DynamoDB, for one read")
    items = [{"repoUrl": f"https://github.com/bulk/repo-{n}", "skillName": f"skill-{n}"} for n in range(1000)]
    taken = _timed(lambda: admin.post("/api/v1/admin/queue/bulk-enqueue", items))
    yield figure("bulk_enqueue_seconds", taken, "s", "1,000 submissions in one call")
    yield figure("sweeper_seconds", statistics.median(_timed(lambda: sweep(made.backend)) for _ in range(5)), "s",
                 "one run with 1,000 submissions waiting")  # fmt: skip


def _timed(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    answer = call()
    assert getattr(answer, "status", 200) < 300, answer
    return time.perf_counter() - started


def _marketplace() -> Iterator[Result]:
    with loaded_world(INDEXED) as (made, _):
        meters = Meters(made)
        seconds = statistics.median(_timed(lambda: build_index(made.backend, full=True)) for _ in range(BUILDS))
        thousands = INDEXED / 1000
        yield figure("index_build_seconds_per_1000", seconds / thousands, "s", f"of {INDEXED:,} made-up skills")
        yield figure("index_write_units_per_1000", meters.write_units / BUILDS / thousands, "units", "of DynamoDB")
        load_index(made.backend)
        words = ("terraform", "code review", "kubernets", "pdf")
        spent = [_timed(lambda q=q: search_skills(made.backend, Search(q))) for q in words for _ in range(READS)]  # type: ignore[misc]
        yield figure("search_seconds", statistics.median(spent), "s", f"in memory, of {INDEXED:,} skills")
