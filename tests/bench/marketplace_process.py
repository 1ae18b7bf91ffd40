"""`python -m tests.bench.marketplace_process load|build`: one function's work in a process of its own, and its memory.

Settings come from the environment, as a function's do. Prints JSON with the seconds and the megabytes it took.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from public_api.routes import build_api
from skillgate import bootstrap
from skillgate.services.published_index import build_index
from skillgate.services.search import Search, search_skills

MEGABYTE = 1024 * 1024


def main(what: str) -> None:
    backend = bootstrap.build(bootstrap.settings_from_environment())
    build_api(backend)
    before = _resident()
    started = time.perf_counter()
    if what == "build":
        count = build_index(backend, full=True).count
    else:
        while (warm := backend.warm.get()) is None:
            pass
        count = len(warm.index)
    seconds = time.perf_counter() - started
    if what == "load":
        for q in ("terraform", "terrafrom", "skills", "review code with careful data"):
            search_skills(backend, Search(q))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "count": count, "before": before, "resident": _resident(), "peak": peak}))
    backend.close()


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MEGABYTE


if __name__ == "__main__":
    main(sys.argv[1])
