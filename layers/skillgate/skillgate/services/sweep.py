"""Finding what got stuck, was never sent, or is in one store and not in the other, and setting it right.

It reads what needs attention through sparse indexes, side by side, and so costs what is stuck, not what exists. Every
repair is a conditional write: of two sweepers at once, one does it and the other passes by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from skillgate.concurrency import settle, together
from skillgate.domain.errors import Conflict, SkillgateError, StoreUnavailable
from skillgate.domain.submission import IN_FLIGHT, Reason, State, Submission
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend, Found
from skillgate.services import catch_up, outbox
from skillgate.services.controls import paused
from skillgate.services.external_scans.outbox import sweep as sweep_external_scans
from skillgate.services.transition import load_known, update_state

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


@dataclass(frozen=True)
class Suspects:
    """The newest copy of everything that either store lists as idle, and how many of those could not be read."""

    newest: Sequence[Submission]
    skipped: int
    comparable: bool  # both stores answered


def sweep(backend: Backend) -> Report:
    report = Report()
    steps: list[Callable[[Backend, Report], None]] = [
        _replay_skills, _replay_submissions, _write_copies, _send_unsent, _resend_stuck, _external_scans,
    ]  # fmt: skip
    for step in steps:
        try:
            step(backend, report)
        except SkillgateError as error:  # the other steps do not depend on this one
            logger.warning("sweep_step_failed", step=step.__name__, error=error.message)
            report.degraded.append(f"{step.__name__.strip('_')}: {error.message}")
    logger.info("swept", **report.as_dict())
    _measure(backend, report)
    return report


def _measure(backend: Backend, report: Report) -> None:
    """Reports also when all is well: an alarm on the oldest in flight takes silence for trouble."""
    repairs = report.replayed + report.skills_replayed + report.copies_repaired + report.unsent_sent + report.resent
    measure(Measure.SWEEPER_REPAIRS, repairs)
    measure(Measure.GIVEN_UP, report.given_up)
    try:
        statistics = backend.store.statistics(backend.now())
    except StoreUnavailable as error:
        logger.warning("statistics_unavailable", error=error.message)
        return
    oldest = statistics.oldest_in_flight
    measure(Measure.OLDEST_IN_FLIGHT_SECONDS, (statistics.as_of - oldest).total_seconds() if oldest else 0)
    measure(Measure.IN_FLIGHT, sum(statistics.states[state] for state in IN_FLIGHT))


def stuck(backend: Backend, limit: int = LIMIT) -> tuple[list[Submission], int]:
    """What is in flight, idle for too long and held by nobody, in either store; and how many could not be read."""
    suspects = _suspects(backend, limit)
    return _idle(backend, suspects), suspects.skipped


def _suspects(backend: Backend, limit: int) -> Suspects:
    now = backend.now()
    idle_since = now - timedelta(seconds=backend.settings.stuck_after_seconds)
    durable, live = together(
        lambda: {s.id: s for s in backend.store.stuck(idle_since=idle_since, now=now, limit=limit)},
        lambda: backend.live.in_flight_before(idle_since, limit),
    )
    if not durable.ok and not live.ok:
        raise StoreUnavailable("Neither store can be read.", retry_after=30) from durable.error
    ids = set(durable.unwrap()) if durable.ok else set()
    found = live.unwrap() if live.ok else Found({})
    if not durable.ok:  # what only DynamoDB has is listed apart, and nobody else looks after it now
        waiting = backend.live.unsynced(limit)
        found = Found({**found.submissions, **waiting.submissions}, found.skipped + waiting.skipped)
    ids |= set(found.submissions)
    newest = load_known(backend, sorted(ids)) if ids else {}
    return Suspects(list(newest.values()), found.skipped, durable.ok and live.ok)


def _idle(backend: Backend, suspects: Suspects) -> list[Submission]:
    now = backend.now()
    idle_since = now - timedelta(seconds=backend.settings.stuck_after_seconds)
    idle = [s for s in suspects.newest if s.in_flight and s.updated_at < idle_since and not s.leased(now)]
    return sorted(idle, key=lambda s: s.updated_at)


def _resend_stuck(backend: Backend, report: Report) -> None:
    suspects = _suspects(backend, LIMIT)
    report.skipped += suspects.skipped
    if suspects.comparable:
        repaired, errors = catch_up.align(backend, suspects.newest)
        report.copies_repaired += repaired
        report.errors += errors
    found = _idle(backend, suspects)
    if not found or paused(backend):
        return
    depth = backend.queue.depth()  # fails while SQS is away: a restart that cannot be sent is not one of the three
    backlog = depth["visible"] + depth["delayed"] > 0
    patience = timedelta(seconds=backend.settings.stuck_after_seconds * (_PATIENCE_WITH_BACKLOG if backlog else 1))
    lost = [s for s in found if s.state is not State.RECEIVED or s.updated_at < backend.now() - patience]
    _restart(backend, [s for s in lost if s.sweeps < backend.settings.max_sweeps], report)
    _give_up(backend, [s for s in lost if s.sweeps >= backend.settings.max_sweeps], report)


def _restart(backend: Backend, lost: Sequence[Submission], report: Report) -> None:
    """Sends first and counts second: nothing is given up for a restart that was never sent.

    The other way round, a sweeper that dies in between, or a queue that is away, would use the restarts up. Two
    sweepers at once send twice, which the consumer does not mind, and count once.
    """
    sent = set(outbox.send(backend, [submission.id for submission in lost]).sent)
    report.resent += len(sent)

    def count(submission: Submission) -> Submission:
        sweeps = submission.sweeps + 1
        return update_state(
            backend, submission, submission.state, actor=ACTOR, sweeps=sweeps, lease_until=None,
            detail={"resent": sweeps},
        )  # fmt: skip

    _moved(count, [submission for submission in lost if submission.id in sent], report)


def _give_up(backend: Backend, lost: Sequence[Submission], report: Report) -> None:
    def end(submission: Submission) -> Submission:
        message = f"It got stuck in {submission.state} and did not move after {submission.sweeps} tries to restart it."
        return update_state(
            backend, submission, State.REJECTED, actor=ACTOR, reason=Reason("processing_failed", message)
        )

    report.given_up += len(_moved(end, lost, report))


def _moved(
    move: Callable[[Submission], Submission], submissions: Sequence[Submission], report: Report
) -> list[Submission]:
    """Those that moved. A Conflict is no error: somebody else was quicker, which is just as good."""
    moved: list[Submission] = []
    for outcome in settle(move, submissions, workers=_WORKERS):
        if outcome.ok:
            moved.append(outcome.unwrap())
        elif not isinstance(outcome.error, Conflict):
            report.errors += 1
            logger.warning("restart_failed", error=str(outcome.error))
    return moved


def _send_unsent(backend: Backend, report: Report) -> None:
    """The outbox: what was accepted and never reached the queue."""
    if paused(backend):
        return
    before = backend.now() - timedelta(seconds=backend.settings.unsent_after_seconds)
    ids = [submission.id for submission in backend.store.unsent(created_before=before, limit=LIMIT)]
    report.unsent_sent += len(outbox.send(backend, ids).sent)


def _replay_skills(backend: Backend, report: Report) -> None:
    replayed, errors = catch_up.replay_skills(backend, LIMIT)
    report.skills_replayed += replayed
    report.errors += errors


def _replay_submissions(backend: Backend, report: Report) -> None:
    found = backend.live.unsynced(LIMIT)
    report.skipped += found.skipped
    replayed, errors = catch_up.replay_all(backend, list(found.submissions.values()))
    report.replayed += replayed
    report.errors += errors


def _write_copies(backend: Backend, report: Report) -> None:
    report.copies_repaired += catch_up.write_copies(backend, LIMIT)


def _external_scans(backend: Backend, report: Report) -> None:
    swept = sweep_external_scans(backend)
    report.external_scans_sent = swept.sent
    report.external_scans_timed_out = swept.timed_out
    report.external_scans_again = swept.dispatched_again
