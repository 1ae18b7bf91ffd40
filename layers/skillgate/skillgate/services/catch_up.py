"""Bringing the stores together again after one of them was away. Postgres is the truth wherever the two disagree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import DuplicateSubmission, StoreUnavailable
from skillgate.domain.submission import Reason, State, Submission
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.services import publish
from skillgate.services.transition import load

ACTOR = "sweeper"
_WORKERS = 8
_CHUNK = 64
T = TypeVar("T")


def replay_all(backend: Backend, copies: Sequence[Submission]) -> tuple[int, int]:
    """Writes to Postgres what only DynamoDB has, the oldest first; how many, and how many could not be."""
    in_order = sorted(copies, key=lambda submission: submission.created_at)
    return _each(lambda submission: replay(backend, submission), in_order)


def replay_skills(backend: Backend, limit: int) -> tuple[int, int]:
    return _each(lambda skill: publish.replay(backend, skill), backend.live.unsynced_skills(limit))


def align(backend: Backend, newest: Sequence[Submission]) -> tuple[int, int]:
    """Where the stores disagree about something that looks idle, the newer copy is written over the older."""
    ahead = [submission for submission in newest if submission.pending]
    replayed, errors = replay_all(backend, ahead)
    ended = [submission for submission in newest if not submission.pending and not submission.in_flight]
    copied, failed = _each(backend.live.overwrite, ended)
    return replayed + copied, errors + failed


def write_copies(backend: Backend, limit: int) -> int:
    """Writes to DynamoDB what Postgres noted that it lacks. Raises StoreUnavailable while it is still away."""
    done = 0
    for part in chunks(backend.store.uncopied(limit), _CHUNK):
        outcomes = settle(backend.live.overwrite, part, workers=_WORKERS)
        copied = [submission for submission, outcome in zip(part, outcomes, strict=True) if outcome.ok]
        backend.store.mark_copied(copied)
        done += len(copied)
        if not copied:
            outcomes[0].unwrap()
    return done


def replay(backend: Backend, submission: Submission) -> None:
    """Writes to Postgres what only DynamoDB has; where Postgres is as new, or went another way, it is copied back."""
    try:
        replayed = backend.store.replay(submission)
    except DuplicateSubmission:
        submission = _make_room(backend, submission)
        replayed = backend.store.replay(submission)
    if replayed:
        backend.live.overwrite(replace(submission, pending=()))
        return
    row = backend.store.get_many([submission.id])[submission.id]
    if not backend.live.overwrite(row):
        logger.warning("copy_went_another_way", submission_id=submission.id, version=submission.version)
        backend.live.replace_copy(row, of_version=submission.version)


def _make_room(backend: Backend, submission: Submission) -> Submission:
    """Another submission of this skill is open in Postgres. It may only look so: then its end is replayed first.

    Else two were accepted for one skill while the stores could not be compared, and the one that Postgres has goes on.
    """
    holder = backend.store.find_open([submission.open_key]).get(submission.open_key)
    if holder is None:
        return submission
    newest = load(backend, [holder.id])[holder.id]
    if newest.terminal and newest.pending:
        replay(backend, newest)
        return submission
    reason = Reason("duplicate_submission", "Another submission of this skill was accepted at the same time.")
    after, event = submission.moved(State.DEQUEUED, at=backend.now(), actor=ACTOR, reason=reason)
    return replace(after, pending=(*submission.pending, event))


def _each(fix: Callable[[T], object], items: Sequence[T]) -> tuple[int, int]:
    """How many were set right and how many were not. Stops where a store is away: the rest would only wait for it."""
    done = failed = 0
    for part in chunks(items, _CHUNK):
        errors = [outcome.error for outcome in settle(fix, part, workers=_WORKERS) if outcome.error]
        for error in errors:
            logger.warning("catch_up_failed", error=str(error))
        done += len(part) - len(errors)
        failed += len(errors)
        if len(errors) == len(part) and all(isinstance(error, StoreUnavailable) for error in errors):
            break
    return done, failed
