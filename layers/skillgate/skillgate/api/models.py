"""What goes over the wire: camelCase JSON in and out, times in RFC 3339 and UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from skillgate.domain.submission import BUCKETS, IN_FLIGHT, Event, State, Submission
from skillgate.ports import ScanRecord, Statistics
from skillgate.services.queue_view import Story
from skillgate.services.submit import Answer, Outcome


class Wire(BaseModel):
    """A request uses two or three of a hundred models; each is built when it is first used, not when it is imported."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True)


class SubmissionIn(Wire):
    """A skill to submit. `skillPath` may also be part of the URL (…/tree/main/skills/pdf)."""

    repo_url: str = Field(max_length=500, examples=["https://github.com/acme-labs/release-notes"])
    skill_name: str | None = Field(None, min_length=2, max_length=100)
    skill_path: str | None = Field(None, max_length=400, examples=["skills/pdf/SKILL.md"])
    email: str | None = Field(None, max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")
    source: str = Field("api", min_length=1, max_length=40, pattern=r"^[a-z0-9][a-z0-9_-]*$")


class BulkIn(Wire):
    repo_urls: list[str] = Field(min_length=1, max_length=100)


class SubmissionAnswer(Wire):
    """What became of a submission that was sent in. `status` repeats `state` and `submissionId` repeats `id`."""

    outcome: str
    id: str | None = None
    submission_id: str | None = None
    state: State | None = None
    status: State | None = None
    repo_url: str
    skill_path: str
    skill_name: str | None = None
    duplicate: bool = False
    already_verified: bool = False
    blocked: bool = False
    reason: str | None = None
    skill_id: str | None = None
    durable: bool = True

    @classmethod
    def of(cls, repo_url: str, skill_path: str, answer: Answer) -> SubmissionAnswer:
        submission = answer.submission
        return cls(
            outcome=answer.outcome,
            id=submission.id if submission else None,
            submission_id=submission.id if submission else None,
            state=submission.state if submission else None,
            status=submission.state if submission else None,
            repo_url=submission.repo_url if submission else repo_url,
            skill_path=skill_path,
            skill_name=answer.skill_name or (submission.skill_name if submission else None),
            duplicate=answer.outcome is Outcome.DUPLICATE,
            already_verified=answer.outcome is Outcome.ALREADY_PUBLISHED,
            blocked=answer.outcome is Outcome.BLOCKED,
            reason=answer.reason,
            skill_id=answer.skill_id,
            durable=answer.durable,
        )


class BulkAnswer(Wire):
    """One entry per skill found, and one per repository in which none could be looked for."""

    results: list[SubmissionAnswer]
    errors: list[ItemError]
    created: int
    skipped: int


class ItemError(Wire):
    index: int
    repo_url: str | None = None
    code: str
    message: str


class EnqueueAnswer(Wire):
    ok: bool
    enqueued: int
    skipped: int
    errors: list[ItemError]


class SubmissionOut(Wire):
    id: str
    submission_id: str
    repo_url: str
    skill_path: str
    skill_name: str
    source: str
    state: State
    status: State
    reason_code: str | None
    reason: str | None
    attempt: int
    score: int | None
    commit_sha: str | None
    content_hash: str | None
    skill_id: str | None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None

    @classmethod
    def of(cls, submission: Submission) -> SubmissionOut:
        return cls.model_validate(submission_fields(submission))


_SHOWN_AS_THEY_ARE = (
    *("repo_url", "skill_path", "skill_name", "source", "attempt", "score", "commit_sha", "content_hash", "skill_id"),
    *("created_at", "updated_at", "ended_at"),
)


def submission_fields(submission: Submission) -> dict[str, Any]:
    """What anybody may see of a submission; its author's e-mail address is not among it."""
    return {
        "id": submission.id,
        "submission_id": submission.id,
        "state": submission.state,
        "status": submission.state,
        "reason_code": submission.reason.code if submission.reason else None,
        "reason": submission.reason.message if submission.reason else None,
        **{name: getattr(submission, name) for name in _SHOWN_AS_THEY_ARE},
    }


class SubmissionList(Wire):
    submissions: list[SubmissionOut]
    total: int
    total_is_exact: bool
    next_cursor: str | None
    degraded: bool
    source: str = "postgres"
    as_of: datetime


class EventOut(Wire):
    version: int
    from_state: State | None
    to_state: State
    at: datetime
    actor: str
    reason_code: str | None
    reason: str | None
    detail: dict[str, Any]
    seconds: float | None = Field(description="How long this stage took; null while it lasts.")

    @classmethod
    def of(cls, event: Event, seconds: float | None) -> EventOut:
        return cls(
            version=event.version,
            from_state=event.from_state,
            to_state=event.to_state,
            at=event.at,
            actor=event.actor,
            reason_code=event.reason.code if event.reason else None,
            reason=event.reason.message if event.reason else None,
            detail=event.detail,
            seconds=seconds,
        )


class ScanOut(Wire):
    tier: int
    scanner: str
    content_hash: str
    score: int | None
    decision: str
    report: dict[str, Any]
    duration_ms: int
    created_at: datetime

    @classmethod
    def of(cls, scan: ScanRecord) -> ScanOut:
        return cls.model_validate(
            {name: getattr(scan, name) for name in cls.model_fields} | {"report": dict(scan.report)}
        )


class SubmissionStory(SubmissionOut):
    events: list[EventOut]
    scans: list[ScanOut]
    position: int | None = Field(description="Place in the queue, 1 is next; 0 while it is worked on.")
    eta_seconds: float | None
    durable: bool = Field(description="False while it is only in the fast store.")
    degraded: bool
    as_of: datetime

    @classmethod
    def of_story(cls, story: Story) -> SubmissionStory:
        return cls.model_validate(
            submission_fields(story.submission)
            | {
                "events": [EventOut.of(stage.event, stage.seconds) for stage in story.stages],
                "scans": [ScanOut.of(scan) for scan in story.scans],
                "position": story.position,
                "eta_seconds": story.eta_seconds,
                "durable": story.durable,
                "degraded": story.degraded,
                "as_of": story.as_of,
            }
        )


class Throughput(Wire):
    last_hour: int
    last_six_hours: int
    last_day: int
    published_last_day: int


class StatisticsOut(Wire):
    states: dict[str, int]
    buckets: dict[str, int]
    total: int
    in_flight: int
    throughput: Throughput
    median_seconds: float | None
    p95_seconds: float | None
    oldest_in_flight_seconds: float | None
    as_of: datetime

    @classmethod
    def of(cls, statistics: Statistics) -> StatisticsOut:
        oldest = statistics.oldest_in_flight
        return cls(
            states={state.value: statistics.states[state] for state in State},
            buckets={name: sum(statistics.states[state] for state in states) for name, states in BUCKETS.items()},
            total=sum(statistics.states.values()),
            in_flight=sum(statistics.states[state] for state in IN_FLIGHT),
            throughput=Throughput(
                last_hour=statistics.answered_hour,
                last_six_hours=statistics.answered_six_hours,
                last_day=statistics.answered_day,
                published_last_day=statistics.published_day,
            ),
            median_seconds=statistics.median_seconds,
            p95_seconds=statistics.p95_seconds,
            oldest_in_flight_seconds=(statistics.as_of - oldest).total_seconds() if oldest else None,
            as_of=statistics.as_of,
        )


# --- operators --------------------------------------------------------------------------------------------------


class ReasonIn(Wire):
    reason: str = Field(min_length=3, max_length=500)


class ActIn(ReasonIn):
    ids: list[str] = Field(min_length=1, max_length=500)


class RequeueIn(ReasonIn):
    ids: list[str] | None = Field(None, min_length=1, max_length=500)
    all_stuck: bool = False


class DecideIn(ActIn):
    decision: str = Field(pattern=r"^(approve|reject)$")


class DiscardIn(ReasonIn):
    receipt_handles: list[str] = Field(min_length=1, max_length=100)


class ActedOut(Wire):
    id: str
    state: State | None
    error: str | None = None
    code: str | None = None


class ActAnswer(Wire):
    ok: bool
    done: int
    results: list[ActedOut]


class StuckList(Wire):
    submissions: list[SubmissionOut]
    skipped: int = Field(description="Listed, but gone or unreadable.")
    as_of: datetime


class DeadLetterOut(Wire):
    message_id: str
    receipt_handle: str
    submission_id: str | None
    body: str
    receive_count: int
    sent_at: datetime


class DeadLetterList(Wire):
    dead_letters: list[DeadLetterOut]


class DoneOut(Wire):
    ok: bool = True
    detail: Mapping[str, Any] = Field(default_factory=dict)


class HealthOut(Wire):
    """A part that could not be read is null, and `degraded` is true."""

    oldest_in_flight_seconds: float | None
    in_flight: int | None
    orphans: int | None
    stuck: int | None
    paused: bool | None
    drained_last_hour: int | None
    drained_last_six_hours: int | None
    queue: Mapping[str, int] | None
    degraded: bool
    as_of: datetime


class AuditEntry(Wire):
    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    reason: str
    detail: dict[str, Any]


class AuditList(Wire):
    entries: Sequence[AuditEntry]
    next_before: int | None


BulkAnswer.model_rebuild()
