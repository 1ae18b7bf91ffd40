"""Finding what got stuck, was never sent, or is in one store and not in the other, and setting it right.

It reads what needs attention through sparse indexes, side by side, and so costs what is stuck, not what exists. Every
repair is a conditional write: of two sweepers at once, one does it and the other passes by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from skillgate.concurrency import settle, together
from skillgate.domain.errors import Conflict, DuplicateSubmission, PermanentFailure, SkillgateError, StoreUnavailable
from skillgate.domain.submission import Reason, State, Submission
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.services import publish
from skillgate.services.controls import paused
from skillgate.services.external_scans import outbox
from skillgate.services.transition import load, update_state

ACTOR = "sweeper"
LIMIT = 1000  # of each kind in one sweep; what is left is found by the next
_WORKERS = 8
# A submission that waits its turn behind others is not stuck; only long after is its message taken to be lost.
_PATIENCE_WITH_BACKLOG = 10


@dataclass
class Report:
    """What one sweep did. `skipped` are items that were listed and could not be read, `errors` repairs that failed."""

    replayed: int = 0
    skills_replayed: int = 0
    copies_repaired: int = 0
    unsent_sent: int = 0
    resent: int = 0
    given_up: int = 0
    external_scans_sent: int = 0
    external_scans_timed_out: int = 0
    external_scans_again: int = 0
    skipped: int = 0
    errors: int = 0
    degraded: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def sweep(backend: Backend) -> Report:
    report = Report()
    steps: list[Callable[[Backend, Report], None]] = [_replay_skills, _replay_submissions, _send_unsent, _resend_stuck]
    steps += [_external_scans]
    for step in steps:
        try:
            step(backend, report)
        except SkillgateError as error:  # the other steps do not depend on this one
            logger.warning("sweep_step_failed", step=step.__name__, error=error.message)
            report.degraded.append(f"{step.__name__.strip('_')}: {error.message}")
    logger.info("swept", **report.as_dict())
    return report


def stuck(backend: Backend, limit: int = LIMIT) -> tuple[list[Submission], int]:
    """What is in flight, idle for too long and held by nobody, in either store; and how many could not be read."""
    now = backend.now()
    idle_since = now - timedelta(seconds=backend.settings.stuck_after_seconds)
    durable, live = together(
        lambda: {s.id: s for s in backend.store.stuck(idle_since=idle_since, now=now, limit=limit)},
        lambda: backend.live.in_flight_before(idle_since, limit),
    )
    if not durable.ok and not live.ok:
        raise StoreUnavailable("Neither store can be read.", retry_after=30) from durable.error
    ids: set[str] = set()
    skipped = 0
    if durable.ok:
        ids |= set(durable.unwrap())
    if live.ok:
        found = live.unwrap()
        ids |= set(found.submissions)
        skipped = found.skipped
    newest = load(backend, sorted(ids)) if ids else {}
    if durable.ok and live.ok:
        _repair_copies(backend, newest)
    idle = [s for s in newest.values() if s.in_flight and s.updated_at < idle_since and not s.leased(now)]
    return sorted(idle, key=lambda s: s.updated_at), skipped


def _repair_copies(backend: Backend, newest: dict[str, Submission]) -> None:
    """Where the stores disagree about something that looks stuck, the newer copy is written over the older."""
    ahead = [submission for submission in newest.values() if submission.pending]
    settle(lambda s: _replay(backend, s), ahead, workers=_WORKERS)
    ended = [submission for submission in newest.values() if not submission.pending and not submission.in_flight]
    settle(backend.live.overwrite, ended, workers=_WORKERS)


def _resend_stuck(backend: Backend, report: Report) -> None:
    found, report.skipped = stuck(backend)
    if not found or paused(backend):
        return
    backlog = backend.queue.depth()["visible"] > 0
    patience = timedelta(seconds=backend.settings.stuck_after_seconds * (_PATIENCE_WITH_BACKLOG if backlog else 1))
    lost = [s for s in found if s.state is not State.RECEIVED or s.updated_at < backend.now() - patience]
    for outcome in settle(lambda s: _resend(backend, s), lost, workers=_WORKERS):
        if outcome.ok:
            report.resent += outcome.value == "resent"
            report.given_up += outcome.value == "given_up"
        elif not isinstance(outcome.error, Conflict):
            report.errors += 1
            logger.warning("resend_failed", error=str(outcome.error))


def _resend(backend: Backend, submission: Submission) -> str:
    if submission.sweeps >= backend.settings.max_sweeps:
        message = f"It got stuck in {submission.state} and did not move after {submission.sweeps} tries to restart it."
        update_state(backend, submission, State.REJECTED, actor=ACTOR, reason=Reason("processing_failed", message))
        return "given_up"
    update_state(
        backend, submission, submission.state, actor=ACTOR, sweeps=submission.sweeps + 1, lease_until=None,
        detail={"resent": submission.sweeps + 1},
    )  # fmt: skip
    backend.queue.send([submission.id])
    return "resent"


def _send_unsent(backend: Backend, report: Report) -> None:
    """The outbox: what was accepted and never reached the queue."""
    if paused(backend):
        return
    before = backend.now() - timedelta(seconds=backend.settings.unsent_after_seconds)
    ids = [submission.id for submission in backend.store.unsent(created_before=before, limit=LIMIT)]
    if not ids:
        return
    sent = backend.queue.send(ids).sent
    if sent:
        backend.store.mark_sent(sent, backend.now())
    report.unsent_sent += len(sent)


def _replay_submissions(backend: Backend, report: Report) -> None:
    found = backend.live.unsynced(LIMIT)
    report.skipped += found.skipped
    outcomes = settle(lambda s: _replay(backend, s), found.submissions.values(), workers=_WORKERS)
    report.replayed += sum(outcome.ok for outcome in outcomes)
    _count_errors(report, [outcome.error for outcome in outcomes if outcome.error])


def _replay(backend: Backend, submission: Submission) -> None:
    """Writes to Postgres what only DynamoDB has; where Postgres is as new, it is the truth and is copied back."""
    try:
        replayed = backend.store.replay(submission)
    except DuplicateSubmission:
        submission = _withdraw_duplicate(backend, submission)
        replayed = backend.store.replay(submission)
    if replayed:
        backend.live.overwrite(replace(submission, pending=()))
        return
    row = backend.store.get_many([submission.id])[submission.id]
    backend.live.overwrite(row)


def _withdraw_duplicate(backend: Backend, submission: Submission) -> Submission:
    """Two were accepted for one skill while the stores could not be compared: the one that Postgres has goes on."""
    reason = Reason("duplicate_submission", "Another submission of this skill was accepted at the same time.")
    after, event = submission.moved(State.DEQUEUED, at=backend.now(), actor=ACTOR, reason=reason)
    return replace(after, pending=(*submission.pending, event))


def _replay_skills(backend: Backend, report: Report) -> None:
    outcomes = settle(
        lambda skill: publish.replay(backend, skill), backend.live.unsynced_skills(LIMIT), workers=_WORKERS
    )
    report.skills_replayed += sum(outcome.ok for outcome in outcomes)
    _count_errors(report, [outcome.error for outcome in outcomes if outcome.error])


def _external_scans(backend: Backend, report: Report) -> None:
    swept = outbox.sweep(backend)
    report.external_scans_sent = swept.sent
    report.external_scans_timed_out = swept.timed_out
    report.external_scans_again = swept.dispatched_again


def _count_errors(report: Report, errors: list[Exception]) -> None:
    for error in errors:
        logger.warning("replay_failed", error=str(error), permanent=isinstance(error, PermanentFailure))
    report.errors += len(errors)
