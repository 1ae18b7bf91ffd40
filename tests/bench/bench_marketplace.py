"""The marketplace at 120,000 skills: search from memory and from Postgres against a plain ILIKE, the first page, the
rebuild of the index, and what a function weighs with the index in it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from skillgate.domain.listing import Listing
from skillgate.ports import Backend
from skillgate.search.memory import MemoryIndex
from skillgate.search.selection import Filters
from skillgate.search.text import key, parse
from skillgate.services.marketplace import SkillQuery, get_skills
from skillgate.services.published_index import read_index

from tests.bench.harness import Result, bench
from tests.bench.made_up_skills import made_up_skills
from tests.support.backends import SIGNING_KEY, World, running_servers, world

SKILLS = 120_000
ROUNDS = 5
LIMIT = 20
QUERIES = (
    "terraform", "terrafrom", "kubernetes deploy", "code review", "pdf", "react", "best practices", "skills", "toolbox",
    "postgres migration helper", "terraform-deploy", "deploy-", "a", "stripe invoice", "quality assurance", "secrets",
    "how do i deploy terraform to aws in production", "agent-skills", "figma", "xyzzyqwerty", "100%", "o'reilly _",
    "kubernets", "podcast transcript", "lint rust", "github", "dashboard metrics", "production data pipeline",
)  # fmt: skip
_COLUMNS = (
    "id", "owner", "repo", "slug", "repo_url", "repo_key", "skill_path", "name", "name_key", "slug_key", "description",
    "category", "labels", "license", "current_version", "commit_sha", "content_hash", "artifact", "digest", "cert_tier",
    "cert_method", "cert_score", "certified_at", "trust_tier", "trust_score", "has_scripts", "stars", "installs",
    "created_at", "updated_at",
)  # fmt: skip
_PLAIN = """SELECT id, name, description, repo_url, installs FROM plain_skills
WHERE name ILIKE %(q)s OR description ILIKE %(q)s OR repo_url ILIKE %(q)s ORDER BY installs DESC, id LIMIT 20"""


@bench("marketplace")
def marketplace() -> Iterator[Result]:
    with loaded_world() as (made, repositories):
        queries = [*QUERIES, *repositories]
        built = _in_process(made, "build")
        loaded = _in_process(made, "load")
        found = read_index(made.backend)
        assert found is not None
        index = MemoryIndex(found[1])
        with psycopg.connect(made.database_url) as connection:
            plain = _measured(queries, lambda q: connection.execute(_PLAIN, {"q": f"%{_escaped(q)}%"}).fetchall())
        memory = _measured(queries, lambda q: index.search(parse(q), Filters(), limit=LIMIT))
        worked = _measured(queries, lambda q: index.search(parse(q), Filters(), limit=LIMIT), time.process_time)
        catalogue = made.backend.catalogue
        postgres = _measured(queries, lambda q: catalogue.search(parse(q), Filters(), after=None, limit=LIMIT))
        yield _compared("search from memory", memory, plain)
        yield Result("search from memory, CPU", statistics.median(worked), None, None, "ms",
                     f"p95 {_p95(worked):.2f} max {max(worked):.2f} ms; a busy machine adds nothing here")  # fmt: skip
        yield _compared("search from Postgres", postgres, plain)
        yield _first_page(made.backend)
        count = f"{built['count']:,} skills"
        yield Result("rebuild of the index", built["seconds"], None, None, "s", f"{count}, from Postgres to pointer")
        yield Result("rebuild, peak memory", built["peak"], None, None, "MB", f"{built['before']:.0f} MB before it")
        yield Result("loading the index", loaded["seconds"], None, None, "s", "0.15 s of each request until it is done")
        yield Result("a function with the index", loaded["resident"], 512, 512 / loaded["resident"], "MB",
                     f"limit 512 MB; peak while loading {loaded['peak']:.0f} MB")  # fmt: skip


def _first_page(backend: Backend) -> Result:
    times = _times(lambda: get_skills(backend, SkillQuery(limit=50)), 20)
    return Result("the first marketplace page", times[len(times) // 2], None, None, "ms", f"p95 {_p95(times):.1f} ms")


def _compared(name: str, ours: Sequence[float], plain: Sequence[float]) -> Result:
    """Medians over the whole mix of queries."""
    note = (
        f"p50 {statistics.median(ours):.2f} p95 {_p95(ours):.2f} max {max(ours):.2f} ms; "
        f"ILIKE p50 {statistics.median(plain):.1f} p95 {_p95(plain):.1f} ms"
    )
    middle, baseline = statistics.median(ours), statistics.median(plain)
    return Result(name, middle, baseline, baseline / middle, "ms", note)


def _measured(
    queries: Iterable[str], search: Callable[[str], Any], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Milliseconds of each query: the middle of a few tries, after one that warms what there is to warm."""
    middles = []
    for q in queries:
        search(q)
        middles.append(statistics.median(_times(lambda q=q: search(q), ROUNDS, clock)))  # type: ignore[misc]
    return middles


def _times(call: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    spent = []
    for _ in range(rounds):
        started = clock()
        call()
        spent.append((clock() - started) * 1000)
    return sorted(spent)


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


@contextmanager
def loaded_world(skills: int = SKILLS) -> Iterator[tuple[World, list[str]]]:
    """Stores with the made-up skills in them, and a few of their repositories to search for."""
    with running_servers() as servers, world(servers) as made:
        listings = list(made_up_skills(skills))
        with psycopg.connect(made.database_url) as connection:
            with connection.cursor().copy(f"COPY skills ({', '.join(_COLUMNS)}) FROM STDIN") as copy:
                for listing in listings:
                    copy.write_row(_row(listing))
            connection.execute("CREATE TABLE plain_skills AS SELECT * FROM skills")
        with psycopg.connect(made.database_url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE skills, plain_skills")
        some = [listing.repo for listing in listings[:: skills // 6]]
        yield made, [f"{repo.owner}/{repo.repo}" for repo in some[:3]] + [repo.url for repo in some[3:]]


def _row(listing: Listing) -> list[Any]:
    repo = listing.repo
    values = {name: getattr(listing, name) for name in _COLUMNS if hasattr(listing, name)}
    values |= {
        "id": listing.skill_id,
        "owner": repo.owner,
        "repo": repo.repo,
        "repo_key": repo.key,
        "name_key": key(listing.name),
        "slug_key": key(listing.slug),
        "labels": list(listing.labels),
        "current_version": listing.version,
    }
    return [values[name] for name in _COLUMNS]


def _in_process(made: World, what: str) -> dict[str, float]:
    settings, servers = made.settings, made.servers
    environment = os.environ | {
        "DATABASE_URL": made.database_url,
        "TABLE_NAME": settings.table_name,
        "SUBMISSIONS_QUEUE_URL": settings.submissions_queue_url,
        "SUBMISSIONS_DEAD_LETTERS_URL": settings.submissions_dead_letters_url,
        "EXTERNAL_SCANS_QUEUE_URL": settings.external_scans_queue_url,
        "INTERNAL_KEYS": "bench",
        "JWT_SECRETS": SIGNING_KEY,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "AWS_ENDPOINT_URL_DYNAMODB": servers.dynamodb.url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    command = [sys.executable, "-m", "tests.bench.marketplace_process", what]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
