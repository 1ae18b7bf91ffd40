"""Neutral observations and their places. Facts accuse nobody; rules judge how they join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

SNIPPET_LENGTH = 200


class Place(NamedTuple):
    """Where a fact was seen. Sentence and section number the file's own text, -1 where there is none."""

    file: str
    line: int
    sentence: int = -1
    section: int = -1


@dataclass(frozen=True, slots=True)
class Fact:
    """`hidden`: a person reading the rendered page would not see it. `explained`: the text around it talks about
    attacks rather than giving orders."""

    kind: str
    place: Place
    snippet: str
    detail: str = ""
    hidden: bool = False
    explained: bool = False
    executable: bool = False


@dataclass(slots=True)
class Ledger:
    """The facts of one skill, in the order seen, each (kind, place, detail) once."""

    facts: list[Fact] = field(default_factory=list)
    _seen: set[tuple[str, Place, str]] = field(default_factory=set)

    def add(self, fact: Fact) -> None:
        key = (fact.kind, fact.place, fact.detail)
        if key not in self._seen:
            self._seen.add(key)
            self.facts.append(fact)

    def of(self, kind: str) -> Iterator[Fact]:
        return (fact for fact in self.facts if fact.kind == kind)

    def kinds(self) -> set[str]:
        return {fact.kind for fact in self.facts}


def shorten(text: str) -> str:
    """One line of at most SNIPPET_LENGTH characters."""
    flat = " ".join(text[: SNIPPET_LENGTH * 4].split())
    return flat if len(flat) <= SNIPPET_LENGTH else flat[: SNIPPET_LENGTH - 1] + "…"
