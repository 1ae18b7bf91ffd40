"""What operators do to the queue. Every action has a reason, and every action is in the audit log.

The log is asked for before anything is done: while it is out of reach, operators can look but not act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from skillgate.concurrency import settle
from skillgate.domain.errors import Conflict, NotFound, SkillgateError
from skillgate.domain.submission import OPEN, Reason, State, Submission
from skillgate.ports import Backend, DeadLetter, Statistics
from skillgate.services import controls, outbox
from skillgate.services.sweep import stuck
from skillgate.services.transition import load, update_state

_WORKERS = 8


@dataclass(frozen=True)
class Operator:
    """Who acts, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Acted:
    """What became of one submission that an operator acted on."""

    submission_id: str
    state: State | None
    error: SkillgateError | None = None


def stuck_submissions(backend: Backend, limit: int) -> tuple[list[Submission], int]:
    found, skipped = stuck(backend, limit)
    return found[:limit], skipped


def requeue(backend: Backend, ids: Sequence[str], operator: Operator) -> list[Acted]:
    """Sends open submissions again, and starts ended ones (not published ones) over."""

    def again(submission: Submission) -> Submission:
        to = submission.state if submission.state in OPEN else State.RECEIVED
        if submission.state is State.NEEDS_REVIEW:
            raise Conflict("It waits for a decision; approve or reject it.", code="needs_decision")
        fresh = {"attempt": 0, "sweeps": 0, "lease_until": None}
        if to is not submission.state:
            fresh |= {"commit_sha": None, "content_hash": None, "score": None}
        return _move(backend, submission, to, operator, "requeued_by_operator", **fresh)

    acted = _act(backend, ids, operator, "requeue", again)
    outbox.send(backend, [each.submission_id for each in acted if each.error is None])
    return acted


def requeue_all_stuck(backend: Backend, operator: Operator, limit: int) -> list[Acted]:
    found, _ = stuck(backend, limit)
    return requeue(backend, [submission.id for submission in found], operator) if found else []


def dequeue(backend: Backend, ids: Sequence[str], operator: Operator) -> list[Acted]:
    """Takes open submissions out of the queue; not one that is being published at this moment."""

    def out(submission: Submission) -> Submission:
        if submission.state is State.AUTO_APPROVED and submission.leased(backend.now()):
            raise Conflict("It is being published right now.", code="being_published")
        return _move(backend, submission, State.DEQUEUED, operator, "dequeued_by_operator")

    return _act(backend, ids, operator, "dequeue", out)


def decide(backend: Backend, ids: Sequence[str], operator: Operator, *, approve: bool) -> list[Acted]:
    """Approves or rejects what waits in review. What is approved goes on to be published."""

    def decided(submission: Submission) -> Submission:
        if submission.state is not State.NEEDS_REVIEW:
            raise Conflict(f"It is {submission.state}, not in review.", code="not_in_review")
        if approve:
            return _move(backend, submission, State.AUTO_APPROVED, operator, "approved_by_operator", attempt=0)
        return _move(backend, submission, State.REJECTED, operator, "rejected_by_operator")

    acted = _act(backend, ids, operator, "approve" if approve else "reject", decided)
    if approve:
        outbox.send(backend, [each.submission_id for each in acted if each.error is None])
    return acted


def pause(backend: Backend, operator: Operator, *, on: bool) -> None:
    _require_audit_log(backend)
    controls.set_paused(backend, on, actor=operator.name, reason=operator.reason)
    _record(backend, operator, "pause" if on else "resume", ["queue"])


def dead_letters(backend: Backend, limit: int) -> Sequence[DeadLetter]:
    return backend.queue.dead_letters(limit)


def redrive(backend: Backend, operator: Operator) -> str:
    """Sends every dead letter back to the queue. Returns the handle of the move."""
    _require_audit_log(backend)
    handle = backend.queue.redrive()
    _record(backend, operator, "redrive", ["dead-letters"], {"task": handle})
    return handle


def discard(backend: Backend, receipt_handles: Sequence[str], operator: Operator) -> int:
    """Deletes dead letters that were looked at. Their submissions stay, and the sweeper still sees them."""
    _require_audit_log(backend)
    gone = backend.queue.discard(receipt_handles)
    _record(backend, operator, "discard", ["dead-letters"], {"discarded": gone})
    return gone


@dataclass(frozen=True)
class Health:
    """Each part is None where it could not be read: unknown is not zero."""

    statistics: Statistics | None
    depth: Mapping[str, int] | None
    pause: Mapping[str, Any] | None
    stuck: int | None
    orphans: int | None
    as_of: datetime


def queue_health(backend: Backend) -> Health:
    """`orphans` are submissions that were accepted and never sent to the queue."""
    now = backend.now()
    parts: Mapping[str, Callable[[], Any]] = {
        "statistics": lambda: backend.store.statistics(now),
        "depth": backend.queue.depth,
        "pause": lambda: controls.pause_state(backend),
        "stuck": lambda: len(stuck(backend)[0]),
        "orphans": lambda: len(backend.store.unsent(created_before=now, limit=1000)),
    }
    seen = settle(lambda read: read(), parts.values(), workers=len(parts))
    return Health(as_of=now, **{name: outcome.value for name, outcome in zip(parts, seen, strict=True)})


def _act(
    backend: Backend, ids: Sequence[str], operator: Operator, action: str, do: Callable[[Submission], Submission]
) -> list[Acted]:
    _require_audit_log(backend)
    found = load(backend, ids)

    def one(id_: str) -> Submission:
        if id_ not in found:
            raise NotFound("There is no submission with this id.", code="submission_not_found")
        return do(found[id_])

    acted: list[Acted] = []
    for id_, outcome in zip(ids, settle(one, ids, workers=_WORKERS), strict=True):
        if outcome.ok:
            acted.append(Acted(id_, outcome.unwrap().state))
        elif isinstance(outcome.error, SkillgateError):
            acted.append(Acted(id_, found[id_].state if id_ in found else None, outcome.error))
        else:
            outcome.unwrap()
    done = [each.submission_id for each in acted if each.error is None]
    if done:
        _record(backend, operator, action, done)
    return acted


def _move(
    backend: Backend, submission: Submission, to: State, operator: Operator, code: str, **changes: Any
) -> Submission:
    return update_state(
        backend, submission, to, actor=operator.name, reason=Reason(code, operator.reason), operator=True, **changes
    )


def _require_audit_log(backend: Backend) -> None:
    """Raises StoreUnavailable while nothing can be written down."""
    backend.operators.audit_log(limit=1, before=None, subject=None)


def _record(
    backend: Backend, operator: Operator, action: str, subjects: Sequence[str], detail: Mapping[str, Any] | None = None
) -> None:
    backend.operators.record(
        at=backend.now(),
        actor=operator.name,
        action=action,
        subjects=subjects,
        reason=operator.reason,
        detail=detail or {},
    )
