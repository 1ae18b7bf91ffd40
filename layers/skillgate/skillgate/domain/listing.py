"""What the marketplace shows of a skill in a list: everything but its content, files and report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from typing import Any

from skillgate.domain.repo_url import RepoUrl, skill_slug
from skillgate.domain.skill import Published

VISIBLE = frozenset({"published", "blocked"})  # what lists show; the rest is answered by name only
SEED_TIER = "LISTED"  # the certification of a skill that is known but was never scanned here
Key = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    skill_id: str
    repo_url: str
    skill_path: str
    name: str
    description: str
    version: str
    commit_sha: str
    content_hash: str
    cert_tier: str
    cert_method: str
    cert_score: int
    certified_at: datetime
    created_at: datetime
    updated_at: datetime
    category: str = "other"
    labels: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()  # empty: any agent that reads SKILL.md
    license: str | None = None
    trust_tier: str = "T1"
    trust_score: int = 0
    has_scripts: bool = False
    stars: int = 0
    installs: int = 0
    artifact: str = ""  # skill-md or archive; empty where nothing can be installed from here
    digest: str = ""
    status: str = "published"
    status_reason: str | None = None
    threat_type: str | None = None
    severity: str | None = None
    source_removed_at: datetime | None = None  # since when its repository no longer has it
    revision: int = 1

    @classmethod
    def of(cls, skill: Published) -> Listing:
        shared = {name: getattr(skill, name) for name in _SHARED}
        updated = skill.updated_at or skill.published_at
        return cls(
            **shared,
            certified_at=skill.published_at,
            created_at=skill.created_at or skill.published_at,
            updated_at=updated,
        )

    @property
    def repo(self) -> RepoUrl:
        return RepoUrl.parse(self.repo_url)

    @property
    def slug(self) -> str:
        return skill_slug(self.repo, self.skill_path)

    @property
    def is_blocked(self) -> bool:
        return self.status == "blocked"

    @property
    def installable(self) -> bool:
        return self.status == "published" and bool(self.artifact)

    def to_dict(self) -> dict[str, Any]:
        """Only what differs from the defaults, so that an index of many stays small."""
        values = {name: getattr(self, name) for name in _NAMES}
        kept = {name: value for name, value in values.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
        return kept | {name: kept[name].isoformat() for name in (*_TIMES, *_OPTIONAL_TIMES) if name in kept}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Listing:
        """Raises KeyError, TypeError or ValueError for what `to_dict` did not write."""
        known = {name: values[name] for name in _NAMES if name in values}
        times = {name: datetime.fromisoformat(values[name]) for name in _TIMES}
        times |= {name: datetime.fromisoformat(values[name]) for name in _OPTIONAL_TIMES if name in values}
        lists = {name: tuple(values[name]) for name in ("labels", "agents") if name in values}
        return cls(**known | times | lists)


_NAMES = tuple(field.name for field in fields(Listing))
_TIMES = ("certified_at", "created_at", "updated_at")
_OPTIONAL_TIMES = ("source_removed_at",)
_SHARED = tuple(name for name in _NAMES if name not in _TIMES)
_DEFAULTS = {field.name: field.default for field in fields(Listing) if field.default is not MISSING}


def microseconds(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000 + at.microsecond


def popularity(listing: Listing) -> tuple[int, int, str]:
    """The higher, the more popular; the id makes the order total."""
    return listing.installs, listing.stars, listing.skill_id


def sort_key(sort: str, listing: Listing) -> Key:
    """What a list is sorted by, and what a cursor holds. Only `name` is sorted upwards."""
    match sort:
        case "updated":
            return microseconds(listing.updated_at), listing.skill_id
        case "created":
            return microseconds(listing.created_at), listing.skill_id
        case "stars":
            return listing.stars, listing.skill_id
        case "score":
            return listing.cert_score, listing.skill_id
        case "name":
            return listing.name.lower(), listing.skill_id
        case _:
            return popularity(listing)


SORTS: Mapping[str, tuple[type, ...]] = {
    "popular": (int, int, str),
    "updated": (int, str),
    "created": (int, str),
    "stars": (int, str),
    "score": (int, str),
    "name": (str, str),
    "relevance": (int, int, int, str),
}


def is_descending(sort: str) -> bool:
    return sort != "name"
