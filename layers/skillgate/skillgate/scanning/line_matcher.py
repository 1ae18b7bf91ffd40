"""What single lines of a text say."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from skillgate.scanning.limits import Budget
from skillgate.scanning.line_search import LineSearch
from skillgate.scanning.rules.lines import LINES


class LineMatcher:
    """A filter over the literals that the patterns need says in one pass which of them are worth trying at all."""

    def __init__(self) -> None:
        options = re2.Options()
        options.case_sensitive = False
        self._names: list[str] = []
        self._filter = re2.Filter()
        self._searches: dict[str, LineSearch] = {}
        for name, patterns in LINES.items():
            self._searches[name] = LineSearch(patterns)
            for pattern in patterns:
                self._filter.Add(f"(?m){pattern}", options)
                self._names.append(name)
        self._filter.Compile()

    def match(self, encoded: bytes, budget: Budget) -> Iterator[tuple[int, str, str]]:
        """(number, line, name) of each line and each thing that it says, line by line."""
        possible = self._filter.Match(encoded.lower(), True) or ()  # the filter's literals are lower case
        names = [
            name for name in sorted({self._names[index] for index in possible}) if self._searches[name].occurs(encoded)
        ]
        budget.spend(1 + len(encoded) * len(names) // 256)
        found = [(line, name) for name in names for line in self._searches[name].lines(encoded)]
        for line, name in sorted(found):
            yield line.number + 1, encoded[line.start : line.end].decode("utf-8", "replace"), name
