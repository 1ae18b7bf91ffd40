"""Taking submissions: one, or a thousand at a time, each with its own answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import PermanentFailure, StoreUnavailable, Unavailable
from skillgate.domain.ids import new_id
from skillgate.domain.repo_url import RepoUrl, skill_slug
from skillgate.domain.submission import State, Submission
from skillgate.observability import logger
from skillgate.ports import Backend, OpenKey, Screening
from skillgate.services import outbox
from skillgate.services.transition import note_uncopied

CHUNK = 125  # eight of them make a thousand: while one waits for a store, another prepares its calls
_WORKERS = 8


class Outcome(StrEnum):
    CREATED = "created"
    DUPLICATE = "duplicate"
    ALREADY_PUBLISHED = "already_published"
    BLOCKED = "blocked"
    FAILED = "failed"


@dataclass(frozen=True)
class Request:
    """A skill that somebody wants to have in the registry; already validated."""

    repo: RepoUrl
    skill_path: str
    skill_name: str | None = None
    email: str | None = None
    source: str = "api"
    submitted_by: str | None = None

    @property
    def key(self) -> OpenKey:
        return self.repo.key, self.skill_path


@dataclass(frozen=True)
class Answer:
    """What became of one request."""

    outcome: Outcome
    submission: Submission | None = None
    reason: str | None = None
    skill_id: str | None = None
    skill_name: str | None = None
    durable: bool = True
    queued: bool = False


_NOT_TAKEN = Answer(Outcome.FAILED, reason="No store could take it; try again.")


def create_submission(backend: Backend, request: Request) -> Answer:
    """Like the batch, and also recognises content that is published already, by the commit its repository is at."""
    screening = _screen(backend, [request.key]).get(request.key)
    if screening and screening.skill_id and not screening.blocked_reason and _unchanged(backend, request, screening):
        return Answer(Outcome.ALREADY_PUBLISHED, skill_id=screening.skill_id, skill_name=screening.skill_name)
    return create_submissions_batch(backend, [request])[0]


def create_submissions_batch(
    backend: Backend, requests: Sequence[Request], *, with_events: bool = True
) -> list[Answer]:
    """Creates what is new and says for each request what happened, in their order.

    A request that repeats an earlier one of the same batch is its duplicate. What was accepted is in a store, and the
    sweeper sends what SQS did not take. Raises StoreUnavailable if nothing at all could be accepted; a single chunk
    that no store took is answered as failed.
    """
    first: dict[OpenKey, Request] = {}
    for request in requests:
        first.setdefault(request.key, request)
    parts = chunks(list(first.values()), CHUNK)
    created = settle(lambda part: _send(backend, _create_chunk(backend, part, with_events)), parts, workers=_WORKERS)
    if created and not any(outcome.ok for outcome in created):
        created[0].unwrap()
    answers: dict[OpenKey, Answer] = {}
    for part, outcome in zip(parts, created, strict=True):
        answers |= outcome.unwrap() if outcome.ok else {request.key: _NOT_TAKEN for request in part}
    settled: list[Answer] = []
    seen: set[OpenKey] = set()
    for request in requests:
        answer = answers[request.key]
        if request.key in seen and answer.outcome is Outcome.CREATED:
            answer = replace(answer, outcome=Outcome.DUPLICATE)
        seen.add(request.key)
        settled.append(answer)
    return settled


def _create_chunk(backend: Backend, requests: Sequence[Request], with_events: bool) -> dict[OpenKey, Answer]:
    screened = _screen(backend, [request.key for request in requests])
    answers: dict[OpenKey, Answer] = {}
    wanted: list[Submission] = []
    for request in requests:
        if reason := screened.get(request.key, Screening()).blocked_reason:
            answers[request.key] = Answer(Outcome.BLOCKED, reason=reason)
        else:
            wanted.append(_received(backend, request))
    if not wanted:
        return answers
    try:
        return answers | _create_durably(backend, wanted, with_events)
    except StoreUnavailable as error:
        logger.warning("creating_without_postgres", submissions=len(wanted), error=error.message)
        return answers | _create_in_copy(backend, wanted)


def _received(backend: Backend, request: Request) -> Submission:
    now = backend.now()
    return Submission(
        id=new_id(),
        repo_url=request.repo.url,
        skill_path=request.skill_path,
        skill_name=request.skill_name or skill_slug(request.repo, request.skill_path),
        state=State.RECEIVED,
        created_at=now,
        updated_at=now,
        source=request.source,
        email=request.email,
        submitted_by=request.submitted_by,
    )


def _create_durably(backend: Backend, wanted: Sequence[Submission], with_events: bool) -> dict[OpenKey, Answer]:
    answers: dict[OpenKey, Answer] = {}
    created: list[Submission] = []
    remaining = list(wanted)
    # The one that stood in the way may end between the insert and the look at it; then there is room, so try again.
    while remaining:
        new_ids = backend.store.insert_many(remaining, with_events=with_events)
        created += [submission for submission in remaining if submission.id in new_ids]
        refused = [submission for submission in remaining if submission.id not in new_ids]
        open_ones = backend.store.find_open([submission.open_key for submission in refused]) if refused else {}
        answers |= {key: Answer(Outcome.DUPLICATE, submission=other) for key, other in open_ones.items()}
        remaining = [submission for submission in refused if submission.open_key not in open_ones]
    try:
        backend.live.put_new(created, with_locks=with_events)  # a crawler's thousand is worth half the writes
    except StoreUnavailable as error:  # Postgres has them, and the sweeper copies them
        logger.warning("kv_write_failed", submissions=len(created), error=error.message)
        note_uncopied(backend, [submission.id for submission in created])
    return answers | {submission.open_key: Answer(Outcome.CREATED, submission=submission) for submission in created}


def _create_in_copy(backend: Backend, wanted: Sequence[Submission]) -> dict[OpenKey, Answer]:
    carried = [replace(submission, pending=(submission.received_event(),)) for submission in wanted]
    outcomes = settle(backend.live.create_exclusive, carried, workers=8)
    if not any(outcome.ok for outcome in outcomes):
        outcomes[0].unwrap()
    answers: dict[OpenKey, Answer] = {}
    for submission, outcome in zip(carried, outcomes, strict=True):
        if not outcome.ok:
            answer = _NOT_TAKEN
        elif (holder := outcome.unwrap()) is None:
            answer = Answer(Outcome.CREATED, submission=submission, durable=False)
        else:
            answer = Answer(Outcome.DUPLICATE, submission=holder, durable=False)
        answers[submission.open_key] = answer
    return answers


def _send(backend: Backend, answers: dict[OpenKey, Answer]) -> dict[OpenKey, Answer]:
    created = {a.submission.id: key for key, a in answers.items() if a.outcome is Outcome.CREATED and a.submission}
    sent = outbox.send(backend, list(created)).sent
    return answers | {created[id_]: replace(answers[created[id_]], queued=True) for id_ in sent}


def _screen(backend: Backend, keys: Sequence[OpenKey]) -> dict[OpenKey, Screening]:
    try:
        return dict(backend.store.screen(keys))
    except StoreUnavailable:
        return dict(backend.live.screen(keys))


def _unchanged(backend: Backend, request: Request, screening: Screening) -> bool:
    """Whether the repository is still at the commit that was published. Unknown counts as changed."""
    try:
        head = backend.source.resolve_commit_sha(request.repo.owner, request.repo.repo, "HEAD", _token(backend))
    except (Unavailable, PermanentFailure) as error:
        logger.info("head_unknown", error=error.message)
        return False
    return head == screening.commit_sha


def _token(backend: Backend) -> str | None:
    tokens = backend.settings.github_tokens
    return tokens[0].get_secret_value() if tokens else None
