"""Candidates in batches, side by side: one query says what is new of a batch, which is submitted and marked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from skillgate.concurrency import chunks, settle
from skillgate.domain.discovery import Candidate, Mark, Verdict
from skillgate.domain.errors import SkillgateError
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.services import submit
from skillgate.services.submit import Answer, Request

BATCH = 20
_MOST_WORKERS = 4
VERDICTS = {
    submit.Outcome.CREATED: Verdict.ENQUEUED,
    submit.Outcome.DUPLICATE: Verdict.KNOWN,
    submit.Outcome.ALREADY_PUBLISHED: Verdict.KNOWN,
    submit.Outcome.BLOCKED: Verdict.BLOCKED,
    submit.Outcome.FAILED: Verdict.ERROR,
}


def again_since(backend: Backend) -> datetime:
    """What was submitted after this is not submitted again, unless its commit moved."""
    return backend.now() - timedelta(days=backend.settings.discovery_again_after_days)


def take(
    backend: Backend, candidates: Sequence[Candidate], *, source: str, at_most: int
) -> tuple[list[tuple[Candidate, Verdict]], SkillgateError | None]:
    """What became of each candidate, and the error of a batch that could not be dealt with, if there was one.

    At most `at_most` are enqueued: the candidates are cut to that many, or else to a single batch of which only so
    many are taken. Whoever is cut off is `LEFT`.
    """
    cut = max(at_most, BATCH)
    parts = chunks(candidates[:cut], BATCH)
    # A batch holds one connection while it submits over another.
    workers = max(1, min(_MOST_WORKERS, backend.settings.database_pool_size // 2))
    outcomes = settle(lambda part: _take_batch(backend, part, source, at_most), parts, workers=workers)
    taken: list[tuple[Candidate, Verdict]] = []
    trouble: SkillgateError | None = None
    for part, outcome in zip(parts, outcomes, strict=True):
        if isinstance(outcome.error, SkillgateError):
            logger.warning("discovery_batch_failed", source=source, error=outcome.error.message)
            trouble = trouble or outcome.error
            taken += [(candidate, Verdict.ERROR) for candidate in part]
        else:
            taken += zip(part, outcome.unwrap(), strict=True)
    return taken + [(candidate, Verdict.LEFT) for candidate in candidates[cut:]], trouble


def _take_batch(backend: Backend, batch: Sequence[Candidate], source: str, at_most: int) -> list[Verdict]:
    """Raises StoreUnavailable if it cannot be told what is new; then nothing of the batch is marked.

    A batch that dies after submitting leaves open submissions, which the next try finds as duplicates.
    """
    at, since = backend.now(), again_since(backend)
    with backend.discoveries.exclusively(batch, source=source, at=at, again_since=since) as held:
        known = held.has_been_discovered()
        new = [index for index, candidate in enumerate(batch) if candidate.key not in known][:at_most]
        requests = [Request(batch[i].repo, batch[i].skill_path, source=f"discovery-{source}") for i in new]
        created = submit.create_submissions_batch(backend, requests) if requests else []
        answers = dict(zip(new, created, strict=True))
        verdicts = [_verdict(answers.get(i), is_known=c.key in known) for i, c in enumerate(batch)]
        dealt_with = [i for i, verdict in enumerate(verdicts) if verdict not in (Verdict.LEFT, Verdict.ERROR)]
        held.mark_discovered([_mark(batch[i], answers.get(i)) for i in dealt_with])
    return verdicts


def _verdict(answer: Answer | None, *, is_known: bool) -> Verdict:
    if is_known:
        return Verdict.KNOWN
    return Verdict.LEFT if answer is None else VERDICTS[answer.outcome]


def _mark(candidate: Candidate, answer: Answer | None) -> Mark:
    """What is on the blocklist is not settled: it is looked up there each time, as the list may change."""
    submission = answer.submission if answer else None
    settled = answer is not None and answer.outcome is not submit.Outcome.BLOCKED
    return Mark(candidate, settled, submission.id if submission else None)
