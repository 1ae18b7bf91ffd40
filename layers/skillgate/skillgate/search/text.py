"""From what people type to what is looked up. Whatever `q` holds, its cost is bounded here."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_CHARACTERS = 200
MAX_WORDS = 8
MAX_WORD = 40
_WORD = re.compile(r"[^\W_]+")
_HOST = re.compile(r"^(?:https?://)?(?:www\.)?github\.com(?:/|$)|^git@github\.com:")
_REPOSITORY = re.compile(r"[\w.-]*/?[\w.-]*")
# Words that say nothing about what a skill does.
_STOP = """a an and are as at be by can do for from how i if in into is it its me my of on or our so that the their
them then this to use used user users uses using want was what when where which who will with you your skill skills"""
STOP_WORDS = frozenset(_STOP.split())


@dataclass(frozen=True)
class Phrase:
    """A query, understood. `key` compares with names, `words` with words, `repository` with parts of `owner/repo`."""

    key: str
    words: tuple[str, ...]
    repository: str
    blank: bool = False  # nothing was asked: everything is meant. Asked for signs alone: nothing is


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def words(text: str) -> list[str]:
    return [word[:MAX_WORD] for word in _WORD.findall(folded(text))]


def key(text: str) -> str:
    """Names compare by their words alone: `Code Review`, `code_review` and `code-review` are one."""
    return "-".join(words(text))


def parse(query: str) -> Phrase:
    text = folded(query[: MAX_CHARACTERS * 4]).strip()[:MAX_CHARACTERS]
    path = _HOST.sub("", text, count=1)
    is_url = path != text
    if is_url:  # a link into a repository means the repository
        path = "/".join(path.split("/")[:2])
    repository = path.strip("/ ").removesuffix(".git")
    if not _REPOSITORY.fullmatch(repository):
        repository = ""
    found = [] if is_url else words(text)[:MAX_WORDS]
    return Phrase("-".join(found), tuple(dict.fromkeys(found)), repository if found or is_url else "", blank=not text)


def meaningful(found: tuple[str, ...]) -> tuple[str, ...]:
    """The words that a description is searched for; all of them where none means much."""
    return tuple(word for word in found if word not in STOP_WORDS) or found
