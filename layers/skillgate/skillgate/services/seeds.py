"""The skills that come with the product: shown under what is published, and all there is when every store is away."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

from skillgate.domain.listing import SEED_TIER, Listing
from skillgate.domain.repo_url import RepoUrl, skill_slug
from skillgate.search.memory import MemoryIndex
from skillgate.search.writer import build

_KNOWN_SINCE = datetime(2025, 1, 1, tzinfo=UTC)  # before anything that was published


@cache
def seeds() -> Sequence[Listing]:
    text = (files("skillgate.data") / "seed_skills.csv").read_text(encoding="utf-8")
    return tuple(_listing(row) for row in csv.DictReader(text.splitlines()))


@cache
def seed_ids() -> frozenset[str]:
    return frozenset(seed.skill_id for seed in seeds())


@cache
def seed_index() -> MemoryIndex:
    return MemoryIndex(build(seeds()))


def _listing(row: dict[str, str]) -> Listing:
    repo = RepoUrl.parse(row["repo_url"])
    return Listing(
        skill_id=f"{repo.key}/{skill_slug(repo, row['skill_path']).lower()}",
        repo_url=repo.url,
        skill_path=row["skill_path"],
        name=row["name"],
        description=row["description"],
        version="",
        commit_sha="",
        content_hash="",
        cert_tier=SEED_TIER,
        cert_method="none",
        cert_score=0,
        certified_at=_KNOWN_SINCE,
        created_at=_KNOWN_SINCE,
        updated_at=_KNOWN_SINCE,
        category=row["category"],
        trust_tier="T0",
    )
