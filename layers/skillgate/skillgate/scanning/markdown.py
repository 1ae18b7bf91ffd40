"""Splits a document into the blocks that an agent reads: prose, code, comments, hidden parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import re2

# Tried on single lines from their start, and without nested repetition: linear in the standard library's engine too.
_FENCE = re.compile(r"^\s{0,12}(?:>\s*)*(`{3,}|~{3,})\s*([A-Za-z0-9_+#.-]*)")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\|)\s+")
_COMMENT = re2.compile(r"(?s)<!--(.*?)(?:-->|\z)")
_HIDDEN_STYLE = re2.compile(
    r"(?is)<(?:div|span|p|font|td|section|details|small|b|i)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"font-size\s*:\s*0|opacity\s*:\s*0(?:\.0+)?[;\"'\s]|color\s*:\s*(?:#fff(?:fff)?|white|transparent)\b|color\s*=\s*[\"']?"
    r"(?:#fff(?:fff)?|white)|height\s*:\s*0|left\s*:\s*-\d{3,}|\shidden\b)[^>]*>(.+?)</"
)
_REFERENCE_COMMENT = re2.compile(
    r"(?m)^\s{0,3}\[(?://|comment|_|#|hidden)[^\]]{0,40}\]\s*:\s*\S*\s*[\"'(](.+?)[\"')]\s*$"
)
_ALT = re2.compile(r"!\[([^\]]{12,})\]\(")
_TITLE = re2.compile(r"\]\([^()\s]+\s+[\"']([^\"'\n]{12,})[\"']\s*\)")
_HTML_ATTRIBUTE = re2.compile(r"(?i)\b(?:alt|title|aria-label|data-[a-z-]+)\s*=\s*\"([^\"]{20,})\"")

_MAX_FENCES = 8


class Block(NamedTuple):
    """`kind`: prose, item, heading, code or hidden. `section` counts the headings before it."""

    kind: str
    text: str
    line: int
    section: int
    language: str = ""


def blocks(text: str, first_line: int = 1) -> Iterator[Block]:
    """All visible blocks in order, then the hidden ones."""
    yield from _visible(text, first_line)
    yield from _hidden(text, first_line)


def _visible(text: str, first_line: int) -> Iterator[Block]:
    section = 0
    gathered: list[str] = []
    start = first_line
    kind = "prose"
    # A fence with a language inside a fence opens another: an agent reads both, and so an open fence hides nothing.
    fences: list[tuple[str, str]] = []

    def flush() -> Iterator[Block]:
        if gathered:
            yield Block(kind, "\n".join(gathered), start, section, fences[-1][1] if fences else "")
            gathered.clear()

    for number, line in enumerate(text.split("\n"), first_line):
        fence = _FENCE.match(line) if "``" in line or "~~" in line else None
        if fence is not None and fences and not fence.group(2) and _closes(line, fences[-1][0]):
            yield from flush()
            fences.pop()
            kind, start = ("code", number + 1) if fences else ("prose", number + 1)
        elif fence is not None and len(fences) < _MAX_FENCES and (fence.group(2) or not fences):
            yield from flush()
            fences.append((fence.group(1), fence.group(2).lower()))
            kind, start = "code", number + 1
        elif fences:
            gathered.append(line)
        else:
            heading = _HEADING.match(line) if "#" in line else None
            blank = not line or line.isspace()
            item = not blank and _ITEM.match(line) is not None
            if heading is not None or blank or item:
                if gathered:
                    yield from flush()
                kind, start = "prose", number
            if heading is not None:
                section += 1
                yield Block("heading", heading.group(2), number, section)
            elif not blank:
                kind = "item" if not gathered and item else kind
                start = start if gathered else number
                gathered.append(line)
    yield from flush()


def _closes(line: str, marker: str) -> bool:
    bare = line.strip(" >\t")
    return bare.startswith(marker) and not bare.strip(marker[0])


def _hidden(text: str, first_line: int) -> Iterator[Block]:
    patterns = []
    if "<!--" in text:
        patterns.append(_COMMENT)
    if "<" in text:
        patterns += [_HIDDEN_STYLE, _HTML_ATTRIBUTE]
    if "](" in text:
        patterns += [_ALT, _TITLE]
    if "]:" in text:
        patterns.append(_REFERENCE_COMMENT)
    for pattern in patterns:
        line, counted = first_line, 0
        for match in pattern.finditer(text):
            line += text.count("\n", counted, match.start())
            counted = match.start()
            yield Block("hidden", match.group(1), line, -1)
