"""The marketplace's lists in memory."""

from __future__ import annotations

from skillgate.domain.listing import VISIBLE, Key, Listing, sort_key
from skillgate.search.selection import Filters

from tests.support.fakes.database import FakeDatabase
from tests.support.fakes.skills import shown


class FakeCatalogue:
    """The part of `Catalogue` that lists and counts; searching is for the real one."""

    def __init__(self, database: FakeDatabase | None = None) -> None:
        self.database = database or FakeDatabase()

    def page(self, filters: Filters, *, sort: str, after: Key | None, limit: int) -> list[Listing]:
        upwards = sort == "name"
        keyed = sorted(
            ((sort_key(sort, listing), listing) for listing in self._accepted(filters)),
            key=lambda pair: pair[0],
            reverse=not upwards,
        )
        rest = [listing for key, listing in keyed if after is None or (key > after if upwards else key < after)]
        return rest[:limit]

    def count(self, filters: Filters) -> int:
        return len(self._accepted(filters))

    def _accepted(self, filters: Filters) -> list[Listing]:
        with self.database.transaction():
            listings = [Listing.of(shown(row)) for row in self.database.skills.values() if row.status in VISIBLE]
        return [listing for listing in listings if filters.accept(listing)]
