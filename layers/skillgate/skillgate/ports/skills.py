"""Published skills: publishing and blocking them, the marketplace's reads, contents and the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from skillgate.domain.archive import StoredFile
from skillgate.domain.listing import Key, Listing
from skillgate.domain.skill import Published
from skillgate.search.memory import Hit
from skillgate.search.selection import Filters
from skillgate.search.text import Phrase


@dataclass(frozen=True)
class Enumerated:
    """Skills that were read one by one, and how many were listed but gone or unreadable."""

    listings: Sequence[Listing]
    skipped: int = 0


@dataclass(frozen=True)
class VersionRecord:
    id: int
    skill_id: str
    version: str
    content_hash: str
    commit_sha: str
    submission_id: str
    content: str
    files: Sequence[Mapping[str, Any]]
    report: Mapping[str, Any]
    artifact: str
    digest: str
    status: str
    status_reason: str | None
    published_at: datetime


@dataclass(frozen=True)
class BlockEntry:
    id: str
    repo_key: str | None
    skill_path: str | None
    content_hash: str | None
    reason: str
    threat_type: str
    severity: str
    created_at: datetime


@dataclass(frozen=True)
class Scope:
    """What somebody asks about: a repository, one skill of it by its folder's name, a content."""

    repo_key: str | None = None
    slug: str | None = None
    content_hash: str | None = None


@dataclass(frozen=True)
class Rejection:
    """The last answer to a submission of this skill, where it was a no."""

    submission_id: str
    state: str
    reason_code: str | None
    reason: str | None
    at: datetime


@dataclass(frozen=True)
class Change:
    cursor: tuple[str, int]
    kind: str
    skill_id: str
    version: str | None
    content_hash: str | None
    at: datetime


@dataclass(frozen=True)
class IndexPointer:
    """Which index is the current one. `horizon` is None for one that was not built from Postgres."""

    generation: str
    chunks: int
    count: int
    built_at: datetime
    source: str
    horizon: str | None
    sha256: str
    previous: str | None = None  # kept for who is still loading it
    previous_chunks: int = 0


@dataclass(frozen=True)
class Override:
    """A status that is newer than the index."""

    skill_id: str
    status: str
    reason: str | None
    at: datetime


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


class Catalogue(Protocol):
    """Reads of published skills from Postgres. Raises StoreUnavailable."""

    def page(self, filters: Filters, *, sort: str, after: Key | None, limit: int) -> Sequence[Listing]: ...
    def count(self, filters: Filters) -> int: ...
    def categories(self) -> Mapping[str, int]: ...
    def by_ids(self, ids: Sequence[str]) -> Mapping[str, Listing]: ...
    def known(self, ids: Sequence[str]) -> set[str]: ...
    def named(self, key: str, limit: int) -> Sequence[Listing]: ...
    def of_repository(self, repo_key: str) -> Sequence[Listing]: ...
    def same_names(self, keys: Sequence[str]) -> Sequence[Listing]: ...
    def search(self, phrase: Phrase, filters: Filters, *, after: Key | None, limit: int) -> Sequence[Hit]: ...
    def everything(self) -> AbstractContextManager[Iterator[Listing]]: ...
    def horizon(self) -> str: ...
    def changed_since(self, horizon: str) -> bool: ...
    def revisions(self) -> Mapping[str, tuple[int, str]]: ...
    def changes(self, after: tuple[str, int], limit: int) -> Sequence[Change]: ...
    def orphaned_aliases(self, limit: int) -> Sequence[tuple[str, str]]: ...


class VersionStore(Protocol):
    """Versions and what was found in them. Raises StoreUnavailable."""

    def all(self, skill_id: str) -> Sequence[VersionRecord]: ...
    def get(self, skill_id: str, version: str) -> VersionRecord | None: ...
    def manifests(self, wanted: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], VersionRecord]: ...


class InstallStore(Protocol):
    """Raises StoreUnavailable."""

    def salt(self, day: date) -> bytes: ...
    def count(self, day: date, marks: Sequence[tuple[str, bytes]]) -> set[str]: ...
    def by_day(self, skill_id: str, since: date) -> Mapping[date, int]: ...


class BlocklistReader(Protocol):
    """Raises StoreUnavailable."""

    def entries(self) -> Sequence[BlockEntry]: ...
    def matching(self, scope: Scope) -> BlockEntry | None: ...
    def rejection(self, scope: Scope) -> Rejection | None: ...


class ContentStore(Protocol):
    """Contents of published files by their hash. Raises StoreUnavailable."""

    def put(self, files: Iterable[StoredFile]) -> None: ...
    def get(self, hashes: Sequence[str]) -> Mapping[str, StoredFile]: ...


class KvSkills(Protocol):
    """Published skills as the KV lists them. Raises StoreUnavailable."""

    def revisions(self) -> Mapping[str, int]: ...
    def read(self, ids: Sequence[str]) -> Enumerated: ...
    def named(self, key: str) -> Sequence[str]: ...
    def aliases(self) -> Sequence[tuple[str, str]]: ...
    def overrides(self) -> Sequence[Override]: ...
    def override(self, override: Override) -> None: ...
    def drop_overrides(self, before: datetime) -> None: ...


class IndexStore(Protocol):
    """The published index: immutable chunks and one pointer. Raises StoreUnavailable."""

    def pointer(self) -> IndexPointer | None: ...
    def read(self, generation: str, numbers: Sequence[int]) -> Mapping[int, bytes]: ...
    def write(self, generation: str, chunks: Sequence[bytes]) -> None: ...
    def swap(self, pointer: IndexPointer, replacing: str | None) -> bool: ...
    def delete(self, generation: str, chunks: int) -> None: ...
