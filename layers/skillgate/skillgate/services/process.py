"""Taking one submission from its message to an answer.

A message is only a hint that there may be work: the submission's own state says what. So a message that comes twice,
late or out of order finds nothing to do. Stages that were passed before a crash are not gone through backwards; the
work is taken up at the state the submission is in, on the commit that was resolved the first time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from skillgate import context
from skillgate.domain.errors import (
    Conflict,
    JudgeUnavailable,
    OutOfTime,
    PermanentFailure,
    StoreUnavailable,
    Unavailable,
)
from skillgate.domain.skill import SkillBundle
from skillgate.domain.submission import OPEN, Reason, State, Submission
from skillgate.domain.verdict import Decision, ScanReport
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend, Judgement, QueueMessage, ScanRecord
from skillgate.scanning import frontmatter, scan
from skillgate.services import disputes, outbox
from skillgate.services.publish import publish
from skillgate.services.transition import load, update_state

ACTOR = "consumer"
JUDGE_APPROVES = 80
JUDGE_REVIEWS = 60
_FETCH_SECONDS = 5.0
_PUBLISH_SECONDS = 3.0
_LONGEST_RETRY_SECONDS = 900
_CLAIM_TRIES = 3
_COMMIT_GONE = "commit_gone"


@dataclass(frozen=True)
class Done:
    """The message can go."""

    what: str


@dataclass(frozen=True)
class Retry:
    """The message is wanted again, after so many seconds."""

    seconds: int
    why: str


def process(backend: Backend, message: QueueMessage) -> Done | Retry:
    """Works on the message's submission until it has an answer or cannot go on now. Never leaves it half-claimed."""
    try:
        submission = _claim(backend, message.submission_id)
    except _Leased as leased:
        return Retry(leased.seconds, "another consumer works on it")
    except Conflict as error:  # it moves faster than it can be read; the message stays until it is known why
        return Retry(_delay(backend, message.receive_count, error), error.message)
    except StoreUnavailable as error:
        return Retry(_delay(backend, message.receive_count, error), error.message)
    if submission is None:
        return Done("nothing to do")
    tracked = _Tracked(backend, submission)
    try:
        _advance(backend, tracked)
        return Done(tracked.submission.state)
    except Conflict as error:  # an operator took it out, or a lease ran out and somebody else went on
        return Done(error.code)
    except PermanentFailure as error:
        return _end(backend, tracked, error)
    except OutOfTime as error:
        return _hand_back(tracked, 0, error.message, attempt=submission.attempt - 1)
    except Unavailable as error:
        return _retry_or_give_up(backend, tracked, error, error.message)
    except Exception as error:  # noqa: BLE001 - a defect of ours must not be worded as a verdict, nor stop the rest of the batch
        logger.exception("processing_crashed")
        return _retry_or_give_up(backend, tracked, error, f"{type(error).__name__} while processing")


class _Leased(Exception):
    """Somebody works on it, or did and died. The message is kept until the lease has run out: either is fine then."""

    def __init__(self, left: timedelta) -> None:
        super().__init__("leased")
        self.seconds = int(left.total_seconds()) + 1


class _Tracked:
    """The submission as it moves, so that whoever handles an error knows where it got to."""

    def __init__(self, backend: Backend, submission: Submission) -> None:
        self._backend = backend
        self.submission = submission

    def move(
        self, to: State, reason: Reason | None = None, detail: dict[str, Any] | None = None, **changes: Any
    ) -> None:
        self.submission = update_state(
            self._backend, self.submission, to, actor=ACTOR, reason=reason, detail=detail, **changes
        )


def _claim(backend: Backend, submission_id: str) -> Submission | None:
    """Takes a lease on the submission; None if there is nothing to do on it.

    Somebody else's move in between is no reason to drop the message: it may be the only one, and the move may have been
    the sweeper's. So it is looked at afresh. Raises _Leased if another has it, Conflict if it cannot be told who has.
    """
    for _ in range(_CLAIM_TRIES - 1):
        try:
            return _try_to_claim(backend, submission_id)
        except Conflict as error:
            logger.info("claim_tried_again", error=error.message)
    return _try_to_claim(backend, submission_id)


def _try_to_claim(backend: Backend, submission_id: str) -> Submission | None:
    submission = load(backend, [submission_id]).get(submission_id)
    now = backend.now()
    if submission is None or not submission.in_flight:
        return None
    if submission.lease_until is not None and submission.leased(now):
        raise _Leased(submission.lease_until - now)
    if submission.state is State.RESCAN_REQUIRED:
        submission = update_state(backend, submission, State.RECEIVED, actor=ACTOR, commit_sha=None, content_hash=None)
    blocked = _blocked_source(backend, submission)
    if blocked and submission.state in (State.RECEIVED, State.TIER1_SCANNING):
        update_state(backend, submission, State.BLOCKED, actor=ACTOR, reason=Reason("blocklisted_source", blocked))
        return None
    if submission.attempt >= backend.settings.max_attempts:
        tries = f"It could not be processed in {submission.attempt} attempts."
        update_state(backend, submission, State.REJECTED, actor=ACTOR, reason=Reason("processing_failed", tries))
        return None
    to = State.TIER1_SCANNING if submission.state is State.RECEIVED else submission.state
    until = now + timedelta(seconds=backend.settings.lease_seconds)
    return update_state(
        backend, submission, to, actor=ACTOR, lease_until=until, attempt=submission.attempt + 1, sweeps=0
    )


def _advance(backend: Backend, tracked: _Tracked) -> None:
    environment = context.current()
    environment.require(_FETCH_SECONDS, "fetching")
    submission = tracked.submission
    try:
        bundle = backend.source.fetch_repo_files(
            submission.repo_url, submission.skill_path, environment.github_token, commit_sha=submission.commit_sha
        )
    except PermanentFailure as error:
        if error.code != _COMMIT_GONE or submission.state is not State.AUTO_APPROVED:
            raise
        _rescan(backend, tracked)  # history was rewritten since: what would be published was never scanned
        return
    content_hash = bundle.content_hash()
    if submission.content_hash and submission.content_hash != content_hash:
        if submission.state is State.AUTO_APPROVED:
            _rescan(backend, tracked)
            return
        raise PermanentFailure("The content of this commit changed while it was scanned.", code="content_changed")
    if blocked := _blocked_content(backend, content_hash):
        tracked.move(State.BLOCKED, Reason("blocklisted_content", blocked), content_hash=content_hash)
        return
    report = disputes.judged(backend, submission, scan(bundle.files, skill_path=bundle.skill_path))
    if tracked.submission.state is State.TIER1_SCANNING:
        _tier1(backend, tracked, bundle, content_hash, report)
    if tracked.submission.state is State.TIER2_SCANNING:
        _tier2(backend, tracked, bundle, content_hash, report)
    if tracked.submission.state is State.AUTO_APPROVED:
        environment.require(_PUBLISH_SECONDS, "publishing")
        published = publish(backend, tracked.submission, bundle, content_hash, report)
        tracked.move(
            State.PUBLISHED,
            Reason("published", f"Published as {published.skill_id} version {published.version}."),
            skill_id=published.skill_id,
        )


def _rescan(backend: Backend, tracked: _Tracked) -> None:
    reason = Reason("content_changed", "The content is no longer what was scanned; it is scanned again.")
    tracked.move(State.RESCAN_REQUIRED, reason, lease_until=None)
    tracked.move(State.RECEIVED, commit_sha=None, content_hash=None)
    outbox.send(backend, [tracked.submission.id])


def _tier1(backend: Backend, tracked: _Tracked, bundle: SkillBundle, content_hash: str, report: ScanReport) -> None:
    record = ScanRecord(
        submission_id=tracked.submission.id,
        tier=1,
        content_hash=content_hash,
        scanner=f"skillgate {report.engine_version} rules {report.rules_version}",
        score=report.score,
        decision=report.decision.value,
        report=report.to_dict(),
        duration_ms=int(report.duration_ms),
        created_at=backend.now(),
    )
    _save(backend, record)
    known = {"commit_sha": bundle.commit_sha, "content_hash": content_hash, "score": report.score}
    detail = {"score": report.score, "findings": len(report.findings), "complete": report.coverage.complete}
    if report.decision is Decision.BLOCK:
        tracked.move(State.TIER1_FAILED, _why_blocked(report), detail, **known)
    elif broken := frontmatter.parse(bundle.skill_md).unusable:
        reason = Reason("broken_frontmatter", f"SKILL.md has no name that can be read: {broken}.")
        tracked.move(State.TIER1_FAILED, reason, detail, **known)
    elif report.decision is Decision.PASS and backend.settings.fast_approve:
        reason = Reason(
            "fast_approved", f"Everything was read, nothing serious was found, and it scored {report.score}."
        )
        tracked.move(State.AUTO_APPROVED, reason, detail, **known)
    else:
        tracked.move(State.TIER2_SCANNING, None, detail, **known)


def _tier2(backend: Backend, tracked: _Tracked, bundle: SkillBundle, content_hash: str, report: ScanReport) -> None:
    environment = context.current()
    budget = min(backend.settings.judge_timeout_seconds, environment.remaining() - _PUBLISH_SECONDS)
    if budget < min(5.0, backend.settings.judge_timeout_seconds):
        raise OutOfTime("Not enough time is left for: the judge.")
    try:
        judgement = backend.judge.judge(bundle, report.to_dict(), timeout=budget)
    except JudgeUnavailable as error:
        tracked.move(State.NEEDS_REVIEW, Reason("judge_unavailable", f"A person will look at it: {error.message}"))
        return
    record = ScanRecord(
        submission_id=tracked.submission.id,
        tier=2,
        content_hash=content_hash,
        scanner=judgement.model,
        score=judgement.score,
        decision=judgement.verdict,
        report=dict(judgement.report) | {"summary": judgement.summary},
        duration_ms=int(judgement.report.get("latencyMs", 0)),
        created_at=backend.now(),
    )
    _save(backend, record)
    if not judgement.report.get("cached"):
        measure(Measure.JUDGE_CALLS)
        measure(Measure.JUDGE_COST_USD, float(judgement.report.get("costUsd") or 0))
    to, reason = _judged(judgement)
    tracked.move(to, reason, {"score": judgement.score, "model": judgement.model})


def _judged(judgement: Judgement) -> tuple[State, Reason]:
    if judgement.score >= JUDGE_APPROVES:
        return State.AUTO_APPROVED, Reason("judge_approved", judgement.summary)
    if judgement.score >= JUDGE_REVIEWS:
        return State.NEEDS_REVIEW, Reason("judge_unsure", judgement.summary)
    return State.REJECTED, Reason("judge_rejected", judgement.summary)


def _why_blocked(report: ScanReport) -> Reason:
    worst = report.findings[0] if report.findings else None
    if worst is None:
        return Reason("low_score", f"It scored {report.score}, which is under the failing line.")
    return Reason(worst.rule_id, f"{worst.message} ({worst.file}:{worst.line})")


def _save(backend: Backend, scan_: ScanRecord) -> None:
    try:
        backend.store.save_scan(scan_)
    except StoreUnavailable as error:  # the verdict itself travels with the submission
        logger.warning("scan_not_saved", tier=scan_.tier, error=error.message)


def _blocked_source(backend: Backend, submission: Submission) -> str | None:
    key = submission.open_key
    try:
        screened = backend.store.screen([key])
    except StoreUnavailable:
        screened = backend.live.screen([key])
    return screened[key].blocked_reason if key in screened else None


def _blocked_content(backend: Backend, content_hash: str) -> str | None:
    try:
        return backend.store.blocked_content(content_hash)
    except StoreUnavailable:
        return backend.live.blocked_content(content_hash)


def _end(backend: Backend, tracked: _Tracked, error: PermanentFailure) -> Done | Retry:
    to = State.TIER1_FAILED if tracked.submission.state is State.TIER1_SCANNING else State.REJECTED
    return _finish(backend, tracked, to, Reason(error.code, error.message))


def _retry_or_give_up(backend: Backend, tracked: _Tracked, error: Exception, why: str) -> Done | Retry:
    if tracked.submission.attempt < backend.settings.max_attempts:
        return _hand_back(tracked, _delay(backend, tracked.submission.attempt, error), why)
    message = f"It could not be processed in {tracked.submission.attempt} attempts. The last error: {why}"
    return _finish(backend, tracked, State.REJECTED, Reason("processing_failed", message))


def _finish(backend: Backend, tracked: _Tracked, to: State, reason: Reason) -> Done | Retry:
    try:
        tracked.move(to, reason)
    except Conflict as error:
        return Done(error.code)
    except StoreUnavailable as error:  # its lease runs out by itself
        return Retry(_delay(backend, tracked.submission.attempt, error), error.message)
    return Done(reason.code)


def _hand_back(tracked: _Tracked, seconds: int, why: str, **changes: Any) -> Retry:
    """Gives up the lease so that the next delivery can take it; if even that fails, the lease runs out by itself."""
    if tracked.submission.state not in OPEN:
        return Retry(seconds, why)
    try:
        tracked.move(tracked.submission.state, None, {"handedBack": why}, lease_until=None, **changes)
    except (StoreUnavailable, Conflict) as error:
        logger.warning("lease_not_released", error=error.message)
    return Retry(seconds, why)


def _delay(backend: Backend, attempt: int, error: Exception) -> int:
    asked = getattr(error, "retry_after", None) or 0
    return int(min(_LONGEST_RETRY_SECONDS, max(asked, backend.settings.retry_base_seconds * 2 ** max(0, attempt - 1))))
