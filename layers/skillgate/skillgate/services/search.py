"""Searching the marketplace: in the index that this environment holds, and in Postgres where that is not enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from skillgate.domain.errors import StoreUnavailable
from skillgate.domain.listing import Key, is_descending, sort_key
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.search.memory import Hit, MemoryIndex
from skillgate.search.selection import Filters
from skillgate.search.text import Phrase, key, parse
from skillgate.search.warm import Warm
from skillgate.search.writer import build
from skillgate.services import marketplace
from skillgate.services.marketplace import INDEX, KV, POSTGRES, SEEDS, Provenance, with_status
from skillgate.services.seeds import seed_ids, seed_index

_ALTERNATES = 6  # other repositories that are named beside a hit
_MOST_SORTED = 500  # hits that Postgres is asked for when they are not wanted by relevance


@dataclass(frozen=True)
class Search:
    q: str = ""
    filters: Filters = field(default_factory=Filters)
    sort: str = "relevance"
    after: Key | None = None
    limit: int = 20

    @property
    def phrase(self) -> Phrase:
        return parse(self.q)

    @property
    def order(self) -> str:
        """By relevance only where something was asked for."""
        return "popular" if self.sort == "relevance" and self.phrase.blank else self.sort


@dataclass(frozen=True)
class Results:
    """`alternates` names, for each hit, other repositories with a skill of the same name."""

    hits: Sequence[Hit]
    next_after: Key | None
    alternates: Mapping[str, Sequence[str]]
    provenance: Provenance


def search_skills(backend: Backend, search: Search) -> Results:
    """Hits by rank, then popularity. Answers with every store away, from the seeds if need be."""
    warm = backend.warm.get()
    remembered = _in_index(warm, search) if warm else []
    if warm and len(remembered) > search.limit:
        return _results(warm.index, remembered, search, Provenance(INDEX, warm.built_at, degraded=False))
    try:
        return _from_postgres(backend, search, remembered)
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="search", error=error.message)
    if warm:
        return _results(warm.index, remembered, search, Provenance(INDEX, warm.built_at, degraded=True))
    return _without_postgres(backend, search)


def _in_index(warm: Warm, search: Search) -> list[Hit]:
    hits = warm.index.search(
        search.phrase, search.filters, sort=search.order, after=search.after, limit=search.limit + 1
    )
    shown = ((hit, with_status(hit.listing, warm)) for hit in hits)
    return [Hit(hit.key, listing) for hit, listing in shown if listing is not None]


def _from_postgres(backend: Backend, search: Search, remembered: Sequence[Hit]) -> Results:
    """What Postgres finds is the truth; what only the index finds (a typo, say) is kept if it is still published."""
    wanted = search.limit + 1
    if search.phrase.blank:
        page = backend.catalogue.page(search.filters, sort=search.order, after=search.after, limit=wanted)
        found = [Hit(sort_key(search.order, listing), listing) for listing in page]
    elif search.order == "relevance":
        found = list(backend.catalogue.search(search.phrase, search.filters, after=search.after, limit=wanted))
    else:
        matched = backend.catalogue.search(search.phrase, search.filters, after=None, limit=_MOST_SORTED)
        found = [Hit(sort_key(search.order, hit.listing), hit.listing) for hit in matched]
    hits = {hit.listing.skill_id: hit for hit in found}
    only_remembered = {hit.listing.skill_id: hit for hit in remembered if hit.listing.skill_id not in hits}
    current = backend.catalogue.by_ids(list(only_remembered)) if only_remembered else {}
    known = backend.catalogue.known(sorted(seed_ids()))
    seeded = seed_index().search(search.phrase, search.filters, sort=search.order, after=search.after, limit=wanted)
    hits |= {id_: Hit(hit.key, current[id_]) for id_, hit in only_remembered.items() if id_ in current}
    hits |= {hit.listing.skill_id: hit for hit in seeded if hit.listing.skill_id not in known}
    shown = _after(hits.values(), search)
    same = _same_names(backend, shown[: search.limit])
    return _results(same, shown, search, Provenance(POSTGRES, backend.now(), degraded=False))


def _same_names(backend: Backend, hits: Sequence[Hit]) -> MemoryIndex:
    keys = sorted({key(hit.listing.slug) for hit in hits})
    return MemoryIndex(build(backend.catalogue.same_names(keys) if keys else ()))


def _without_postgres(backend: Backend, search: Search) -> Results:
    """The index is not loaded and Postgres is away: wait for the index, else read the KV, else search the seeds."""
    try:
        warm = marketplace.load_index(backend)
        return _results(warm.index, _in_index(warm, search), search, Provenance(INDEX, warm.built_at, degraded=True))
    except StoreUnavailable as error:
        logger.warning("source_away", source=INDEX, error=error.message)
    index, provenance = seed_index(), Provenance(SEEDS, backend.now(), degraded=True)
    try:
        listings, skipped = marketplace.enumerate_kv(backend, at_most=marketplace.MAX_ENUMERATED)
        index = MemoryIndex(build(listings))
        provenance = Provenance(KV, backend.now(), degraded=True, skipped=skipped)
    except StoreUnavailable as error:
        logger.warning("source_away", source=KV, error=error.message)
    hits = index.search(search.phrase, search.filters, sort=search.order, after=search.after, limit=search.limit + 1)
    return _results(index, hits, search, provenance)


def _after(hits: Iterable[Hit], search: Search) -> list[Hit]:
    downwards = is_descending(search.order)
    placed = sorted(hits, key=lambda hit: hit.key, reverse=downwards)
    if search.after is None:
        return placed
    after = search.after
    return [hit for hit in placed if (hit.key < after if downwards else hit.key > after)]


def _results(index: MemoryIndex, hits: Sequence[Hit], search: Search, provenance: Provenance) -> Results:
    shown = hits[: search.limit]
    more = shown[-1].key if len(hits) > search.limit else None
    alternates = {hit.listing.skill_id: _others(index, hit) for hit in shown}
    return Results(shown, more, alternates, provenance)


def _others(index: MemoryIndex, hit: Hit) -> list[str]:
    found = index.repositories_with(key(hit.listing.slug), _ALTERNATES + 1)
    return [repo for repo in dict.fromkeys(found) if repo != hit.listing.repo.key][:_ALTERNATES]
