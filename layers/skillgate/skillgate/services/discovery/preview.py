"""What a run would enqueue, without writing anything: small, and in the time of one request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from skillgate import context
from skillgate.concurrency import settle
from skillgate.domain.discovery import Candidate, LookFailure, TokenState
from skillgate.domain.errors import SkillgateError
from skillgate.ports import Backend, DiscoverySource
from skillgate.services.discovery.candidates import again_since

SECONDS = 22.0
MOST = 100


@dataclass(frozen=True)
class Preview:
    """`new` and `known` are what was looked at until `new` was enough; `error` is why it ended before."""

    source: str
    new: Sequence[Candidate] = ()
    known: int = 0
    failures: Sequence[LookFailure] = ()
    tokens: Sequence[TokenState] = ()
    error: SkillgateError | None = None


def preview(backend: Backend, sources: Sequence[str], *, max_results: int) -> list[Preview]:
    """One answer for each source, side by side, each failing alone. They begin at the beginning."""
    limited = replace(context.current(), deadline=time.monotonic() + SECONDS)
    wanted = min(max_results, MOST)

    def look(name: str) -> Preview:
        return context.run_with_context(limited, lambda: _preview(backend, name, wanted))

    return [outcome.unwrap() for outcome in settle(look, sources, workers=len(sources))]


def _preview(backend: Backend, name: str, wanted: int) -> Preview:
    new: dict[tuple[str, str], Candidate] = {}
    known, failures = 0, list[LookFailure]()
    source: DiscoverySource | None = None
    error: SkillgateError | None = None
    try:
        source = backend.discovery_sources.open(name)
        for page in source.pages(None):
            failures += page.failures
            discovered = backend.discoveries.has_been_discovered(page.candidates, again_since=again_since(backend))
            known += sum(candidate.key in discovered for candidate in page.candidates)
            new |= {candidate.key: candidate for candidate in page.candidates if candidate.key not in discovered}
            if len(new) >= wanted:
                break
    except SkillgateError as why:
        error = why
    return Preview(name, list(new.values())[:wanted], known, failures, source.tokens() if source else (), error)
