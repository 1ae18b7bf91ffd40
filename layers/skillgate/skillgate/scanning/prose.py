"""Sentences of a text and the concepts in them. Code is prose too: an agent reads comments and docstrings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import re2

from skillgate.scanning.limits import Budget
from skillgate.scanning.line_search import LineSearch, search_set, widened
from skillgate.scanning.markdown import Block
from skillgate.scanning.rules.concepts import CONCEPTS
from skillgate.scanning.rules.model import Rule

MAX_SENTENCE = 1_200
_STEP = MAX_SENTENCE * 3 // 4
_SHORTEST = 4
_MARK = "\0"
_BETWEEN = f"{_MARK}|{_MARK}"  # blocks; no sentence is a lone sign
# The standard library's engine is far quicker on short patterns; every repetition here is bounded or anchored, so it is
# linear too.
_END = re.compile(r"[.!?;][\"')\]*]?(?=\s)|[。！？；]|:[ \t]{0,3}\n|\n[ \t]{0,8}\n")
_GROUP = 16
_COMMENT_MARK = re.compile(r"^[ \t]*(?:#{1,3}!?|//+|/\*+|\*+/?|--|;+|%+|<!--|\"\"\"|''')[ \t]?", re.MULTILINE)


class Sentence(NamedTuple):
    """`number` runs through the file, so that near sentences can be found."""

    number: int
    section: int
    line: int
    text: str
    hidden: bool


class Sentences:
    """All sentences of a text. `plain` is what patterns see: a sentence a line, in lower case and without markup.

    Where a sentence stands is worked out only for those that are asked for.
    """

    def __init__(self, blocks: Iterable[Block], budget: Budget) -> None:
        self._blocks = list(blocks)
        # All blocks at once: most are a line, and each step on each of them would cost more than the work in it.
        whole = _without_markup(_BETWEEN.join(map(_spoken, self._blocks)))
        marked = _END.sub(_marked, whole)
        budget.spend(1 + len(self._blocks) + len(marked) // 32)
        self._marked = marked.split(_BETWEEN)
        self._places: list[tuple[int, int, int]] = []  # block, sentence of the block, offset in that
        lines: list[str] = []
        for index, flat in enumerate(" ".join(marked.split()).split(_BETWEEN)):
            if len(self._marked[index]) > MAX_SENTENCE:
                pieces = list(_parts(self._marked[index]))
            else:
                pieces = [(piece, 0, text.strip()) for piece, text in enumerate(flat.split(_MARK))]
            for piece, offset, text in pieces:
                if len(text) >= _SHORTEST:
                    self._places.append((index, piece, offset))
                    lines.append(text)
        self.plain = "\n".join(lines).replace(" _", " ").replace("_ ", " ").lower().encode("utf-8", "replace")

    def __getitem__(self, number: int) -> Sentence:
        index, piece, offset = self._places[number]
        block = self._blocks[index]
        pieces = self._marked[index].split(_MARK)
        before = _MARK.join(pieces[:piece])
        body = pieces[piece].lstrip()
        lead = pieces[piece][: len(pieces[piece]) - len(body)]
        line = block.line + before.count("\n") + lead.count("\n") + body.count("\n", 0, offset)
        return Sentence(
            number + 1, block.section, line, body[offset : offset + MAX_SENTENCE], hidden=block.kind == "hidden"
        )


def _parts(marked: str) -> Iterator[tuple[int, int, str]]:
    """(number, offset, text) of each sentence on one line; very long ones in overlapping parts, so that nothing is cut
    in two."""
    for number, piece in enumerate(marked.split(_MARK)):
        body = piece.lstrip()
        if len(body) <= MAX_SENTENCE:
            yield number, 0, " ".join(body.split())
        else:
            for start in range(0, len(body), _STEP):
                yield number, start, " ".join(body[start : start + MAX_SENTENCE].split())


def _spoken(block: Block) -> str:
    text = _COMMENT_MARK.sub("", block.text) if block.kind == "code" else block.text
    return text.replace(_MARK, " ")


def _marked(end: re.Match[str]) -> str:
    return end.group() + _MARK


def _without_markup(text: str) -> str:
    text = text.replace("*", "").replace("`", "")
    return text if text.isascii() else text.replace("’", "'").replace("“", '"').replace("”", '"')


class ConceptMatcher:
    """Which concepts a text may have, by a few automata over all of it; then where, for those that a rule can use.

    Concepts that only support others, or take them away, are sought where one that they belong to was found.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._searches = {name: LineSearch(patterns) for name, patterns in CONCEPTS.items()}
        self._first = {"explains_attack", "moves_to_url"}  # what others than the rules ask for
        self._support: dict[str, set[str]] = defaultdict(set)
        for join in (join for rule in rules for join in rule.when):
            anchor, *others = (*join.all_of, *join.none_of)
            if anchor in CONCEPTS:
                self._first.add(anchor)
                self._support[anchor].update(others)
            else:
                self._first.update(name for name in others if name in CONCEPTS)
        self._groups = list(_grouped({name: CONCEPTS[name] for name in sorted(self._first)}))

    def match(self, sentences: Sentences, budget: Budget) -> Iterator[tuple[Sentence, str]]:
        """Every sentence with each concept in it."""
        text = sentences.plain
        wanted = {names[index] for names, group in self._groups for index in group.Match(text) or ()}
        tried = set(self._first)
        while wanted:
            support: set[str] = set()
            for name in sorted(wanted):
                budget.spend(1 + len(text) // 512)
                for line in self._searches[name].lines(text):
                    support |= self._support.get(name, frozenset())
                    yield sentences[line.number], name
            wanted = (support & self._searches.keys()) - tried
            tried |= wanted


def _grouped(concepts: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[list[str], re2.Set]]:
    """All patterns in a few automata, which find too much rather than too little."""
    patterns = [(name, widened(pattern)) for name, some in concepts.items() for pattern in some]
    for start in range(0, len(patterns), _GROUP):
        some = patterns[start : start + _GROUP]
        yield [name for name, _ in some], search_set([pattern for _, pattern in some])
