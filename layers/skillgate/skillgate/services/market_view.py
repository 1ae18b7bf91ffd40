"""The marketplace as a page shows it: one search, grouped by repository, with what helps where nothing was found."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from skillgate.concurrency import settle, together
from skillgate.domain.errors import InvalidInput, NotFound, StoreUnavailable
from skillgate.domain.listing import SEED_TIER, Key, Listing
from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend
from skillgate.search.memory import Rank
from skillgate.search.text import words
from skillgate.services import marketplace
from skillgate.services.marketplace import Provenance
from skillgate.services.search import Search, search_skills

SHOWN_OF_ONE = 2  # skills of one repository before the rest of it becomes a link
_SUGGESTED = 3


@dataclass(frozen=True)
class Group:
    """Hits of one repository. `size` is how many skills it has in all, `others` how many of them were also hit."""

    owner: str
    repo: str
    listings: Sequence[Listing]
    others: int
    size: int


@dataclass(frozen=True)
class Market:
    groups: Sequence[Group]
    next_after: Key | None
    total: int | None
    categories: Mapping[str, int]
    suggestions: Sequence[str]
    guessed: bool
    provenance: Provenance


def market(backend: Backend, search: Search, *, scanned_only: bool = False) -> Market:
    """`scanned_only` leaves out what is blocked and what was never scanned here. Answers with every store away."""
    found, tallied = together(lambda: search_skills(backend, search), lambda: marketplace.get_skill_categories(backend))
    results = found.unwrap()
    categories = tallied.unwrap()[0] if tallied.ok else {}
    listings = [hit.listing for hit in results.hits]
    if scanned_only:
        listings = [each for each in listings if each.status == "published" and each.cert_tier != SEED_TIER]
    guessed = bool(search.q) and search.sort == "relevance" and bool(results.hits) and _is_guess(results.hits[0].key)
    return Market(
        groups=_grouped(backend, listings),
        next_after=results.next_after,
        total=sum(categories.values()) if categories else None,
        categories=categories,
        suggestions=[] if listings else _suggestions(backend, search),
        guessed=guessed,
        provenance=results.provenance,
    )


def repository_named(text: str | None) -> str | None:
    """`owner/repo` if that is what somebody searched for."""
    if not text or "/" not in text:
        return None
    try:
        repo = RepoUrl.parse(text if text.startswith("https://") else f"https://github.com/{text}")
    except InvalidInput:
        return None
    return f"{repo.owner}/{repo.repo}"


def repository(backend: Backend, owner: str, repo: str) -> tuple[Sequence[Listing], Provenance]:
    """All skills of a repository. Raises NotFound for one that has none here."""
    search = Search(filters=replace(Search().filters, repo=f"{owner}/{repo}".lower()), sort="name", limit=500)
    results = search_skills(backend, search)
    if not results.hits:
        raise NotFound("No skill of this repository is listed.", code="repository_not_found")
    return [hit.listing for hit in results.hits], results.provenance


def _is_guess(key: Key) -> bool:
    return -int(key[0]) >= Rank.TYPO


def _grouped(backend: Backend, listings: Sequence[Listing]) -> list[Group]:
    by_repository: dict[str, list[Listing]] = {}
    for listing in listings:
        by_repository.setdefault(listing.repo.key, []).append(listing)
    sizes = _sizes(backend, [key for key, members in by_repository.items() if len(members) > 1])
    return [
        Group(
            owner=members[0].repo.owner,
            repo=members[0].repo.repo,
            listings=members[:SHOWN_OF_ONE],
            others=len(members[SHOWN_OF_ONE:]),
            size=max(sizes.get(key, 0), len(members)),
        )
        for key, members in by_repository.items()
    ]


def _sizes(backend: Backend, keys: Sequence[str]) -> dict[str, int]:
    """How many skills each repository has; one that cannot be counted is left out."""
    warm = backend.warm.get()
    if warm is None:
        counted = settle(backend.catalogue.of_repository, keys, workers=4)
        return {key: len(found.unwrap()) for key, found in zip(keys, counted, strict=True) if found.ok}
    packed, sizes = warm.index.packed, {}
    for key in keys:
        at = bisect_left(packed.repos, key)
        if at < len(packed.repos) and packed.repos[at] == key:
            sizes[key] = packed.repo_docs.size(at, at + 1)
    return sizes


def _suggestions(backend: Backend, search: Search) -> list[str]:
    """Parts of what was asked for that do find something."""
    asked = words(search.q)
    if len(asked) < 2:
        return []
    alone = [replace(search, q=word, after=None, limit=1) for word in dict.fromkeys(asked[:6])]
    try:
        return [each.q for each in alone if search_skills(backend, each).hits][:_SUGGESTED]
    except StoreUnavailable:
        return []
