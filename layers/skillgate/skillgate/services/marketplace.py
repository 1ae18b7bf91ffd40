"""Reading what is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from skillgate.domain.errors import Gone, NotFound, StoreUnavailable
from skillgate.domain.skill import Published
from skillgate.ports import Backend


@dataclass(frozen=True)
class SkillPage:
    skills: Sequence[Published]
    total: int
    next_after: tuple[datetime, str] | None
    source: str
    as_of: datetime


def get_skills(backend: Backend, *, limit: int, after: tuple[datetime, str] | None) -> SkillPage:
    """Published skills, the most recently updated first. Raises StoreUnavailable: unknown is not empty."""
    found = list(backend.skills.newest(limit=limit + 1, after=after))
    last = found[limit - 1] if len(found) > limit else None
    key = (last.updated_at, last.skill_id) if last and last.updated_at else None
    return SkillPage(found[:limit], backend.skills.count(), key, "postgres", backend.now())


def get_skill(backend: Backend, skill_id: str) -> tuple[Published, str]:
    """The skill and which store it came from. Raises NotFound."""
    try:
        skill, source = backend.skills.get(skill_id), "postgres"
    except StoreUnavailable:
        skill, source = backend.live.get_skill(skill_id), "kv"
    if skill is None:
        raise NotFound("There is no skill with this name.", code="skill_not_found")
    if skill.status == "removed":
        raise Gone(f"This skill was removed: {skill.status_reason or 'no reason was given'}", code="skill_removed")
    return skill, source
