"""What somebody looks for in the marketplace. All of it is in the address, to be shared and gone back to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from skillgate.web.rendering import url

TABS: Mapping[str, str] = {"trending": "Trending", "new": "New", "updated": "Updated"}
YES_NO: Mapping[str, str] = {"yes": "With scripts", "no": "Text only"}
VERDICTS: Mapping[str, str] = {"pass": "Pass", "pending": "Not scanned yet"}
TIERS: Mapping[str, str] = {"CERTIFIED": "Certified", "VERIFIED": "Verified", "LISTED": "Listed"}

SPELLED: Mapping[str, str] = {"ai": "AI", "devops": "DevOps"}
CAPABILITIES = ("network", "shell", "packages", "secrets", "dynamic code", "agent settings", "start-up files", "root")


@dataclass(frozen=True)
class MarketQuery:
    q: str | None = None
    tab: str | None = None
    category: str | None = None
    verdict: str | None = None
    tier: str | None = None
    author: str | None = None
    scripts: str | None = None
    capability: str | None = None
    cursor: str | None = None

    @classmethod
    def read(cls, parameter: Callable[[str], str | None]) -> MarketQuery:
        """From an address; what is none of the known words counts as not given."""
        given = {field.name: parameter(field.name) for field in fields(cls)}
        for name, words in (("tab", TABS), ("scripts", YES_NO), ("verdict", VERDICTS), ("tier", TIERS)):
            if given[name] not in words:
                given[name] = None
        return cls(**given)

    @property
    def shown_tab(self) -> str | None:
        """None while a search is sorted by how well it matches."""
        return self.tab or (None if self.q else "trending")

    @property
    def narrowed(self) -> list[tuple[str, str, str]]:
        """Each filter that is on: its name, its value, and the address without it."""
        names = ("category", "verdict", "tier", "author", "scripts", "capability")
        return [(name, getattr(self, name), self.at(**{name: None})) for name in names if getattr(self, name)]

    def at(self, **changes: str | None) -> str:
        """The address of this query with some of it changed; paging starts over."""
        changed = replace(self, **{"cursor": None} | changes)
        return url("/", **{field.name: getattr(changed, field.name) for field in fields(changed)})
