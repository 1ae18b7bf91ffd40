"""Searching the index in memory.

Hits come rank by rank: exact name, beginning of a name, words of a name, repository, description, part of a name, and
only then words that were probably misspelled. Within a rank the more popular comes first, and nothing else counts.
A rank is only worked out if the ones before it did not fill the page.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import islice

from skillgate.domain.listing import Key, Listing, sort_key
from skillgate.search.lines import Lines
from skillgate.search.packed import Packed
from skillgate.search.selection import Filters, Selection
from skillgate.search.text import Phrase, meaningful
from skillgate.search.typos import corrections

_END = "\U0010ffff"
_MIN_PART = 2  # letters that a part of a repository's or skill's name must have
_FEW = 5_000  # so many are tested one by one
_DENSE = 40  # a set with at least one in so many numbers is walked in order instead of sorted


class Rank(IntEnum):
    EXACT = 0
    PREFIX = 1
    WORD = 2
    REPOSITORY = 3
    DESCRIPTION = 4
    PART = 5
    TYPO = 6
    SOME_WORDS = 7


@dataclass(frozen=True)
class Hit:
    """A listing and the key that its place in the list comes from."""

    key: Key
    listing: Listing


class MemoryIndex:
    """Read-only; one is shared by all requests of a warm function."""

    def __init__(self, packed: Packed) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed)

    def search(
        self, phrase: Phrase, filters: Filters, *, sort: str = "relevance", after: Key | None = None, limit: int = 20
    ) -> list[Hit]:
        """The first `limit` hits after the key. An empty phrase matches everything."""
        selection = Selection(self.packed, filters)
        if phrase.blank:
            return self._browse(selection, "popular" if sort == "relevance" else sort, after, limit)
        if sort == "relevance":
            return self._ranked(phrase, selection, after, limit)
        ranks = self._ranks(phrase, guess=False)
        matched = {number for _, numbers in ranks for number in numbers if number in selection}
        return self._sorted(matched, sort, after, limit)

    def find(self, skill_id: str) -> Listing | None:
        packed = self.packed
        at = bisect_left(packed.by_id, skill_id, key=packed.ids.__getitem__)
        if at < len(self) and packed.ids[packed.by_id[at]] == skill_id:
            return packed.listing(packed.by_id[at])
        return None

    def named(self, name_key: str) -> list[Listing]:
        """Skills whose name or slug is this, the most popular first."""
        return [self.packed.listing(number) for number in sorted(self._with_key(name_key, name_key))]

    def repositories_with(self, name_key: str, limit: int) -> list[str]:
        """Repositories that have a skill of this name, that of the most popular first."""
        numbers = sorted(self._with_key(name_key, name_key))[:limit]
        return [self.packed.repos[self.packed.repo[number]] for number in numbers]

    # --- ranks --------------------------------------------------------------------------------------------------

    def _ranked(self, phrase: Phrase, selection: Selection, after: Key | None, limit: int) -> list[Hit]:
        hits: list[Hit] = []
        after_rank, first = (-int(after[0]), self._place("popular", after[1:])) if after else (Rank.EXACT, 0)
        for rank, numbers in self._ranks(phrase):
            if rank < after_rank:
                continue
            start = first if rank == after_rank else 0
            for number in self._in_order(numbers, start):
                if number in selection:
                    hits.append(self._hit("relevance", number, rank))
                    if len(hits) == limit:
                        return hits
        return hits

    def _ranks(self, phrase: Phrase, *, guess: bool = True) -> Iterator[tuple[Rank, set[int]]]:
        """What matches by each rank and by none before it. Without `guess`, typos only count if nothing else does."""
        seen: set[int] = set()
        for rank, match in enumerate(self._matchers):
            if seen and (rank == Rank.SOME_WORDS or (rank == Rank.TYPO and not guess)):
                return
            numbers = match(phrase) - seen
            seen |= numbers
            if numbers:
                yield Rank(rank), numbers

    @cached_property
    def _matchers(self) -> Sequence[Callable[[Phrase], set[int]]]:
        """By rank."""
        return (
            self._exact,
            lambda phrase: self._with_key(phrase.key, phrase.key + _END) if phrase.key else set(),
            lambda phrase: self._all_words(phrase.words, self._in_names),
            self._in_repositories,
            lambda phrase: self._all_words(meaningful(phrase.words), self._anywhere),
            self._part_of_name,
            self._misspelled,
            self._some_words,
        )

    def _exact(self, phrase: Phrase) -> set[int]:
        return self._with_key(phrase.key, phrase.key) if phrase.key else set()

    def _with_key(self, first: str, last: str) -> set[int]:
        keys = self.packed.keys
        return set(self.packed.key_doc[bisect_left(keys, first) : bisect_right(keys, last)])

    def _in_repositories(self, phrase: Phrase) -> set[int]:
        whole = self._of_repositories(phrase.repository, None)
        if len(phrase.words) > 1:
            whole |= self._all_words(phrase.words, self._in_name_or_repository)
        return whole

    def _in_name_or_repository(self, word: str, among: set[int] | None) -> set[int]:
        return self._in_names(word, among) | self._of_repositories(word, among)

    def _of_repositories(self, part: str, among: set[int] | None) -> set[int]:
        if len(part) < _MIN_PART:
            return set()
        packed = self.packed
        if among is not None and len(among) < _FEW:
            return {number for number in among if part in packed.repos[packed.repo[number]]}
        return {number for repo in self._repositories.having(part) for number in packed.repo_docs.of(repo)}

    def _in_names(self, word: str, _: set[int] | None = None) -> set[int]:
        return set(self.packed.name_docs.of(*self._beginning(word)))

    def _anywhere(self, word: str, among: set[int] | None) -> set[int]:
        found = self._in_names(word)
        found.update(self.packed.description_docs.of(*self._beginning(word)))
        return found | self._of_repositories(word, among) if len(word) > _MIN_PART else found

    def _part_of_name(self, phrase: Phrase) -> set[int]:
        if len(phrase.key) <= _MIN_PART:
            return set()
        return {self.packed.key_doc[line] for line in self._names.having(phrase.key)}

    def _misspelled(self, phrase: Phrase) -> set[int]:
        def meant(word: str, among: set[int] | None) -> set[int]:
            if self._in_names(word) or next(self._repositories.having(word), None) is not None:
                return self._in_name_or_repository(word, among)
            return {number for other in self._corrected(word) for number in self.packed.name_docs.of(other)}

        return self._all_words(phrase.words, meant)

    def _some_words(self, phrase: Phrase) -> set[int]:
        """For whole sentences: what has most of the words that are rare enough to mean something."""
        rare = len(self) // 8 + 1
        counts: dict[int, int] = {}
        for word in meaningful(phrase.words):
            first, last = self._beginning(word)
            if self.packed.name_docs.size(first, last) + self.packed.description_docs.size(first, last) > rare:
                continue
            for number in {*self.packed.name_docs.of(first, last), *self.packed.description_docs.of(first, last)}:
                counts[number] = counts.get(number, 0) + 1
        most = max(counts.values(), default=0)
        return {number for number, count in counts.items() if count == most}

    def _all_words(self, words: Sequence[str], matching: Callable[[str, set[int] | None], set[int]]) -> set[int]:
        """What matches every word. `matching` is told what is left, because testing a few is less than finding many."""
        found: set[int] | None = None
        for word in sorted(words, key=len, reverse=True):  # longer words are rarer
            found = matching(word, None) if found is None else found & matching(word, found)
            if not found:
                return set()
        return found or set()

    def _corrected(self, word: str) -> list[int]:
        packed = self.packed

        def known(other: str) -> int | None:
            at = bisect_left(packed.words, other)
            is_name = at < len(packed.words) and packed.words[at] == other and packed.name_docs.size(at, at + 1)
            return at if is_name else None

        def sharing(trigram: str) -> Sequence[int]:
            at = bisect_left(packed.trigrams, trigram)
            return packed.trigram_words.of(at) if packed.trigrams[at : at + 1] == [trigram] else array("I")

        return corrections(word, known, sharing, packed.words.__getitem__)

    def _beginning(self, word: str) -> tuple[int, int]:
        """The words that begin with this one; a single letter only means itself."""
        words = self.packed.words
        first = bisect_left(words, word)
        return first, bisect_right(words, word + _END if len(word) > 1 else word, lo=first)

    # --- order --------------------------------------------------------------------------------------------------

    def _in_order(self, numbers: set[int], start: int) -> Iterator[int]:
        if len(numbers) * _DENSE > len(self):
            return (number for number in range(start, len(self)) if number in numbers)
        return iter(sorted(number for number in numbers if number >= start))

    def _browse(self, selection: Selection, sort: str, after: Key | None, limit: int) -> list[Hit]:
        if selection.within is not None:
            return self._sorted({number for number in selection.within if number in selection}, sort, after, limit)
        order = self._order(sort)
        hits: list[Hit] = []
        for place in range(self._place(sort, after), len(self)):
            if order[place] in selection:
                hits.append(self._hit(sort, order[place]))
                if len(hits) == limit:
                    break
        return hits

    def _sorted(self, numbers: set[int], sort: str, after: Key | None, limit: int) -> list[Hit]:
        order, first = self._order(sort), self._place(sort, after)
        if sort == "popular":
            placed: Iterator[int] = iter(sorted(number for number in numbers if number >= first))
        else:
            placed = (order[place] for place in range(first, len(self)) if order[place] in numbers)
        return [self._hit(sort, number) for number in islice(placed, limit)]

    def _order(self, sort: str) -> Sequence[int]:
        if sort == "popular":
            return range(len(self))
        order: array[int] = getattr(self.packed, f"by_{sort}")
        return order

    def _place(self, sort: str, after: Key | None) -> int:
        """How many come up to and with that key in this order."""
        if after is None:
            return 0
        order = self._order(sort)
        if sort == "name":
            return bisect_right(order, after, key=lambda number: sort_key(sort, self.packed.listing(number)))
        return bisect_right(order, _Reversed(after), key=lambda number: _Reversed(self._key(sort, number)))

    def _key(self, sort: str, number: int) -> Key:
        packed = self.packed
        if sort == "popular":
            return packed.installs[number], packed.stars[number], packed.ids[number]
        column: array[int] = getattr(packed, sort)
        return column[number], packed.ids[number]

    def _hit(self, sort: str, number: int, rank: Rank | None = None) -> Hit:
        listing = self.packed.listing(number)
        if rank is None:
            return Hit(sort_key(sort, listing), listing)
        return Hit((-rank, *self._key("popular", number)), listing)

    @cached_property
    def _repositories(self) -> Lines:
        return Lines(self.packed.repos)

    @cached_property
    def _names(self) -> Lines:
        return Lines(self.packed.keys)


class _Reversed:
    """Compares the other way round, so that what is sorted downwards can be searched by halves."""

    __slots__ = ("key",)

    def __init__(self, key: Key) -> None:
        self.key = key

    def __lt__(self, other: _Reversed) -> bool:
        return other.key < self.key
