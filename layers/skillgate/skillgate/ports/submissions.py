"""What submissions go through: their stores, the queue, GitHub and the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from skillgate.domain.skill import Published, SkillBundle
from skillgate.domain.submission import Event, State, Submission

OpenKey = tuple[str, str]  # repository key and skill path


@dataclass(frozen=True)
class Screening:
    """What is already known about a skill that somebody wants to submit."""

    blocked_reason: str | None = None
    skill_id: str | None = None
    skill_name: str | None = None
    commit_sha: str | None = None


@dataclass(frozen=True)
class Found:
    """Items that were read, and how many were listed but gone, unreadable or out of reach."""

    submissions: Mapping[str, Submission]
    skipped: int = 0


@dataclass(frozen=True)
class ListQuery:
    states: tuple[State, ...] = ()
    text: str | None = None
    repo_key: str | None = None
    sort: str = "created_at"
    descending: bool = True
    after: tuple[datetime, str] | None = None
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True)
class Page:
    rows: Sequence[Submission]
    total: int
    total_is_exact: bool
    next_after: tuple[datetime, str] | None


@dataclass(frozen=True)
class Statistics:
    """The one answer to every question of how many and how fast."""

    as_of: datetime
    states: Mapping[State, int]
    answered_hour: int
    answered_six_hours: int
    answered_day: int
    published_day: int
    median_seconds: float | None
    p95_seconds: float | None
    answers_per_second: float | None
    oldest_in_flight: datetime | None


@dataclass(frozen=True)
class StreamEvent:
    cursor: tuple[str, int]
    event: Event
    repo_url: str
    skill_name: str
    skill_path: str


@dataclass(frozen=True)
class ScanRecord:
    """What one tier said about one content of a submission."""

    submission_id: str
    tier: int
    content_hash: str
    scanner: str
    score: int | None
    decision: str
    report: Mapping[str, Any]
    duration_ms: int
    created_at: datetime


@dataclass(frozen=True)
class QueueMessage:
    """A message as the consumer got it. Messages carry ids, never bodies."""

    message_id: str
    receipt_handle: str
    submission_id: str
    receive_count: int


@dataclass(frozen=True)
class SendOutcome:
    sent: Sequence[str]
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DeadLetter:
    message_id: str
    receipt_handle: str
    submission_id: str | None
    body: str
    receive_count: int
    sent_at: datetime


class SubmissionStore(Protocol):
    """The durable truth. Every method raises StoreUnavailable when it cannot be reached."""

    def insert_many(self, submissions: Sequence[Submission], *, with_events: bool) -> set[str]: ...
    def find_open(self, keys: Sequence[OpenKey]) -> Mapping[OpenKey, Submission]: ...
    def screen(self, keys: Sequence[OpenKey]) -> Mapping[OpenKey, Screening]: ...
    def blocked_content(self, content_hash: str) -> str | None: ...
    def move(self, before: Submission, after: Submission, event: Event) -> bool: ...
    def replay(self, submission: Submission) -> bool: ...
    def mark_uncopied(self, ids: Sequence[str]) -> None: ...
    def uncopied(self, limit: int) -> Sequence[Submission]: ...
    def mark_copied(self, submissions: Sequence[Submission]) -> None: ...
    def get_many(self, ids: Sequence[str]) -> Mapping[str, Submission]: ...
    def history(self, submission_id: str) -> Sequence[Event]: ...
    def mark_sent(self, ids: Sequence[str], at: datetime) -> None: ...
    def stuck(self, *, idle_since: datetime, now: datetime, limit: int) -> Sequence[Submission]: ...
    def unsent(self, *, created_before: datetime, limit: int) -> Sequence[Submission]: ...
    def page(self, query: ListQuery) -> Page: ...
    def statistics(self, now: datetime) -> Statistics: ...
    def waiting_before(self, created_at: datetime) -> int: ...
    def events_after(self, cursor: tuple[str, int] | None, limit: int) -> Sequence[StreamEvent]: ...
    def newest_event(self) -> tuple[str, int]: ...
    def save_scan(self, scan: ScanRecord) -> None: ...
    def scans(self, submission_id: str) -> Sequence[ScanRecord]: ...


class OperatorStore(Protocol):
    """What operators did and decided. Raises StoreUnavailable."""

    def record(
        self, *, at: datetime, actor: str, action: str, subjects: Sequence[str], reason: str, detail: Mapping[str, Any]
    ) -> None: ...
    def block(
        self,
        *,
        repo_key: str | None,
        skill_path: str | None,
        content_hash: str | None,
        reason: str,
        by: str,
        at: datetime,
        threat_type: str = "malicious",
        severity: str = "critical",
    ) -> None: ...
    def unblock(
        self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, at: datetime
    ) -> bool: ...
    def audit_log(self, *, limit: int, before: int | None, subject: str | None) -> Sequence[Mapping[str, Any]]: ...
    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None: ...
    def control(self, name: str) -> Mapping[str, Any] | None: ...


class LiveStore(Protocol):
    """The fast copy. Raises StoreUnavailable; a write that would go back in time changes nothing and returns False."""

    def put_new(self, submissions: Sequence[Submission], *, with_locks: bool = True) -> None: ...
    def create_exclusive(self, submission: Submission) -> Submission | None: ...
    def put(self, submission: Submission, *, unsynced: bool = False) -> bool: ...
    def overwrite(self, submission: Submission, *, unsynced: bool = False) -> bool: ...
    def replace_copy(self, submission: Submission, *, of_version: int) -> bool: ...
    def get_many(self, ids: Sequence[str]) -> Found: ...
    def in_flight_before(self, idle_since: datetime, limit: int) -> Found: ...
    def unsynced(self, limit: int) -> Found: ...
    def put_skill(self, published: Published, *, synced: bool) -> bool: ...
    def get_skill(self, skill_id: str) -> Published | None: ...
    def unsynced_skills(self, limit: int) -> Sequence[Published]: ...
    def block(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, reason: str) -> None: ...
    def unblock(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None) -> None: ...
    def screen(self, keys: Sequence[OpenKey]) -> Mapping[OpenKey, Screening]: ...
    def blocked_content(self, content_hash: str) -> str | None: ...
    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None: ...
    def control(self, name: str) -> Mapping[str, Any] | None: ...


class IdempotencyStore(Protocol):
    """Remembers answers by key. Raises StoreUnavailable."""

    def begin(self, key: str, request_hash: str, expires_at: datetime) -> Mapping[str, Any] | None: ...
    def finish(self, key: str, response: Mapping[str, Any], expires_at: datetime) -> None: ...
    def forget(self, key: str) -> None: ...


class SubmissionQueue(Protocol):
    """SQS. Raises QueueUnavailable where nothing at all could be done; single failures are in the outcome."""

    def send(self, ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome: ...
    def delay_redelivery(self, receipt_handle: str, seconds: int) -> None: ...
    def depth(self) -> Mapping[str, int]: ...
    def dead_letters(self, limit: int) -> Sequence[DeadLetter]: ...
    def redrive(self) -> str: ...
    def discard(self, receipt_handles: Sequence[str]) -> int: ...


class SkillSource(Protocol):
    """GitHub. Raises SourceUnavailable where waiting may help, PermanentFailure where it cannot."""

    def resolve_commit_sha(self, owner: str, repo: str, ref: str = "HEAD", token: str | None = None) -> str: ...
    def fetch_repo_files(
        self, repo_url: str, skill_path: str, token: str | None = None, *, commit_sha: str | None = None
    ) -> SkillBundle: ...
    def find_skills(self, repo_url: str, token: str | None = None) -> Sequence[str]: ...


@dataclass(frozen=True)
class Judgement:
    """What the tier 2 judge said, validated."""

    score: int
    verdict: str
    summary: str
    report: Mapping[str, Any]
    model: str


class Judge(Protocol):
    """Raises JudgeUnavailable when there is no usable answer, whatever the cause."""

    def judge(self, bundle: SkillBundle, tier1_report: Mapping[str, Any], *, timeout: float) -> Judgement: ...


@dataclass(frozen=True)
class AnsweredHour:
    """How many submissions got their answer in an hour, and how long they had waited for it."""

    start: datetime
    answers: int
    median_seconds: float | None
    p95_seconds: float | None


class ChartStore(Protocol):
    """Raises StoreUnavailable."""

    def answered_by_hour(self, now: datetime, hours: int) -> Sequence[AnsweredHour]: ...
