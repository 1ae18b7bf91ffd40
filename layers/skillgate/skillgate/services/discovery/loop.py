"""One run of one source, from its last checkpoint until it is through, full, or cannot go on."""

from __future__ import annotations

from collections.abc import Sequence

from skillgate import context
from skillgate.domain.discovery import Candidate, Outcome, Run, TokenState, Verdict
from skillgate.domain.errors import SkillgateError, StoreUnavailable
from skillgate.ports import Backend, DiscoverySource
from skillgate.services.discovery.candidates import take
from skillgate.services.discovery.run_log import RunLog, ending

SECONDS_FOR_A_SLICE = 15.0
SLICE = 400  # candidates between two looks at the clock


def discover(backend: Backend, source_name: str, *, max_results: int | None = None) -> Run:
    """Runs the source and returns the log. A source that fails ends its own run, with a checkpoint and a reason.

    Raises InvalidInput for a source that is none, and StoreUnavailable if there is nothing to write the log to.
    """
    log = RunLog(backend, source_name, max_results or backend.settings.discovery_max_results)
    source: DiscoverySource | None = None
    try:
        source = backend.discovery_sources.open(source_name)
        outcome = _run(backend, log, source)
    except SkillgateError as error:
        return log.end(ending(error), error.message, _tokens(source))
    except Exception as error:
        log.end(Outcome.CRASHED, type(error).__name__, _tokens(source))
        raise
    return log.end(outcome, tokens=_tokens(source))


def _run(backend: Backend, log: RunLog, source: DiscoverySource) -> Outcome:
    for page in source.pages(log.run.checkpoint):
        log.run.hidden += page.hidden
        log.failed(page.failures)
        if not _take_page(backend, log, page.candidates):
            return Outcome.CAPPED  # the page is not through: the next run begins with it again
        log.save(page.checkpoint)
        if log.room <= 0:
            return Outcome.CAPPED
    return Outcome.COMPLETED


def _take_page(backend: Backend, log: RunLog, candidates: Sequence[Candidate]) -> bool:
    """Whether all of them were taken. Raises what kept a batch from being dealt with; it is tried again then."""
    rest = list(candidates)
    while rest:
        if log.room <= 0:
            return False
        _require_time()
        taken, trouble = take(backend, rest, source=log.run.source, at_most=min(log.room, SLICE))
        log.took(taken)
        if trouble is not None:
            raise trouble
        if any(verdict is Verdict.ERROR for _, verdict in taken):
            raise StoreUnavailable("Some submissions were not taken.")
        rest = [candidate for candidate, verdict in taken if verdict is Verdict.LEFT]
    return True


def _require_time() -> None:
    environment = context.current_or_none()
    if environment is not None:
        environment.require(SECONDS_FOR_A_SLICE, "more candidates")


def _tokens(source: DiscoverySource | None) -> Sequence[TokenState]:
    return source.tokens() if source else ()
