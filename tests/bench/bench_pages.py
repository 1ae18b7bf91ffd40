"""The marketplace and a skill at 120,000 skills, rendered by a warm function, and what a first visit weighs."""

from __future__ import annotations

import base64
import gzip
import re
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from skillgate.domain.skill import Published
from skillgate.services.marketplace import load_index
from skillgate.services.published_index import build_index
from web_pages.pages import build_pages
from web_pages.site import Site

from tests.bench.bench_marketplace import SKILLS, loaded_world
from tests.bench.harness import Result, bench

CALLS = 60
MOST_BYTES = 150_000
_SKILL = "acme-labs/handbook/pdf"
_STEP = "## Step\nRead *this* and `that`, then [go on](x.md).\n"
_CONTENT = "---\nname: pdf\ndescription: Reads PDF files.\n---\n" + _STEP * 120
_LINKED = re.compile(r'(?:href|src)="(/static/[^"]+)"')
_ELSEWHERE = re.compile(r'<(?:script|link rel="stylesheet"|img|iframe)[^>]+(?:src|href)="(?:https?:)?//')


@bench("pages")
def pages() -> Iterator[Result]:
    with loaded_world() as (made, _):
        made.backend.skills.publish(_handbook())
        build_index(made.backend)
        load_index(made.backend)
        site = build_pages(made.backend)
        for name, path, query in (
            ("marketplace, first page", "/", ""),
            ("marketplace, a search", "/", "q=terraform+deploy"),
            ("marketplace, filtered", "/", "category=devops&scripts=yes&tab=updated"),
            ("a skill's page", f"/skills/{_SKILL}", ""),
        ):
            times = sorted(_timed(site, path, query) for _ in range(CALLS))
            p50, p95 = statistics.median(times), times[int(CALLS * 0.95)]
            yield Result(name, p50, None, None, "ms", f"p95 {p95:.1f} ms with {SKILLS:,} skills, warm")
        yield _weight(site)


def _weight(site: Site) -> Result:
    """Everything that a first visit fetches, as it travels."""
    answer = _ask(site, "/", "")
    html = _text(answer)
    assert not _ELSEWHERE.search(html), "a page must not wait for another site"
    linked = {url: _ask(site, url, "") for url in dict.fromkeys(_LINKED.findall(html))}
    total = _bytes(answer) + sum(_bytes(each) for each in linked.values())
    note = f"HTML {len(html.encode()) / 1000:.0f} kB ({_bytes(answer) / 1000:.0f} kB compressed), {len(linked)} files"
    return Result("marketplace, page weight", total / 1000, MOST_BYTES / 1000, MOST_BYTES / total, "kB", note)


def _timed(site: Site, path: str, query: str) -> float:
    started = time.perf_counter()
    answer = _ask(site, path, query)
    spent = (time.perf_counter() - started) * 1000
    assert answer["statusCode"] == 200, answer
    return spent


def _ask(site: Site, path: str, query: str) -> dict[str, Any]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": "bench.example", "accept-encoding": "gzip"},
        "requestContext": {
            "domainName": "bench.example",
            "stage": "$default",
            "http": {"method": "GET", "path": path, "sourceIp": "203.0.113.7"},
        },
    }
    return site.handle(event, SimpleNamespace(aws_request_id="bench"))  # type: ignore[arg-type]


def _bytes(answer: dict[str, Any]) -> int:
    body = answer["body"]
    return len(base64.b64decode(body)) if answer.get("isBase64Encoded") else len(body.encode())


def _text(answer: dict[str, Any]) -> str:
    return gzip.decompress(base64.b64decode(answer["body"])).decode()


def _handbook() -> Published:
    return Published(
        skill_id=_SKILL,
        repo_url="https://github.com/acme-labs/handbook",
        skill_path="skills/pdf/SKILL.md",
        name="pdf",
        description="Reads PDF files and says what is in them.",
        version="1.0.0",
        commit_sha="a" * 40,
        content_hash="b" * 64,
        submission_id="01890000-0000-7000-8000-000000000000",
        cert_tier="VERIFIED",
        cert_method="tier1",
        cert_score=98,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        content=_CONTENT,
        files=[{"path": f"skills/pdf/{n}.md", "size": 100, "sha256": "c" * 64} for n in range(40)],
        report={"findings": [], "capabilities": {"declared": [], "observed": []}},
    )
