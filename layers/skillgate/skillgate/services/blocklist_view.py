"""What installers ask before they install: is this source or this content blocked, or was it refused?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgate.domain.errors import InvalidInput, NotFound
from skillgate.domain.repo_url import RepoUrl
from skillgate.market_ports import BlockEntry, Rejection
from skillgate.ports import Backend
from skillgate.services import marketplace


@dataclass(frozen=True)
class Checked:
    """`candidates`: the name alone does not say which of these is meant, so nothing was decided."""

    entry: BlockEntry | None = None
    rejection: Rejection | None = None
    candidates: Sequence[str] = ()


def entries(backend: Backend) -> Sequence[BlockEntry]:
    """Raises StoreUnavailable: an unknown blocklist is not an empty one."""
    return backend.blocklist.entries()


def check(backend: Backend, name: str | None, repo_url: str | None, content_hash: str | None) -> Checked:
    """Looks for an entry of this source or content. A bare name blocks nothing by itself: it is looked up first."""
    if not (name or repo_url or content_hash):
        raise InvalidInput("Give a name, a repoUrl or a hash.", code="nothing_to_check")
    repo_key = RepoUrl.parse(repo_url).key if repo_url else None
    path: str | None = None
    candidates: Sequence[str] = ()
    if name:
        repo_key, path, candidates = _source(backend, name, repo_key)
    hash_ = content_hash.lower().removeprefix("sha256:") if content_hash else None
    if repo_key is None and hash_ is None:
        return Checked(candidates=candidates)
    return Checked(
        entry=backend.blocklist.matching(repo_key, path, hash_),
        rejection=backend.blocklist.rejection(repo_key, path, hash_),
        candidates=candidates,
    )


def _source(backend: Backend, name: str, repo_key: str | None) -> tuple[str | None, str | None, Sequence[str]]:
    """The repository and path that a name stands for, or what it may stand for."""
    parts = name.strip("/").lower().split("/")
    if len(parts) == 3:
        repo_key = repo_key or "/".join(parts[:2])
        known = backend.catalogue.by_ids([f"{repo_key}/{parts[2]}"]).get(f"{repo_key}/{parts[2]}")
        return repo_key, known.skill_path if known else f"skills/{parts[2]}/SKILL.md", ()
    try:
        found = marketplace.resolve_name(backend, name)
    except NotFound:
        found = ()
    if repo_key is not None:
        found = [each for each in found if each.repo.key == repo_key]
        return repo_key, found[0].skill_path if len(found) == 1 else None, ()
    if len(found) == 1:
        return found[0].repo.key, found[0].skill_path, ()
    return None, None, [each.skill_id for each in found]
