"""The marketplace: search first, everything in the address."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aws_lambda_powertools.event_handler import Response
from skillgate.api import skill_cursor
from skillgate.domain.listing import Listing
from skillgate.domain.verdict import CAPABILITY_LABEL
from skillgate.ports import Backend
from skillgate.search.selection import Filters
from skillgate.services.market_view import Market, market, repository_named
from skillgate.services.search import Search
from skillgate.web.assessment import Advice, advice_on
from skillgate.web.market_query import (
    CAPABILITIES,
    SPELLED,
    TABS,
    TIERS,
    VERDICTS,
    YES_NO,
    MarketQuery,
)

from web_pages.site import Site

_SHOWN = 30
_PUBLISHERS = 6
_SORTS = {"trending": "popular", "new": "created", "updated": "updated", None: "relevance"}

Option = tuple[str, str, int | None]


@dataclass(frozen=True)
class Row:
    listing: Listing
    advice: Advice


def register(site: Site, backend: Backend) -> None:
    @site.get("/", include_in_schema=False)
    def home() -> Response[str]:
        query = MarketQuery.read(site.query)
        search = _search(query)
        found = market(backend, search, scanned_only=query.verdict == "pass")
        return site.page(
            "marketplace.html",
            query=query,
            tabs=TABS,
            facets=_facets(query, found),
            groups=[
                (group, [Row(listing, advice_on(listing)) for listing in group.listings]) for group in found.groups
            ],
            total=found.total,
            guessed=found.guessed,
            next_cursor=skill_cursor.encode(search.order, found.next_after),
            suggestions=found.suggestions,
            repository=repository_named(query.q) if not found.groups else None,
            degraded=found.provenance.degraded,
            source=found.provenance.source,
            as_of=found.provenance.as_of,
        )


def _search(query: MarketQuery) -> Search:
    filters = Filters(
        category=query.category,
        tier="LISTED" if query.verdict == "pending" else query.tier,
        author=query.author,
        has_scripts={"yes": True, "no": False, None: None}[query.scripts],
        labels=(CAPABILITY_LABEL + query.capability,) if query.capability else (),
    )
    search = Search(q=query.q or "", filters=filters, sort=_SORTS[query.shown_tab], limit=_SHOWN)
    return Search(**vars(search) | {"after": skill_cursor.decode(query.cursor, search.order)})


def _facets(query: MarketQuery, found: Market) -> dict[str, Sequence[Option]]:
    owners = Counter(listing.repo.owner for group in found.groups for listing in group.listings)
    publishers = [owner for owner, _ in owners.most_common(_PUBLISHERS)]
    if query.author and query.author not in publishers:
        publishers.insert(0, query.author)
    return {
        "category": [(name, SPELLED.get(name, name.capitalize()), number) for name, number in found.categories.items()],
        "verdict": [(name, label, None) for name, label in VERDICTS.items()],
        "tier": [(name, label, None) for name, label in TIERS.items()],
        "scripts": [(name, label, None) for name, label in YES_NO.items()],
        "capability": [(name, name.capitalize(), None) for name in CAPABILITIES],
        "author": [(name, name, None) for name in publishers],
    }
