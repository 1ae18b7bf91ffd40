"""Discovery for installers: the index of the agent-skills discovery format 0.2.0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from skillgate.domain.archive import SKILL_MD
from skillgate.domain.errors import NotFound, StoreUnavailable
from skillgate.domain.listing import Listing
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.search.selection import Filters
from skillgate.search.text import Phrase
from skillgate.services.marketplace import load_index, with_status

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
MOST_INSTALLED = 300
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def discovery_index(backend: Backend, repo_key: str | None = None) -> dict[str, Any]:
    """The most installed skills, or all of one repository. Raises NotFound for a repository without any."""
    listings = _most_installed(backend) if repo_key is None else _of_repository(backend, repo_key.lower())
    if repo_key is not None and not listings:
        raise NotFound("No skill of this repository is published here.", code="repository_not_found")
    return {"$schema": SCHEMA, "skills": list(_entries(listings))}


def artifact_path(listing: Listing) -> str:
    file = "SKILL.md" if listing.artifact == SKILL_MD else "skill.zip"
    skill = "/".join(quote(part, safe="") for part in listing.skill_id.split("/"))
    return f"/api/v1/skills/{skill}/versions/{quote(listing.version, safe='')}/{file}"


def install_name(listing: Listing) -> str:
    """The name in the letters that installers take."""
    return _NOT_IN_NAMES.sub("-", listing.slug.lower()).strip("-")[:_MAX_NAME].strip("-")


def _most_installed(backend: Backend) -> Sequence[Listing]:
    try:
        return backend.catalogue.page(Filters(), sort="popular", after=None, limit=MOST_INSTALLED)
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="discovery", error=error.message)
    return _from_index(backend, Filters())


def _of_repository(backend: Backend, repo_key: str) -> Sequence[Listing]:
    try:
        return backend.catalogue.of_repository(repo_key)
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="discovery", error=error.message)
    return _from_index(backend, Filters(repo=repo_key))


def _from_index(backend: Backend, filters: Filters) -> list[Listing]:
    warm = load_index(backend)
    limit = MOST_INSTALLED if filters == Filters() else len(warm.index)
    hits = warm.index.search(Phrase("", (), "", blank=True), filters, limit=limit)
    shown = (with_status(hit.listing, warm) for hit in hits)
    return [listing for listing in shown if listing is not None]


def _entries(listings: Iterable[Listing]) -> Iterable[dict[str, str]]:
    """A name stands for one skill: of several, the most installed; the others are under their own repository."""
    taken: set[str] = set()
    for listing in listings:
        name = install_name(listing)
        if not listing.installable or not name or name in taken:
            continue
        taken.add(name)
        yield {
            "name": name,
            "type": listing.artifact,
            "description": listing.description[:_MAX_DESCRIPTION] or listing.name,
            "url": artifact_path(listing),
            "digest": listing.digest,
        }
