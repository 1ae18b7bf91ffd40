"""Skills that were found rather than submitted: candidates, what became of them, and the log of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from skillgate.domain.repo_url import RepoUrl

GITHUB_CODE = "github-code"
GITHUB_TOPICS = "github-topics"
VENDORS = "vendors"
NPM = "npm"
WELL_KNOWN = "well-known"
SOURCES = (GITHUB_CODE, GITHUB_TOPICS, VENDORS, NPM, WELL_KNOWN)

# Not a place to find skills in, but one more thing that discovery runs: looking at published ones again.
PUBLISHED = "published"
BULK = "bulk"


@dataclass(frozen=True)
class Candidate:
    """A skill that a source showed. `commit_sha` is its repository's newest commit at that time, if it is known."""

    repo: RepoUrl
    skill_path: str
    commit_sha: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.repo.key, self.skill_path


class Verdict(StrEnum):
    """What became of one candidate."""

    ENQUEUED = "enqueued"
    KNOWN = "known"
    BLOCKED = "blocked"
    ERROR = "error"
    LEFT = "left"  # not taken, because the run has enqueued all that it may


class Outcome(StrEnum):
    """How a run ended. All but `completed` leave a checkpoint from which the next run of the source goes on."""

    COMPLETED = "completed"
    CAPPED = "capped"
    OUT_OF_TIME = "out_of_time"
    NO_TOKEN_LEFT = "no_token_left"  # noqa: S105 - an outcome, not a secret
    SOURCE_UNAVAILABLE = "source_unavailable"
    STORE_UNAVAILABLE = "store_unavailable"
    NOT_CONFIGURED = "not_configured"
    CRASHED = "crashed"


@dataclass
class Counts:
    """`candidates` is the sum of the others. A repository that could not be looked into is one, with an error."""

    candidates: int = 0
    enqueued: int = 0
    skipped_dedup: int = 0
    skipped_blocked: int = 0
    errors: int = 0

    def add(self, verdict: Verdict) -> None:
        if verdict is Verdict.LEFT:
            return
        self.candidates += 1
        self.enqueued += verdict is Verdict.ENQUEUED
        self.skipped_dedup += verdict is Verdict.KNOWN
        self.skipped_blocked += verdict is Verdict.BLOCKED
        self.errors += verdict is Verdict.ERROR


@dataclass
class RepositoryRow:
    """One repository's line in the log of a run."""

    repo_url: str
    counts: Counts = field(default_factory=Counts)
    error: str | None = None


@dataclass(frozen=True)
class TokenState:
    """What one token had left when a run ended. Tokens go by their place in the list, never by their text."""

    token: str
    retired: bool
    resource: str | None = None
    remaining: int | None = None
    resets_at: datetime | None = None


@dataclass
class Run:
    id: str
    source: str
    started_at: datetime
    max_results: int
    counts: Counts = field(default_factory=Counts)
    hidden: int = 0  # results that the source has and no query can reach
    checkpoint: Mapping[str, Any] | None = None
    tokens: Sequence[TokenState] = ()
    outcome: Outcome | None = None  # None while it runs, or after it was cut
    message: str | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True)
class LookFailure:
    """A repository (or a site) that a source could not look into."""

    where: str
    code: str
    message: str


@dataclass(frozen=True)
class CandidatePage:
    """Some candidates, and from where the source goes on after them. `hidden`: results that no query reaches."""

    candidates: Sequence[Candidate]
    checkpoint: Mapping[str, Any]
    failures: Sequence[LookFailure] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Mark:
    """A candidate that was looked at; `submission_id` where it was submitted or is open already."""

    candidate: Candidate
    settled: bool
    submission_id: str | None = None


@dataclass(frozen=True)
class SourceTotals:
    """What a source brought in all of its runs that are still in the log."""

    source: str
    runs: int
    candidates: int
    enqueued: int
    skipped_dedup: int
    skipped_blocked: int
    errors: int
    last_started_at: datetime
    last_completed_at: datetime | None


@dataclass(frozen=True)
class PublishedAtSource:
    """A published skill as far as looking at it again needs it."""

    skill_id: str
    repo_url: str
    skill_path: str
    content_hash: str
    source_head: str | None
    removed_at: datetime | None
