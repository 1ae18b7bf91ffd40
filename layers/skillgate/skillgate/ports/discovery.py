"""Finding skills: where to look, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
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
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle
from skillgate.ports.submissions import OpenKey


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
