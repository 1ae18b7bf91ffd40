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
    fence, language = "", ""

    def flush() -> Iterator[Block]:
        if gathered:
            yield Block(kind, "\n".join(gathered), start, section, language if kind == "code" else "")
            gathered.clear()

    for number, line in enumerate(text.split("\n"), first_line):
        if fence:
            if line.strip(" >\t").startswith(fence) and not line.strip(" >\t").strip(fence[0]):
                yield from flush()
                fence, kind = "", "prose"
            else:
                gathered.append(line)
            continue
        opening = _FENCE.match(line) if "``" in line or "~~" in line else None
        if opening is not None:
            yield from flush()
            fence, language, kind, start = opening.group(1), opening.group(2).lower(), "code", number + 1
            continue
        heading = _HEADING.match(line) if "#" in line else None
        if heading is not None:
            yield from flush()
            section += 1
            yield Block("heading", heading.group(2), number, section)
            kind = "prose"
        elif not line.strip():
            yield from flush()
            kind = "prose"
        elif _ITEM.match(line):
            yield from flush()
            kind, start = "item", number
            gathered.append(line)
        else:
            if not gathered:
                start = number
            gathered.append(line)
    yield from flush()


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
