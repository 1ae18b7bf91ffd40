"""Starting runs: an event of the discovery function is one run, and a request is one event for each source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillgate.concurrency import settle
from skillgate.domain.discovery import PUBLISHED, SOURCES, Run
from skillgate.domain.errors import InvalidInput, SkillgateError
from skillgate.ports import Backend
from skillgate.services.discovery.loop import discover
from skillgate.services.discovery.recheck import recheck

RUNNABLE = (*SOURCES, PUBLISHED)
MOST_RESULTS = 100_000


def run_event(backend: Backend, event: Mapping[str, Any]) -> dict[str, Any]:
    """Runs what `{"source": …, "maxResults": …}` asks for. Raises InvalidInput for anything else."""
    source, max_results = event.get("source"), event.get("maxResults")
    if source not in RUNNABLE:
        raise InvalidInput(f"An event names one source of: {', '.join(RUNNABLE)}.", code="unknown_source")
    if max_results is not None and not (type(max_results) is int and 1 <= max_results <= MOST_RESULTS):
        raise InvalidInput(f"maxResults is a number from 1 to {MOST_RESULTS:,}.", code="invalid_input")
    if source == PUBLISHED:
        return _answer(recheck(backend, max_results=max_results))
    return _answer(discover(backend, source, max_results=max_results))


def dispatch(backend: Backend, sources: Sequence[str], max_results: int | None) -> dict[str, SkillgateError | None]:
    """Starts one invocation for each source, side by side; says for each whether it could be. Each fails alone."""

    def start(source: str) -> None:
        event = {"source": source} | ({} if max_results is None else {"maxResults": max_results})
        backend.discovery_dispatcher.dispatch(event)

    started: dict[str, SkillgateError | None] = {}
    for source, outcome in zip(sources, settle(start, sources, workers=len(sources)), strict=True):
        if outcome.error is not None and not isinstance(outcome.error, SkillgateError):
            outcome.unwrap()
        started[source] = outcome.error if isinstance(outcome.error, SkillgateError) else None
    return started


def _answer(run: Run) -> dict[str, Any]:
    return {
        "runId": run.id,
        "source": run.source,
        "outcome": run.outcome,
        "message": run.message,
        "candidates": run.counts.candidates,
        "enqueued": run.counts.enqueued,
        "skippedDedup": run.counts.skipped_dedup,
        "skippedBlocked": run.counts.skipped_blocked,
        "errors": run.counts.errors,
        "hidden": run.hidden,
    }
