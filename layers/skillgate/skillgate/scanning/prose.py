"""Sentences of a text and the concepts in them. Code is prose too: an agent reads comments and docstrings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import re2

from skillgate.scanning.limits import Budget
from skillgate.scanning.markdown import Block
from skillgate.scanning.rules.concepts import CONCEPTS
from skillgate.scanning.rules.model import Rule

MAX_SENTENCE = 1_200
# The standard library's engine is far quicker on short patterns; every repetition here is bounded or anchored, so it is
# linear too.
_END = re.compile(r"[.!?;][\"')\]*]?(?=\s)|[。！？；]|:[ \t]{0,3}\n|\n[ \t]{0,8}\n")
_COMMENT_MARK = re.compile(r"^[ \t]*(?:#{1,3}!?|//+|/\*+|\*+/?|--|;+|%+|<!--|\"\"\"|''')[ \t]?", re.MULTILINE)


class Sentence(NamedTuple):
    """`number` runs through the file, so that near sentences can be found; `plain` is what patterns see."""

    number: int
    section: int
    line: int
    text: str
    plain: str
    hidden: bool
    code: bool


class ConceptMatcher:
    """One automaton per concept. A whole text is tried first, and only what occurs in it is sought in its sentences.

    Concepts that only support others, or take them away, are sought where one that they belong to was found.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        options = re2.Options()
        options.case_sensitive = False
        self._sets: dict[str, re2.Set] = {}
        for name, patterns in CONCEPTS.items():
            self._sets[name] = matcher = re2.Set.SearchSet(options)
            for pattern in patterns:
                matcher.Add(f"(?m){pattern}")
            matcher.Compile()
        self._first = {"explains_attack"}
        self._support: dict[str, set[str]] = defaultdict(set)
        for join in (join for rule in rules for join in rule.when):
            anchor, *others = (*join.all_of, *join.none_of)
            if anchor in CONCEPTS:
                self._first.add(anchor)
                self._support[anchor].update(others)
            else:
                self._first.update(name for name in others if name in CONCEPTS)

    def match(self, sentences: Sequence[Sentence], budget: Budget) -> Iterator[tuple[Sentence, str]]:
        """Every sentence with each concept in it."""
        encoded = [sentence.plain.encode("utf-8", "replace") for sentence in sentences]
        whole = b"\n".join(encoded)
        tried: set[str] = set()
        wanted = set(self._first)
        while wanted:
            found = [name for name in sorted(wanted) if self._sets[name].Match(whole)]
            tried |= wanted
            for name in found:
                budget.spend(1 + len(sentences) // 8)
                matcher = self._sets[name]
                for sentence, text in zip(sentences, encoded, strict=True):
                    if matcher.Match(text):
                        yield sentence, name
            support = set().union(*(self._support[name] for name in found if name in self._support))
            wanted = (support & self._sets.keys()) - tried


def sentences(blocks: Iterable[Block], budget: Budget) -> Iterator[Sentence]:
    number = 0
    for block in blocks:
        text = _without_markup(_COMMENT_MARK.sub("", block.text) if block.kind == "code" else block.text)
        for line, piece in _pieces(text, block.line):
            budget.spend(1 + len(piece) // 64)
            flat = " ".join(piece.split()).replace(" _", " ").replace("_ ", " ")
            if len(flat) < 4:
                continue
            number += 1
            yield Sentence(
                number, block.section, line, piece, flat.lower(), block.kind == "hidden", block.kind == "code"
            )


def _without_markup(text: str) -> str:
    text = text.replace("*", "").replace("`", "")
    return text if text.isascii() else text.replace("’", "'").replace("“", '"').replace("”", '"')


def _pieces(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Sentences with the line each starts on; very long ones in overlapping parts, so that nothing is cut in two."""
    start = 0
    for match in _END.finditer(text):
        yield from _bounded(text[start : match.end()], line)
        line += text.count("\n", start, match.end())
        start = match.end()
    yield from _bounded(text[start:], line)


def _bounded(piece: str, line: int) -> Iterator[tuple[int, str]]:
    body = piece.lstrip()
    line += piece.count("\n", 0, len(piece) - len(body))
    if len(body) <= MAX_SENTENCE:
        if body:
            yield line, body
        return
    step = MAX_SENTENCE * 3 // 4
    for start in range(0, len(body), step):
        yield line + body.count("\n", 0, start), body[start : start + MAX_SENTENCE]
