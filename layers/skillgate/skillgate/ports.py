"""What the services need from the outside, as protocols. `adapters` implement them; tests pass fakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from skillgate.domain.discovery import (
    Candidate,
    CandidatePage,
    Mark,
    PublishedAtSource,
    RepositoryRow,
    Run,
    SourceTotals,
    TokenState,
)
from skillgate.domain.external_scan import ExternalReport, ExternalScan
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import Published, SkillBundle
from skillgate.domain.submission import Event, State, Submission
from skillgate.market_ports import (
    BlocklistReader,
    Catalogue,
    ContentStore,
    IndexStore,
    InstallStore,
    KvSkills,
    VersionStore,
)
from skillgate.search.warm import WarmIndex
from skillgate.settings import Settings

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


class SkillStore(Protocol):
    """Published skills in the durable store. Raises StoreUnavailable."""

    def publish(self, published: Published) -> Published: ...
    def get(self, skill_id: str) -> Published | None: ...
    def set_status(
        self,
        status: str,
        kind: str,
        *,
        from_statuses: Sequence[str],
        at: datetime,
        reason: str | None = None,
        threat_type: str | None = None,
        severity: str | None = None,
        skill_id: str | None = None,
        repo_key: str | None = None,
        skill_path: str | None = None,
        content_hash: str | None = None,
    ) -> Sequence[Published]: ...


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


# --- discovery --------------------------------------------------------------------------------------------------


class DiscoverySource(Protocol):
    """One place to find skills in, for the length of one run.

    `pages` ends when there is no more. Raises NoTokenLeft, SourceUnavailable or OutOfTime where it cannot go on now;
    a checkpoint that it does not understand, because the configuration changed, means from the beginning.
    """

    def pages(self, checkpoint: Mapping[str, Any] | None) -> Iterator[CandidatePage]: ...
    def tokens(self) -> Sequence[TokenState]: ...


class RepositoryHeads(Protocol):
    """The newest commits of repositories, asked with the token that has most left."""

    def head(self, repo: RepoUrl) -> str: ...
    def bundle(self, repo: RepoUrl, skill_path: str, commit_sha: str) -> SkillBundle: ...
    def tokens(self) -> Sequence[TokenState]: ...


class DiscoverySources(Protocol):
    """Opens sources by name, each with tokens of its own. Raises NotConfigured for one that has nothing to look at."""

    def open(self, name: str) -> DiscoverySource: ...
    def heads(self) -> RepositoryHeads: ...


class DiscoveryBatch(Protocol):
    """Some candidates that nobody else looks at until the batch ends."""

    def has_been_discovered(self) -> set[OpenKey]: ...
    def mark_discovered(self, marks: Sequence[Mark]) -> None: ...


class DiscoveryStore(Protocol):
    """What was discovered, when and by which run. Raises StoreUnavailable."""

    def exclusively(
        self, candidates: Sequence[Candidate], *, source: str, at: datetime, again_since: datetime
    ) -> AbstractContextManager[DiscoveryBatch]: ...
    def has_been_discovered(self, candidates: Sequence[Candidate], *, again_since: datetime) -> set[OpenKey]: ...
    def begin(self, run: Run, *, forget_before: datetime) -> Mapping[str, Any] | None: ...
    def save(self, run: Run, rows: Mapping[str, RepositoryRow]) -> None: ...
    def runs(self, *, source: str | None, limit: int) -> Sequence[Run]: ...
    def latest(self) -> Sequence[Run]: ...
    def repositories(self, run_id: str) -> Sequence[RepositoryRow] | None: ...
    def totals(self) -> Sequence[SourceTotals]: ...
    def due(self, *, checked_before: datetime, limit: int) -> Sequence[PublishedAtSource]: ...
    def checked(self, skill_ids: Sequence[str], *, head: str | None, at: datetime) -> None: ...
    def set_removed(self, skill_ids: Sequence[str], *, removed_at: datetime | None, at: datetime) -> Sequence[str]: ...


class DiscoveryDispatcher(Protocol):
    """Starts a run in an invocation of its own and does not wait for it. Raises NotConfigured or Unavailable."""

    def dispatch(self, event: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class TimedOut:
    """Scans that had no answer in time: those that go to the queue once more, and those that have been there twice."""

    again: Sequence[str]
    ended: Sequence[str]


@dataclass(frozen=True)
class Received:
    """What became of a webhook: whether it was seen before, why it changed nothing, and which skill it took down."""

    replayed: bool = False
    not_applied: str | None = None
    quarantined_skill: str | None = None


@dataclass(frozen=True)
class ScanStatistics:
    """Counts by scanner and status: everything unfinished, and what ended within a day."""

    unfinished: Mapping[str, Mapping[str, int]]
    ended_day: Mapping[str, Mapping[str, int]]
    dispatched_hour: int
    oldest_unfinished: datetime | None
    last_result: datetime | None


class Handover(StrEnum):
    """What a worker made of a job. Only UNREACHED is sure not to have arrived."""

    TAKEN = "taken"
    NOT_INSTALLED = "not installed"
    REFUSED = "refused"
    UNREACHED = "unreached"


class ExternalScanStore(Protocol):
    """Scans on VMs, their outbox and their results. Raises StoreUnavailable."""

    def unsent_of(self, skill_id: str, content_hash: str) -> Sequence[str]: ...
    def unsent(self, *, created_before: datetime, limit: int) -> Sequence[str]: ...
    def mark_sent(self, job_ids: Sequence[str], at: datetime) -> None: ...
    def mark_unsent(self, job_ids: Sequence[str]) -> None: ...
    def claim(self, job_ids: Sequence[str], *, at: datetime, per_hour: int) -> Sequence[ExternalScan]: ...
    def handed_over(self, job_id: str, worker: str) -> None: ...
    def release(self, job_id: str, *, claimed_at: datetime, reached: bool) -> None: ...
    def fail(self, job_id: str, *, code: str, message: str, at: datetime) -> None: ...
    def time_out(self, *, dispatched_before: datetime, at: datetime, limit: int) -> TimedOut: ...
    def dispatched_since(self, since: datetime) -> int: ...
    def receive(self, webhook_id: str, report: ExternalReport, at: datetime) -> Received: ...
    def of_version(self, skill_id: str, content_hash: str) -> Sequence[ExternalScan]: ...
    def restore(self, skill_id: str, content_hash: str, at: datetime) -> bool: ...
    def start_over(self, *, idle_since: datetime, limit: int) -> Sequence[str]: ...
    def statistics(self, at: datetime) -> ScanStatistics: ...
    def forget(self, before: datetime) -> None: ...


class ExternalScanQueue(Protocol):
    """SQS. `send` never raises; the others raise QueueUnavailable."""

    def send(self, ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome: ...
    def delay_redelivery(self, receipt_handle: str, seconds: int) -> None: ...
    def depth(self) -> Mapping[str, int]: ...


class ScanWorkers(Protocol):
    """The scanners' VMs. Never raises: a worker that is away is an outcome like another."""

    def hand_over(self, worker: str, body: bytes, *, secret: str, now: datetime, timeout: float) -> Handover: ...


@dataclass(frozen=True)
class GitHubUser:
    """Whom GitHub says somebody is. The number stays when the login changes."""

    id: int
    login: str


class IdentityProvider(Protocol):
    """Sign-in with GitHub. Raises Unauthenticated for what GitHub refuses, SourceUnavailable if it does not answer."""

    def authorise_url(self, *, state: str, challenge: str, redirect_uri: str) -> str: ...
    def user_by_code(self, code: str, *, verifier: str, redirect_uri: str) -> GitHubUser: ...
    def user_by_token(self, token: str) -> GitHubUser: ...


@dataclass(frozen=True)
class Account:
    id: str
    github_id: int
    login: str
    created_at: datetime


@dataclass(frozen=True)
class ApiToken:
    """A token for command-line clients, without its secret, which only its owner has."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True)
class OwnSkill:
    """What an author sees of a skill of theirs, whatever has become of it."""

    id: str
    name: str
    repo_url: str
    skill_path: str
    current_version: str
    content_hash: str
    cert_score: int
    status: str
    status_reason: str | None
    updated_at: datetime


class AccountStore(Protocol):
    """Accounts, sessions and API tokens; secrets only as hashes. Raises StoreUnavailable."""

    def sign_in(self, user: GitHubUser, at: datetime) -> Account: ...
    def start_session(
        self, account_id: str, *, family: str, token_hash: str, at: datetime, expires_at: datetime
    ) -> None: ...
    def rotate_session(self, old_hash: str, new_hash: str, at: datetime) -> Account | None: ...
    def end_reused_family(self, token_hash: str, at: datetime) -> int: ...
    def end_session(self, token_hash: str, at: datetime) -> int: ...
    def end_all_sessions(self, account_id: str, at: datetime) -> int: ...
    def add_token(self, account_id: str, token: ApiToken, token_hash: str, *, at_most: int) -> bool: ...
    def tokens(self, account_id: str, at: datetime) -> Sequence[ApiToken]: ...
    def revoke_token(self, account_id: str, token_id: str, at: datetime) -> bool: ...
    def use_token(self, token_hash: str, at: datetime) -> tuple[Account, ApiToken] | None: ...
    def submissions_of(
        self, account_id: str, login: str, *, after: tuple[datetime, str] | None, limit: int
    ) -> Sequence[tuple[datetime, str]]: ...
    def skills_of(self, login: str, *, after: str, limit: int) -> Sequence[OwnSkill]: ...
    def withdraw_skill(self, skill_id: str, *, reason: str, at: datetime) -> bool: ...


@dataclass(frozen=True)
class Dispute:
    """An author's word against a rule, for one content of a skill. `status` is open, overturned or upheld."""

    id: str
    repo_key: str
    skill_path: str
    rule_id: str
    content_hash: str
    finding_ids: tuple[str, ...]
    note: str
    account_id: str
    login: str
    created_at: datetime
    status: str = "open"
    reason: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True)
class Overturned:
    """A rule that was overturned for a skill, and the findings (by id) that were looked at."""

    rule_id: str
    finding_ids: frozenset[str]


@dataclass(frozen=True)
class OverturnRate:
    rule_id: str
    disputes: int
    overturned: int
    upheld: int


class DisputeStore(Protocol):
    """Disputes and their decisions. Raises StoreUnavailable."""

    def scanned(self, content_hash: str, *, account_id: str, login: str) -> ScanRecord | None: ...
    def open(self, dispute: Dispute) -> Dispute: ...
    def get(self, dispute_id: str) -> Dispute | None: ...
    def decide(self, dispute_id: str, *, status: str, reason: str, by: str, at: datetime) -> Dispute | None: ...
    def page(
        self, *, statuses: Sequence[str], account_id: str | None, after: tuple[datetime, str] | None, limit: int
    ) -> Sequence[Dispute]: ...
    def overturned(self, repo_key: str, skill_path: str) -> Sequence[Overturned]: ...
    def rates(self) -> Sequence[OverturnRate]: ...


class Counters(Protocol):
    """Counts that end by themselves. Raises StoreUnavailable."""

    def add(self, key: str, *, expires_at: datetime) -> int: ...


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


@dataclass(frozen=True)
class Backend:
    """Everything a service may use. `bootstrap.build` makes one; tests make their own with fakes."""

    settings: Settings
    store: SubmissionStore
    skills: SkillStore
    operators: OperatorStore
    live: LiveStore
    idempotency: IdempotencyStore
    idempotency_fallback: IdempotencyStore
    queue: SubmissionQueue
    source: SkillSource
    judge: Judge
    discoveries: DiscoveryStore
    discovery_sources: DiscoverySources
    discovery_dispatcher: DiscoveryDispatcher
    external_scans: ExternalScanStore
    external_queue: ExternalScanQueue
    scan_workers: ScanWorkers
    accounts: AccountStore
    disputes: DisputeStore
    identity: IdentityProvider
    counters: Counters
    catalogue: Catalogue
    versions: VersionStore
    installs: InstallStore
    blocklist: BlocklistReader
    contents: ContentStore
    contents_copy: ContentStore
    kv_skills: KvSkills
    index: IndexStore
    warm: WarmIndex
    charts: ChartStore
    now: Callable[[], datetime]
    close: Callable[[], None]  # for tools and tests; a function's environment simply ends
