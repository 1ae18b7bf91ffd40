"""What installers ask before they install: is this source or this content blocked, or was it refused?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgate.domain.errors import InvalidInput
from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend, BlockEntry, Rejection, Scope
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
    slug: str | None = None
    candidates: Sequence[str] = ()
    if name:
        repo_key, slug, candidates = _source(backend, name, repo_key)
    hash_ = content_hash.lower().removeprefix("sha256:") if content_hash else None
    if repo_key is None and hash_ is None:
        return Checked(candidates=candidates)
    scope = Scope(repo_key, slug, hash_)
    return Checked(backend.blocklist.matching(scope), backend.blocklist.rejection(scope), candidates)


def _source(backend: Backend, name: str, repo_key: str | None) -> tuple[str | None, str | None, Sequence[str]]:
    """The repository and folder that a name stands for, or the skills that it may stand for."""
    *source, slug = name.strip("/").lower().split("/")
    if repo_key is not None:
        return repo_key, slug, ()
    if len(source) == 2:
        return "/".join(source), slug, ()
    found = marketplace.resolve_name(backend, name)
    if len(found) == 1:
        return found[0].repo.key, found[0].slug, ()
    return None, None, [each.skill_id for each in found]
