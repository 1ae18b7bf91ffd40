"""What of a file is meant to be read: comments and strings of code, and orders spelled so that a filter misses them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

import re2

from skillgate.scanning import code
from skillgate.scanning.markdown import Block

_STRING = re.compile(r"\"\"\"([^\"]{20,4000})\"\"\"|'''([^']{20,4000})'''|\"([^\"\n]{40,1000})\"|'([^'\n]{40,1000})'")
_COMMENT_LINE = re.compile(r"^\s*(?:#|//|\*|/\*|--|;|<!--)\s?(.*)$")
_TRAILING_COMMENT = re.compile(r"\s(?:#|//)\s+(.{12,})$")
_DIGITS = str.maketrans("013457@$!", "oieastasi")
_WITH_DIGITS = re2.compile(
    r"(?i)\b(?:[i1!]gn[o0]r[e3]|d[i1!][s5$]r[e3]g[a4@]rd|f[o0]rg[e3]t|[o0]v[e3]rr[i1!]d[e3])\s+(?:\S+\s+){0,3}"
    r"(?:pr[e3]v[i1!][o0]u[s5$]|pr[i1!][o0]r|[a4@]b[o0]v[e3]|[s5$]y[s5$][t7][e3]m|[s5$][a4@]f[e3][t7]y)\s+\S+(?:\s+\S+)?"
)
_SPACED = re2.compile(r"(?:\b[A-Za-z] {1,2}){9,}[A-Za-z]\b")
_MAX_SPACED = 20
_PROSE_IN_CODE = 3
_SENTENCE_WORDS = 6
_MAX_LINE = 2_000
_DOCUMENTS = ("md", "markdown", "mdx", "txt", "rst", "html", "htm", "adoc", "org", "svg", "xml", "tex", "")


def respelled(text: str) -> Iterable[tuple[str, int]]:
    """Orders spelled with digits for letters or with a space after each letter, as they are meant."""
    match = _WITH_DIGITS.search(text)
    if match is not None and any(character in "013457@$!" for character in match.group()):
        yield match.group().translate(_DIGITS), text.count("\n", 0, match.start()) + 1
    for match in islice(_SPACED.finditer(text), _MAX_SPACED):
        words = (word.replace(" ", "") for word in match.group().split("  "))
        yield " ".join(words), text.count("\n", 0, match.start()) + 1


def is_document(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return (name.rsplit(".", 1)[-1].lower() if "." in name else "") in _DOCUMENTS


def readable(blocks: Iterable[Block]) -> Iterable[Block]:
    """Of real code only what is meant for readers; of everything else all."""
    for block in blocks:
        if block.kind == "code" and code.fence_language(block.language):
            yield from comments(block.text, block.line, block.section)
        else:
            yield block


def comments(text: str, first_line: int = 1, section: int = 0) -> Iterable[Block]:
    """Comments, long strings and plain sentences of code; neighbouring lines as one block."""
    gathered: list[str] = []
    start = first_line
    for number, line in enumerate(text.split("\n"), first_line):
        comment = _COMMENT_LINE.match(line)
        spoken = comment.group(1) if comment is not None else line if _is_sentence(line) else None
        if spoken is not None:
            start = start if gathered else number
            gathered.append(spoken)
            continue
        if gathered:
            yield Block("code", "\n".join(gathered), start, section)
            gathered = []
        trailing = _TRAILING_COMMENT.search(line) if "#" in line or "//" in line else None
        if trailing is not None and len(line) < _MAX_LINE:
            yield Block("code", trailing.group(1), number, section)
    if gathered:
        yield Block("code", "\n".join(gathered), start, section)
    yield from _strings(text, first_line, section)


def _is_sentence(line: str) -> bool:
    """Whether a line of code is really prose: words and hardly any of the signs that code is made of."""
    words = line.split()
    if len(words) < _SENTENCE_WORDS:
        return False
    plain = sum(1 for word in words if word.strip(".,;:!?'\"()`*").replace("'", "").replace("-", "").isalpha())
    return plain * 4 >= len(words) * 3


def _strings(text: str, first_line: int, section: int) -> Iterable[Block]:
    line, counted = first_line, 0
    for match in _STRING.finditer(text):
        body = next(group for group in match.groups() if group is not None)
        if body.count(" ") > _PROSE_IN_CODE:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            yield Block("code", body, line, section)
