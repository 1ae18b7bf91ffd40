"""Making an index from listings that come one by one, so that many skills need little memory."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from skillgate.domain.listing import Listing, microseconds, popularity
from skillgate.search.packed import BLOCK, Packed, Postings
from skillgate.search.text import STOP_WORDS, key, words
from skillgate.search.typos import trigrams

_MAX_STARS = 2**32 - 1
_MAX_DESCRIPTION_WORDS = 120

Terms = defaultdict[str, "array[int]"]


def _terms() -> Terms:
    return defaultdict(lambda: array("I"))


class IndexWriter:
    """Takes listings in descending order of popularity."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._last: tuple[int, int, str] | None = None
        self._columns: dict[str, array[int]] = {
            "installs": array("Q"), "stars": array("I"), "updated": array("Q"), "created": array("Q"),
            "score": array("B"), "scripts": array("B"), "any_agent": array("B"), "repo": array("I"),
            "category": array("H"), "tier": array("B"),
        }  # fmt: skip
        self._repos: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._tiers: dict[str, int] = {}
        self._repo_docs, self._agents, self._labels = _terms(), _terms(), _terms()
        self._names, self._descriptions = _terms(), _terms()
        self._keys: list[tuple[str, int]] = []
        self._shown_names: list[str] = []
        self._rows: list[dict[str, Any]] = []
        self._blocks: list[bytes] = []

    def add(self, listing: Listing) -> None:
        """Raises ValueError for a listing that is more popular than the one before it, or the same."""
        rank = popularity(listing)
        if self._last is not None and rank >= self._last:
            raise ValueError(f"{listing.skill_id} is out of order")
        self._last = rank
        number = len(self._ids)
        self._ids.append(listing.skill_id)
        self._shown_names.append(listing.name.lower())
        self._add_columns(listing)
        self._add_words(listing, number)
        self._rows.append(listing.to_dict())
        if len(self._rows) == BLOCK:
            self._close_block()

    def finish(self) -> Packed:
        if self._rows:
            self._close_block()
        vocabulary = sorted(self._names.keys() | self._descriptions.keys())
        spelled = [word for word in vocabulary if word in self._names]
        sharing = _terms()
        numbers = {word: number for number, word in enumerate(vocabulary)}
        for word in spelled:
            for trigram in trigrams(word):
                sharing[trigram].append(numbers[word])
        self._keys.sort()
        repos = list(self._repos)
        return Packed(
            ids=self._ids,
            categories=list(self._categories),
            tiers=list(self._tiers),
            agents=sorted(self._agents),
            agent_docs=_postings(sorted(self._agents), self._agents),
            labels=sorted(self._labels),
            label_docs=_postings(sorted(self._labels), self._labels),
            repos=repos,
            repo_docs=_postings(repos, self._repo_docs),
            keys=[name for name, _ in self._keys],
            key_doc=array("I", (number for _, number in self._keys)),
            words=vocabulary,
            name_docs=_postings(vocabulary, self._names),
            description_docs=_postings(vocabulary, self._descriptions),
            trigrams=sorted(sharing),
            trigram_words=_postings(sorted(sharing), sharing),
            blocks=self._blocks,
            **self._columns,
            **self._orders(),
        )

    def _orders(self) -> dict[str, array[int]]:
        ids, names = self._ids, self._shown_names
        orders = {
            "by_id": sorted(range(len(ids)), key=ids.__getitem__),
            "by_name": sorted(range(len(ids)), key=lambda number: (names[number], ids[number])),
        }
        for sort in ("updated", "created", "stars", "score"):
            pairs = sorted(zip(self._columns[sort], ids, range(len(ids)), strict=True), reverse=True)
            orders[f"by_{sort}"] = [number for _, _, number in pairs]
        return {name: array("I", numbers) for name, numbers in orders.items()}

    def _add_columns(self, listing: Listing) -> None:
        repo = listing.repo.key
        values = {
            "installs": listing.installs,
            "stars": min(listing.stars, _MAX_STARS),
            "updated": microseconds(listing.updated_at),
            "created": microseconds(listing.created_at),
            "score": listing.cert_score,
            "scripts": listing.has_scripts,
            "any_agent": not listing.agents,
            "repo": self._repos.setdefault(repo, len(self._repos)),
            "category": self._categories.setdefault(listing.category, len(self._categories)),
            "tier": self._tiers.setdefault(listing.cert_tier, len(self._tiers)),
        }
        for name, value in values.items():
            self._columns[name].append(value)

    def _add_words(self, listing: Listing, number: int) -> None:
        repo = listing.repo
        self._repo_docs[repo.key].append(number)
        for agent in set(listing.agents):
            self._agents[agent].append(number)
        for label in set(listing.labels):
            self._labels[label.replace("\n", " ")].append(number)
        self._keys += [(name, number) for name in {key(listing.name), key(listing.slug)} if name]
        named = {*words(listing.name), *words(listing.slug)}
        for word in named:
            self._names[word].append(number)
        for word in {*words(listing.description)[:_MAX_DESCRIPTION_WORDS]} - named - STOP_WORDS:
            self._descriptions[word].append(number)

    def _close_block(self) -> None:
        text = json.dumps(self._rows, separators=(",", ":"), ensure_ascii=False)
        self._blocks.append(zlib.compress(text.encode(errors="replace"), 6))
        self._rows = []


def _postings(terms: Iterable[str], found: Mapping[str, array[int]]) -> Postings:
    starts, numbers = array("I", [0]), array("I")
    for term in terms:
        if term in found:
            numbers.extend(found[term])
        starts.append(len(numbers))
    return Postings(starts, numbers)


def build(listings: Iterable[Listing]) -> Packed:
    """The index of listings in any order."""
    writer = IndexWriter()
    for listing in sorted(listings, key=popularity, reverse=True):
        writer.add(listing)
    return writer.finish()
