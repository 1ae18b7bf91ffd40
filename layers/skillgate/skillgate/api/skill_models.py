"""The marketplace on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from skillgate.api.models import Wire
from skillgate.domain.listing import SEED_TIER, Listing
from skillgate.services.marketplace import Provenance, Skill


class SkillOut(Wire):
    """A skill in a list. `name` is its full name, owner/repo/skill; `displayName` is what its author calls it."""

    id: str
    name: str
    display_name: str
    author: str
    owner_slug: str
    repo_slug: str
    skill_slug: str
    description: str
    repo_url: str
    skill_path: str
    category: str
    labels: list[str]
    agents: list[str]
    license: str | None
    cert_tier: str
    cert_score: int | None
    cert_method: str
    certified_at: datetime | None
    trust_tier: str
    trust_score: int
    current_version: str | None
    sha: str | None
    content_hash: str | None
    has_scripts: bool
    github_stars: int
    vskill_installs: int
    installs: int
    created_at: datetime
    updated_at: datetime
    status: str
    status_reason: str | None
    is_blocked: bool
    installable: bool
    is_seed: bool
    removed_at_source: datetime | None = Field(description="Since when its repository no longer has it.")
    threat_type: str | None
    severity: str | None

    @classmethod
    def values_of(cls, listing: Listing) -> dict[str, Any]:
        repo, seed = listing.repo, listing.cert_tier == SEED_TIER
        return {
            "id": listing.skill_id,
            "name": listing.skill_id,
            "display_name": listing.name,
            "author": repo.owner,
            "owner_slug": repo.owner,
            "repo_slug": repo.repo,
            "skill_slug": listing.slug,
            "labels": list(listing.labels),
            "agents": list(listing.agents),
            "cert_score": None if seed else listing.cert_score,
            "certified_at": None if seed else listing.certified_at,
            "current_version": listing.version or None,
            "sha": listing.commit_sha or None,
            "content_hash": listing.content_hash or None,
            "github_stars": listing.stars,
            "vskill_installs": listing.installs,
            "is_blocked": listing.is_blocked,
            "is_seed": seed,
            "removed_at_source": listing.source_removed_at,
            **{name: getattr(listing, name) for name in _AS_THEY_ARE},
        }

    @classmethod
    def of(cls, listing: Listing) -> SkillOut:
        return cls(**cls.values_of(listing))


_AS_THEY_ARE = (
    "description", "repo_url", "skill_path", "category", "license", "cert_tier", "cert_method", "trust_tier",
    "trust_score", "has_scripts", "installs", "created_at", "updated_at", "status", "status_reason", "installable",
    "threat_type", "severity",
)  # fmt: skip


class FileOut(Wire):
    path: str
    size: int
    sha256: str | None


class SkillDetail(SkillOut):
    content: str | None
    files: list[FileOut]

    @classmethod
    def of_skill(cls, skill: Skill) -> SkillDetail:
        published = skill.published
        return cls(
            **cls.values_of(skill.listing),
            content=published.content if published else None,
            files=[FileOut.model_validate(file) for file in published.files] if published else [],
        )


class Told(Wire):
    """Where an answer comes from: postgres, index, kv or seeds."""

    source: str
    as_of: datetime
    degraded: bool


class Pagination(Wire):
    has_more: bool
    next_cursor: str | None


class SkillList(Told):
    skills: list[SkillOut]
    total: int | None = Field(description="Null where it was not counted.")
    page: int | None
    limit: int
    next_cursor: str | None
    pagination: Pagination
    skipped: int = Field(0, description="Skills that are known and could not be read.")


class SkillAnswer(Told):
    skill: SkillDetail


class SkillCount(Told):
    count: int


class CategoryOut(Wire):
    name: str
    count: int


class CategoryList(Told):
    categories: list[CategoryOut]


class SearchResult(SkillOut):
    alternate_repos: list[str]


class SearchAnswer(Told):
    results: list[SearchResult]
    pagination: Pagination


class FoundSkill(Wire):
    id: str
    name: str
    source: str
    installs: int


class FoundSkills(Wire):
    """What the `find` of command-line clients reads."""

    skills: list[FoundSkill]


def told(provenance: Provenance) -> dict[str, Any]:
    return {"source": provenance.source, "as_of": provenance.as_of, "degraded": provenance.degraded}


def told_in_headers(provenance: Provenance) -> dict[str, str]:
    return {
        "X-Skillgate-Source": provenance.source,
        "X-Skillgate-As-Of": provenance.as_of.isoformat(),
        "X-Skillgate-Degraded": str(provenance.degraded).lower(),
    }
