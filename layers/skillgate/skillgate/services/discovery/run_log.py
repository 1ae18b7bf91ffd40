"""What a run writes down: counts, a row for each repository, where it got to and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from skillgate.domain.discovery import Candidate, LookFailure, Outcome, RepositoryRow, Run, TokenState, Verdict
from skillgate.domain.errors import (
    InvalidInput,
    NotConfigured,
    NoTokenLeft,
    OutOfTime,
    SkillgateError,
    SourceUnavailable,
    StoreUnavailable,
)
from skillgate.domain.ids import new_id
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend

KEEP_RUNS = timedelta(days=90)
_CORE = "core"  # the budget that all but searching is paid from
_ENDINGS: tuple[tuple[type[SkillgateError], Outcome], ...] = (
    (NoTokenLeft, Outcome.NO_TOKEN_LEFT),
    (OutOfTime, Outcome.OUT_OF_TIME),
    (SourceUnavailable, Outcome.SOURCE_UNAVAILABLE),
    (NotConfigured, Outcome.NOT_CONFIGURED),
    (InvalidInput, Outcome.NOT_CONFIGURED),  # an address in the settings that is none
    (StoreUnavailable, Outcome.STORE_UNAVAILABLE),
)


class RunLog:
    """The log of one run as it goes. What is not saved yet is lost with the run, and found again by the next."""

    def __init__(self, backend: Backend, source: str, max_results: int) -> None:
        """Raises StoreUnavailable: without the log nothing is done."""
        now = backend.now()
        self._backend = backend
        self._unsaved: dict[str, RepositoryRow] = {}
        self.run = Run(new_id(), source, now, max_results)
        self.run.checkpoint = backend.discoveries.begin(self.run, forget_before=now - KEEP_RUNS)

    @property
    def room(self) -> int:
        """How many more the run may enqueue."""
        return self.run.max_results - self.run.counts.enqueued

    def took(self, taken: Iterable[tuple[Candidate, Verdict]]) -> None:
        for candidate, verdict in taken:
            if verdict is not Verdict.LEFT:
                self._count(candidate.repo.key, candidate.repo.url, verdict)

    def failed(self, failures: Iterable[LookFailure]) -> None:
        for failure in failures:
            key = failure.where.removeprefix("https://github.com/").lower()
            self._count(key, failure.where, Verdict.ERROR).error = f"{failure.code}: {failure.message}"

    def save(self, checkpoint: Mapping[str, Any] | None) -> None:
        """Everything up to here is dealt with: the next run goes on from this checkpoint."""
        self.run.checkpoint = checkpoint
        self._backend.discoveries.save(self.run, self._unsaved)
        self._unsaved = {}

    def end(self, outcome: Outcome, message: str | None = None, tokens: Sequence[TokenState] = ()) -> Run:
        run = self.run
        run.outcome, run.message, run.tokens, run.ended_at = outcome, message, tokens, self._backend.now()
        try:
            self.save(None if outcome is Outcome.COMPLETED else run.checkpoint)
        except StoreUnavailable as error:  # the log shows a run that was cut, with the checkpoint it had
            logger.warning("discovery_run_not_saved", run_id=run.id, error=error.message)
        logger.info("discovery_run_ended", run_id=run.id, source=run.source, outcome=outcome, **vars(run.counts))
        _measure(run)
        return run

    def _count(self, key: str, repo_url: str, verdict: Verdict) -> RepositoryRow:
        row = self._unsaved.setdefault(key, RepositoryRow(repo_url))
        row.counts.add(verdict)
        self.run.counts.add(verdict)
        return row


def _measure(run: Run) -> None:
    """Also when nothing was found: a source that falls silent shows as a line at zero."""
    measure(Measure.DISCOVERY_CANDIDATES, run.counts.candidates)
    measure(Measure.DISCOVERY_ENQUEUED, run.counts.enqueued)
    measure(Measure.DISCOVERY_ERRORS, run.counts.errors)
    left = [state.remaining for state in run.tokens if state.resource == _CORE and state.remaining is not None]
    if left:
        measure(Measure.DISCOVERY_QUOTA_LEFT, sum(left))


def ending(error: SkillgateError) -> Outcome:
    """How a run ends that could not go on."""
    return next((outcome for kind, outcome in _ENDINGS if isinstance(error, kind)), Outcome.SOURCE_UNAVAILABLE)
