"""Finds the lines of a text that match, in one pass over the text rather than one try per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import re2

_AUTOMATON_BYTES = 16_000_000  # at most; below what they need automata are built again and again
_BOUND = re.compile(r"(?<!\\)\{(\d+),\d+\}")


class FoundLine(NamedTuple):
    """`number` counts from 0; start and end are places in the text."""

    number: int
    start: int
    end: int


class LineSearch:
    """Any of several RE2 patterns, none of which is to see more than one line."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    @cached_property
    def _any(self) -> re2.Set:
        """Made when first needed, like the next: most patterns never match anything."""
        return search_set(self._patterns)

    @cached_property
    def _place(self) -> re2._Regexp:
        return re2.compile("(?m)" + "|".join(f"(?:{widened(pattern)})" for pattern in self._patterns), _options())

    def occurs(self, text: bytes) -> bool:
        return bool(self._any.Match(text))

    def lines(self, text: bytes) -> Iterator[FoundLine]:
        number = position = counted = 0
        while (match := self._place.search(text, position)) is not None:
            place = match.start()
            start = text.rfind(b"\n", 0, place) + 1
            end = text.find(b"\n", place)
            end = len(text) if end < 0 else end
            number += text.count(b"\n", counted, start)
            counted = start
            if self.occurs(text[start:end]):
                yield FoundLine(number, start, end)
            position = end + 1
            if position > len(text):
                return


def widened(pattern: str) -> str:
    """A pattern that finds all that this one finds, and more.

    A gap of a limited width multiplies an automaton's states; with gaps of any width it stays small and quick.
    """
    return _BOUND.sub(r"{\1,}", pattern)


def search_set(patterns: Sequence[str]) -> re2.Set:
    """Says which of the patterns occur in a text."""
    found = re2.Set.SearchSet(_options())
    for pattern in patterns:
        found.Add(f"(?m){pattern}")
    found.Compile()
    return found


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.never_nl = True
    options.max_mem = _AUTOMATON_BYTES
    return options
