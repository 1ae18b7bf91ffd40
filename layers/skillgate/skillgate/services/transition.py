"""The one way to change a submission's state, and the one way to read it before doing so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import Conflict, DuplicateSubmission, StoreUnavailable
from skillgate.domain.submission import Reason, State, Submission
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend


def load(backend: Backend, ids: Sequence[str]) -> dict[str, Submission]:
    """The newest copy of each submission that exists, from both stores side by side.

    Raises StoreUnavailable if neither store answers, or if one does not and the other lacks some of them: whether
    those exist is then unknown.
    """
    found, whole = _newest(backend, ids)
    if not whole and len(found) < len(set(ids)):
        raise StoreUnavailable("A store that may have it cannot be read.", retry_after=5)
    return found


def load_known(backend: Backend, ids: Sequence[str]) -> dict[str, Submission]:
    """Like `load`, for whoever can do with those that were found. Raises StoreUnavailable only if neither answers."""
    return _newest(backend, ids)[0]


def _newest(backend: Backend, ids: Sequence[str]) -> tuple[dict[str, Submission], bool]:
    """What was found, and whether both stores answered: only then is what was not found not there."""
    durable, live = together(lambda: backend.store.get_many(ids), lambda: backend.live.get_many(ids))
    if not durable.ok and not live.ok:
        raise StoreUnavailable("Neither store can be read.", retry_after=5) from durable.error
    found: dict[str, Submission] = {}
    if live.ok:
        found |= live.unwrap().submissions
    if durable.ok:
        rows = durable.unwrap()
        # At the same version the row wins: what is written down for good needs no replaying.
        found |= {id_: row for id_, row in rows.items() if id_ not in found or row.version >= found[id_].version}
    return found, durable.ok and live.ok


def update_state(
    backend: Backend,
    submission: Submission,
    to: State,
    *,
    actor: str,
    reason: Reason | None = None,
    detail: dict[str, Any] | None = None,
    operator: bool = False,
    **changes: Any,
) -> Submission:
    """Moves the submission in both stores side by side, and returns it as it is now.

    Postgres decides: its write holds only if nobody has moved the submission since it was read, and has the event in
    the same transaction. While Postgres is away DynamoDB decides by the same rule, and the events wait with the copy.
    Raises Conflict if somebody else was first, StoreUnavailable if neither store could take it.
    """
    after, event = submission.moved(
        to, at=backend.now(), actor=actor, reason=reason, detail=detail, operator=operator, **changes
    )
    carried = replace(after, pending=(*submission.pending, event))
    behind = bool(submission.pending)  # Postgres lacks earlier events as well
    # A sweep looks at what is in flight. A move from anywhere else is marked from the start, or nobody would ever
    # find it if this process died with the copy written and the row not.
    marked = behind or not submission.in_flight

    def durable() -> bool:
        if behind:
            return backend.store.replay(carried)
        return backend.store.move(submission, replace(after, pending=()), event)

    written, copied = together(durable, lambda: backend.live.put(carried, unsynced=marked))
    if written.ok and written.unwrap():
        settled = replace(after, pending=())
        _settle_copy(backend, settled, error=copied.error, rewrite=marked)
        _measure_move(submission, settled)
        return settled
    if written.ok or isinstance(written.error, DuplicateSubmission):
        _restore_copy(backend, submission.id)
        raise written.error or Conflict("The submission has moved on since it was read.", code="stale_submission")
    if not isinstance(written.error, StoreUnavailable):
        raise written.error or AssertionError("a failed write has an error")
    decided = _decided_by_copy(backend, carried, copied.error, copied.value, written.error)
    _measure_move(submission, decided)
    return decided


_STAGES = {
    State.RECEIVED: Measure.QUEUE_SECONDS,
    State.TIER1_SCANNING: Measure.TIER1_SECONDS,
    State.TIER2_SCANNING: Measure.TIER2_SECONDS,
    State.AUTO_APPROVED: Measure.PUBLISH_SECONDS,
}
_OUTCOMES = {
    State.PUBLISHED: Measure.PUBLISHED,
    State.TIER1_FAILED: Measure.REJECTED,
    State.REJECTED: Measure.REJECTED,
    State.NEEDS_REVIEW: Measure.NEEDS_REVIEW,
}


def _measure_move(before: Submission, after: Submission) -> None:
    if before.state is after.state:
        return
    if before.state in _STAGES:
        measure(_STAGES[before.state], (after.updated_at - before.updated_at).total_seconds())
    if after.terminal:
        measure(Measure.ANSWERED)
    if after.state in _OUTCOMES:
        measure(_OUTCOMES[after.state])


def _settle_copy(backend: Backend, submission: Submission, *, error: Exception | None, rewrite: bool) -> None:
    """Postgres has it: takes the mark off the copy, or notes in Postgres that the copy lacks it."""
    try:
        if error is None and rewrite:
            backend.live.overwrite(submission)
    except StoreUnavailable as failed:
        error = failed
    if error is None:
        return
    measure(Measure.COPY_FAILED)
    logger.warning("kv_write_failed", submission_id=submission.id, error=str(error))
    note_uncopied(backend, [submission.id])


def note_uncopied(backend: Backend, ids: Sequence[str]) -> None:
    """Leaves word for the sweeper that DynamoDB lacks these. Without it, it finds those that are still in flight."""
    try:
        backend.store.mark_uncopied(ids)
    except StoreUnavailable as error:
        logger.warning("uncopied_not_noted", submissions=len(ids), error=error.message)


def _decided_by_copy(
    backend: Backend, carried: Submission, error: Exception | None, taken: bool | None, cause: Exception
) -> Submission:
    if error is not None:
        raise StoreUnavailable("Neither store could take the change.", retry_after=5) from cause
    if not taken:
        raise Conflict("The submission has moved on since it was read.", code="stale_submission") from cause
    measure(Measure.NOT_YET_DURABLE)
    logger.warning("not_yet_durable", submission_id=carried.id, state=carried.state)
    backend.live.overwrite(carried, unsynced=True)
    return carried


def _restore_copy(backend: Backend, submission_id: str) -> None:
    """Postgres refused the move that DynamoDB may have taken: writes the truth over it."""
    try:
        row = backend.store.get_many([submission_id]).get(submission_id)
        if row is not None:
            backend.live.overwrite(row)
    except StoreUnavailable as error:  # the sweeper compares the two later
        logger.warning("kv_restore_failed", submission_id=submission_id, error=error.message)
