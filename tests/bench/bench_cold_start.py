"""Cold start: what importing each handler costs, against importing boto3 alone.

Stores and clients are made at their first use; what that adds to the first invocation is measured too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.harness import Result, bench
from tests.support.backends import PROJECT
from tests.support.cold_start import FUNCTIONS, compiled_copy, fresh_import, native_layer

ROUNDS = 7
MOST = {"submission_consumer": 2.0, "public_api": 2.5, "admin_api": 2.5, "web_pages": 2.5, "webhook_api": 2.5}
_BOTO3 = "import boto3"
# What a first submission, and a first read of the API, touch; asking for any attribute makes the part.
_FIRST_USE = {
    "submission_consumer": ("store", "live", "queue", "source", "skills", "external_scans"),
    "public_api": ("store", "live", "counters", "catalogue"),
}


@bench("cold-start")
def cold_start() -> Iterator[Result]:
    statements = {"boto3": _BOTO3}
    statements |= {name: f"import {name}.app" for name in FUNCTIONS}
    for name, parts in _FIRST_USE.items():
        statements[f"{name} and its stores"] = (
            f"import {name}.app\nfor part in {parts!r}: getattr(getattr({name}.app._backend, part), 'close', None)"
        )
    best = _quickest(statements)
    baseline = best.pop("boto3")
    for name, seconds in best.items():
        limit = f"; at most {MOST[name]:g}" if name in MOST else ""
        note = f"{seconds / baseline:.2f} times importing boto3{limit}"
        yield Result(f"cold start, {name}", seconds * 1000, baseline * 1000, baseline / seconds, "ms", note)


def _quickest(statements: dict[str, str]) -> dict[str, float]:
    """The quickest of a few imports of each, in turns; noise only ever adds. The first round warms the disk's cache."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        dependencies = native_layer(folder / "dependencies")
        (folder / "code").mkdir()
        ours = compiled_copy(folder / "code", PROJECT / "layers" / "skillgate", PROJECT / "functions")
        path = [dependencies, *ours]
        rounds = [
            {name: fresh_import(text, path).cpu_seconds for name, text in statements.items()} for _ in range(1 + ROUNDS)
        ]
    return {name: min(each[name] for each in rounds[1:]) for name in statements}
