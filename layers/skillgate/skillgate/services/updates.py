"""What installed skills there are newer versions of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgate.domain.errors import NotFound, SkillgateError
from skillgate.domain.listing import Listing
from skillgate.domain.version import bump
from skillgate.domain.version import parse as parse_version
from skillgate.ports import Backend
from skillgate.services import marketplace
from skillgate.services.versions import diff_summary


@dataclass(frozen=True)
class Installed:
    name: str  # owner/repo/skill, or a name that only one skill has
    version: str | None
    sha: str | None = None


@dataclass(frozen=True)
class Update:
    """`listing` is None, and `error` says why, for a skill that is not known."""

    installed: Installed
    listing: Listing | None
    available: bool = False
    bump: str | None = None
    summary: str | None = None
    error: str | None = None


def check_updates(backend: Backend, installed: Sequence[Installed]) -> list[Update]:
    """One answer for each, in order. Raises StoreUnavailable with Postgres away: unknown is not up to date."""
    ids = [_skill_id(backend, each.name) for each in installed]
    known = backend.catalogue.by_ids([id_ for id_ in ids if isinstance(id_, str)])
    updates = [
        _compared(each, known[id_]) if isinstance(id_, str) and id_ in known else Update(each, None, error=_why(id_))
        for each, id_ in zip(installed, ids, strict=True)
    ]
    return _summarised(backend, updates)


def _skill_id(backend: Backend, name: str) -> str | SkillgateError:
    if name.count("/") == 2:
        return name.lower()
    candidates = marketplace.resolve_name(backend, name)
    if len(candidates) == 1:
        return candidates[0].skill_id
    if candidates:
        return NotFound(f"{len(candidates)} skills have this name; ask for owner/repo/skill.", code="ambiguous_name")
    return NotFound("There is no skill with this name.", code="skill_not_found")


def _why(found: str | SkillgateError) -> str:
    return "There is no skill with this name." if isinstance(found, str) else found.message


def _compared(installed: Installed, listing: Listing) -> Update:
    if listing.status != "published":
        return Update(installed, listing, error=f"This skill is {listing.status}: {listing.status_reason}")
    distance = bump(installed.version, listing.version)
    if installed.sha and installed.sha in (listing.commit_sha, listing.content_hash):
        return Update(installed, listing, available=False, bump="none")
    old, new = parse_version(installed.version), parse_version(listing.version)
    if old is None or new is None:  # without a version to compare, other content is an update
        available = bool(installed.sha) and installed.sha not in (listing.commit_sha, listing.content_hash)
        return Update(installed, listing, available=available)
    return Update(installed, listing, available=new > old, bump=distance if new > old else "none")


def _summarised(backend: Backend, updates: Sequence[Update]) -> list[Update]:
    wanted: list[tuple[str, str]] = []
    for update in updates:
        if update.available and update.listing and update.installed.version:
            wanted += [
                (update.listing.skill_id, update.installed.version),
                (update.listing.skill_id, update.listing.version),
            ]
    versions = backend.versions.manifests(wanted) if wanted else {}

    def summed(update: Update) -> Update:
        if not update.available or update.listing is None or update.installed.version is None:
            return update
        before = versions.get((update.listing.skill_id, update.installed.version))
        after = versions.get((update.listing.skill_id, update.listing.version))
        if before is None or after is None:
            return update
        summary = diff_summary(before, after, update.listing.skill_path)
        return Update(update.installed, update.listing, True, update.bump, summary)

    return [summed(update) for update in updates]
