"""The filters of a search, as a test of a skill's number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skillgate.domain.listing import Listing
from skillgate.search.packed import Packed, Postings


@dataclass(frozen=True)
class Filters:
    category: str | None = None
    tier: str | None = None
    author: str | None = None
    repo: str | None = None  # owner/repo
    agent: str | None = None
    has_scripts: bool | None = None
    labels: tuple[str, ...] = ()

    def accept(self, listing: Listing) -> bool:
        """The same test on a listing that is in hand."""
        repo = listing.repo
        return (
            self.category in (None, listing.category)
            and self.tier in (None, listing.cert_tier)
            and (self.author is None or self.author.lower() == repo.owner.lower())
            and (self.repo is None or self.repo.lower() == repo.key)
            and (self.agent is None or not listing.agents or self.agent in listing.agents)
            and self.has_scripts in (None, listing.has_scripts)
            and set(self.labels) <= set(listing.labels)
        )


class Selection:
    """Which numbers pass; each filter is worked out once for a search."""

    def __init__(self, packed: Packed, filters: Filters) -> None:
        self.within = _within(packed, filters)  # None: any number may pass
        self._tests = _tests(packed, filters)

    def __contains__(self, number: int) -> bool:
        if self.within is not None and number not in self.within:
            return False
        return all(test(number) for test in self._tests)


def _within(packed: Packed, filters: Filters) -> frozenset[int] | None:
    """The filters that few skills pass, as the set of those."""
    sets = [_having(packed.labels, packed.label_docs, label) for label in filters.labels]
    if filters.author is not None or filters.repo is not None:
        sets.append(_repositories(packed, filters))
    return frozenset.intersection(*sets) if sets else None


def _tests(packed: Packed, filters: Filters) -> list[Callable[[int], bool]]:
    tests: list[Callable[[int], bool]] = []
    if filters.category is not None:
        category, wanted = packed.category, _position(packed.categories, filters.category)
        tests.append(lambda number: category[number] == wanted)
    if filters.tier is not None:
        tier, wanted_tier = packed.tier, _position(packed.tiers, filters.tier)
        tests.append(lambda number: tier[number] == wanted_tier)
    if filters.agent is not None:
        any_agent, docs = packed.any_agent, _having(packed.agents, packed.agent_docs, filters.agent)
        tests.append(lambda number: any_agent[number] == 1 or number in docs)
    if filters.has_scripts is not None:
        scripts, has = packed.scripts, filters.has_scripts
        tests.append(lambda number: scripts[number] == has)
    return tests


def _repositories(packed: Packed, filters: Filters) -> frozenset[int]:
    owner = f"{filters.author.lower()}/" if filters.author else ""
    wanted = filters.repo.lower() if filters.repo else None
    matching = (place for place, repo in enumerate(packed.repos) if repo.startswith(owner) and wanted in (None, repo))
    return frozenset(number for place in matching for number in packed.repo_docs.of(place))


def _position(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _having(terms: Sequence[str], postings: Postings, term: str) -> frozenset[int]:
    at = bisect_left(terms, term)
    return frozenset(postings.of(at)) if at < len(terms) and terms[at] == term else frozenset()
