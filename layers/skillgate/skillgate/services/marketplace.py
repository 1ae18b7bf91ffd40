"""Reading what is published, with a way back: Postgres, then the KV item by item, then the published index, then the
seeds. An answer says where it comes from and how old it is, and is never silently short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from skillgate.domain.errors import Gone, NotFound, StoreUnavailable
from skillgate.domain.listing import VISIBLE, Key, Listing, is_descending, sort_key
from skillgate.domain.skill import Published
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.search.selection import Filters
from skillgate.search.text import key
from skillgate.search.warm import Warm
from skillgate.services.seeds import seed_ids, seeds

POSTGRES, KV, INDEX, SEEDS = "postgres", "kv", "index", "seeds"
MAX_ENUMERATED = 20_000  # skills that one request reads from the KV; with more, the index answers
REBUILD_WANTED = "index-rebuild-wanted"
_PATIENCE_SECONDS = 5.0  # for loading the index when nothing better is left

T = TypeVar("T")


@dataclass(frozen=True)
class Provenance:
    """Where an answer comes from. `skipped` counts what was listed and could not be read."""

    source: str
    as_of: datetime
    degraded: bool
    skipped: int = 0


@dataclass(frozen=True)
class SkillQuery:
    filters: Filters = field(default_factory=Filters)
    sort: str = "popular"
    after: Key | None = None
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True)
class SkillPage:
    skills: Sequence[Listing]
    total: int
    next_after: Key | None
    provenance: Provenance


@dataclass(frozen=True)
class Skill:
    """One skill. `published` is None where only its listing is at hand."""

    listing: Listing
    published: Published | None
    provenance: Provenance


def get_skills(backend: Backend, query: SkillQuery) -> SkillPage:
    def from_postgres() -> SkillPage:
        wanted = query.limit + 1
        rows = backend.catalogue.page(query.filters, sort=query.sort, after=query.after, limit=query.offset + wanted)
        known = backend.catalogue.known(sorted(seed_ids()))
        rest = _select((seed for seed in seeds() if seed.skill_id not in known), query)
        total = backend.catalogue.count(query.filters) + sum(map(query.filters.accept, _unknown_seeds(known)))
        return _page([*rows, *rest], query, total, Provenance(POSTGRES, backend.now(), degraded=False))

    def from_listings(listings: Sequence[Listing], provenance: Provenance) -> SkillPage:
        total = sum(map(query.filters.accept, listings))
        return _page(_select(listings, query), query, total, provenance)

    return _first(backend, from_postgres, from_listings)


def get_skill_count(backend: Backend) -> tuple[int, Provenance]:
    def from_postgres() -> tuple[int, Provenance]:
        known = backend.catalogue.known(sorted(seed_ids()))
        count = backend.catalogue.count(Filters()) + len(_unknown_seeds(known))
        return count, Provenance(POSTGRES, backend.now(), degraded=False)

    return _first(backend, from_postgres, lambda listings, provenance: (len(listings), provenance))


def get_skill_categories(backend: Backend) -> tuple[Mapping[str, int], Provenance]:
    """How many there are of each category, the largest first."""

    def from_postgres() -> tuple[Mapping[str, int], Provenance]:
        known = backend.catalogue.known(sorted(seed_ids()))
        counts = dict(backend.catalogue.categories())
        return _tallied(_unknown_seeds(known), counts), Provenance(POSTGRES, backend.now(), degraded=False)

    return _first(backend, from_postgres, lambda listings, provenance: (_tallied(listings, {}), provenance))


def get_skill_by_name(backend: Backend, skill_id: str) -> Skill:
    """The skill `owner/repo/skill`. Raises NotFound, or Gone with the reason for one that was removed."""
    wanted = skill_id.lower()
    try:
        found = backend.skills.get(wanted)
        provenance = Provenance(POSTGRES, backend.now(), degraded=False)
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="skill", error=error.message)
        return _by_name_elsewhere(backend, wanted)
    if found is not None:
        return Skill(_shown(found), found, provenance)
    return Skill(_seed(wanted), None, provenance)


def resolve_name(backend: Backend, name: str) -> Sequence[Listing]:
    """What a name without owner and repository may mean, the most popular first."""
    wanted = key(name)
    if not wanted:
        return ()
    seeded = [seed for seed in seeds() if wanted in (key(seed.slug), key(seed.name))]
    try:
        found = list(backend.catalogue.named(wanted, limit=50))
        known = backend.catalogue.known([seed.skill_id for seed in seeded])
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="name", error=error.message)
        found = list(backend.kv_skills.read(backend.kv_skills.named(wanted)).listings)
        known = {listing.skill_id for listing in found}
    return [*found, *(seed for seed in seeded if seed.skill_id not in known)]


def enumerate_kv(backend: Backend, *, at_most: int | None = None) -> tuple[Sequence[Listing], int]:
    """Every published skill of the KV, and how many could not be read. Raises StoreUnavailable if there are more."""
    ids = sorted(backend.kv_skills.revisions())
    if at_most is not None and len(ids) > at_most:
        raise StoreUnavailable(f"{len(ids)} skills are too many to read one by one.")
    found = backend.kv_skills.read(ids)
    return found.listings, found.skipped


def want_rebuild(backend: Backend, why: str) -> None:
    """Asks the index builder, which is the only one that writes the index, to build it again."""
    backend.live.set_control(REBUILD_WANTED, {"why": why}, at=backend.now(), by="marketplace")


def load_index(backend: Backend) -> Warm:
    """The published index, waiting for it. Raises StoreUnavailable if there is none."""
    warm = backend.warm.get(patience=_PATIENCE_SECONDS)
    if warm is None:
        raise StoreUnavailable("There is no published index to read.")
    return warm


def with_status(listing: Listing, warm: Warm) -> Listing | None:
    """The listing as it is now: blocked since the index was built, or no longer to be shown."""
    newer = warm.overrides.get(listing.skill_id)
    if newer is None:
        return listing
    return replace(listing, status=newer.status, status_reason=newer.reason) if newer.status in VISIBLE else None


def _first(
    backend: Backend,
    from_postgres: Callable[[], T],
    from_listings: Callable[[Sequence[Listing], Provenance], T],
) -> T:
    """The first source that answers. The seeds always do."""
    try:
        return from_postgres()
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="skills", error=error.message)
    for source, read in ((KV, _from_kv), (INDEX, _from_index)):
        try:
            listings, as_of, skipped = read(backend)
        except StoreUnavailable as error:
            logger.warning("source_away", source=source, error=error.message)
            continue
        known = {listing.skill_id for listing in listings}
        merged = [*listings, *_unknown_seeds(known)]
        return from_listings(merged, Provenance(source, as_of, degraded=True, skipped=skipped))
    return from_listings(seeds(), Provenance(SEEDS, backend.now(), degraded=True))


def _from_kv(backend: Backend) -> tuple[Sequence[Listing], datetime, int]:
    listings, skipped = enumerate_kv(backend, at_most=MAX_ENUMERATED)
    pointer = backend.index.pointer()
    listed = len({listing.skill_id for listing in listings} | seed_ids()) + skipped  # the index holds the seeds as well
    if pointer is None or listed > pointer.count:
        want_rebuild(backend, "the KV lists more than the index")
    elif listed < pointer.count:
        raise StoreUnavailable(f"The KV lists {listed} skills, and the index {pointer.count}.")
    return listings, backend.now(), skipped


def _from_index(backend: Backend) -> tuple[Sequence[Listing], datetime, int]:
    warm = load_index(backend)
    shown = (with_status(listing, warm) for listing in warm.index.packed.listings())
    return [listing for listing in shown if listing is not None], warm.built_at, 0


def _by_name_elsewhere(backend: Backend, skill_id: str) -> Skill:
    try:
        published = backend.live.get_skill(skill_id)
        if published is not None:
            return Skill(_shown(published), published, Provenance(KV, backend.now(), degraded=True))
        if skill_id not in seed_ids():
            raise NotFound("There is no skill with this name.", code="skill_not_found")
        return Skill(_seed(skill_id), None, Provenance(KV, backend.now(), degraded=True))
    except StoreUnavailable as error:
        logger.warning("source_away", source=KV, error=error.message)
    warm = backend.warm.get()
    if warm is not None:
        listing = warm.index.find(skill_id)
        shown = with_status(listing, warm) if listing else None
        if shown is not None:
            return Skill(shown, None, Provenance(INDEX, warm.built_at, degraded=True))
    if skill_id in seed_ids():
        return Skill(_seed(skill_id), None, Provenance(SEEDS, backend.now(), degraded=True))
    raise StoreUnavailable("No store can be read, so nobody knows whether this skill exists.", retry_after=10)


def _shown(published: Published) -> Listing:
    if published.status == "removed":
        raise Gone(published.status_reason or "This skill was removed.", code="skill_removed")
    return Listing.of(published)


def _seed(skill_id: str) -> Listing:
    for seed in seeds():
        if seed.skill_id == skill_id:
            return seed
    raise NotFound("There is no skill with this name.", code="skill_not_found")


def _unknown_seeds(known: Iterable[str]) -> list[Listing]:
    known = set(known)
    return [seed for seed in seeds() if seed.skill_id not in known]


def _select(listings: Iterable[Listing], query: SkillQuery) -> list[Listing]:
    """Those that pass the filters and come after the cursor."""
    return [
        listing
        for listing in listings
        if query.filters.accept(listing) and (query.after is None or _is_after(query, listing))
    ]


def _is_after(query: SkillQuery, listing: Listing) -> bool:
    assert query.after is not None
    place = sort_key(query.sort, listing)
    return place < query.after if is_descending(query.sort) else place > query.after


def _page(listings: Sequence[Listing], query: SkillQuery, total: int, provenance: Provenance) -> SkillPage:
    placed = sorted(listings, key=lambda each: sort_key(query.sort, each), reverse=is_descending(query.sort))
    shown = list(islice(placed, query.offset, query.offset + query.limit))
    more = len(placed) > query.offset + query.limit
    return SkillPage(shown, total, sort_key(query.sort, shown[-1]) if more and shown else None, provenance)


def _tallied(listings: Iterable[Listing], counts: dict[str, int]) -> dict[str, int]:
    for listing in listings:
        counts[listing.category] = counts.get(listing.category, 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
