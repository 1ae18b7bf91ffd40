"""What single lines of a text say."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from skillgate.scanning.limits import Budget
from skillgate.scanning.rules.lines import LINES


class LineMatcher:
    """A filter over the literals that the patterns need says in one pass which of them are worth trying at all."""

    def __init__(self) -> None:
        options = re2.Options()
        options.case_sensitive = False
        self._names: list[str] = []
        self._filter = re2.Filter()
        self._sets: dict[str, re2.Set] = {}
        for name, patterns in LINES.items():
            self._sets[name] = re2.Set.SearchSet(options)
            for pattern in patterns:
                self._filter.Add(f"(?m){pattern}", options)
                self._names.append(name)
                self._sets[name].Add(f"(?m){pattern}")
            self._sets[name].Compile()
        self._filter.Compile()

    def match(self, text: str, budget: Budget) -> Iterator[tuple[int, str, str]]:
        """(number, line, name) of each line and each thing that it says."""
        encoded = text.encode("utf-8", "replace")
        possible = self._filter.Match(encoded.lower(), True) or ()  # the filter's literals are lower case
        names = [name for name in {self._names[index] for index in possible} if self._sets[name].Match(encoded)]
        if not names:
            return
        for number, line in enumerate(encoded.split(b"\n"), 1):
            budget.spend(1 + len(line) // 256)
            for name in names:
                if self._sets[name].Match(line):
                    yield number, line.decode("utf-8", "replace"), name
