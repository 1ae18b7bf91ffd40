"""Which paths a text mentions. Mentions are only candidates: what is not in the repository is nobody's reference."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillgate.domain.repo_url import RepoUrl

MAX_MENTION_LENGTH = 400
_PROSE = (".md", ".mdx", ".markdown", ".mdc", ".txt", ".rst", ".adoc")

# Every pattern is one run of a character class after a fixed start, so each takes linear time.
_TOKEN = re.compile(r"[^\s\"'`()<>\[\]{}|,;*=$&]+")
_MARKED = re.compile(r"\]\(\s{0,9}<?([^)\s>]{1,400})|\]:\s{0,9}<?([^\s>]{1,400})|`([^`\n]{1,400})`")
_UPWARDS = re.compile(r"\.\./[\w@+./~-]{1,400}")


def mentions(path: str, content: bytes, repo: RepoUrl) -> set[str]:
    """Paths that the file mentions, as it writes them but for URL quoting, fragments and punctuation around them.

    In prose: everything with a slash, and links and code spans also without. In other files: what starts with `../`.
    """
    if b"\0" in content:
        return set()
    text = content.decode("utf-8", errors="replace")
    if not path.lower().endswith(_PROSE):
        return {_cleaned(found) for found in _UPWARDS.findall(text)}
    found = {_cleaned(_own_file(token, repo)) for token in _prose_tokens(text)}
    return {token for token in found if token and len(token) <= MAX_MENTION_LENGTH and "://" not in token}


def resolutions(mention: str, *, mentioned_in: str, skill_folder: str) -> Iterator[str]:
    """Where the mention may lead, the likeliest first: from the file, from the skill's folder, from the root.

    A bare name such as `README.md` mostly means the reader's own, so it never means one at the root.
    """
    folders = [skill_folder] if mention.startswith("/") else [posixpath.dirname(mentioned_in), skill_folder]
    for folder in dict.fromkeys([*folders, ""] if "/" in mention else folders):
        path = posixpath.normpath(posixpath.join(folder, mention.lstrip("/")))
        if path != "." and not path.startswith("../") and path != "..":
            yield path


def _prose_tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if "/" in token:
            yield token
    for groups in _MARKED.findall(text):
        target = groups[0] or groups[1] or groups[2]
        yield target
        yield from target.split()


def _own_file(token: str, repo: RepoUrl) -> str:
    """The path within the repository of an address of one of its own files; anything else as it is."""
    scheme, found, rest = token.partition("://")
    if not found or scheme.lower() not in ("http", "https"):
        return token
    host, _, path = rest.partition("/")
    parts = path.split("/")
    if "/".join(parts[:2]).lower() != repo.key:
        return token
    if host.lower() == "raw.githubusercontent.com" and len(parts) > 3:
        return "/" + "/".join(parts[5:] if parts[2:4] == ["refs", "heads"] else parts[3:])
    if host.lower() in ("github.com", "www.github.com") and len(parts) > 4 and parts[2] in ("blob", "tree", "raw"):
        return "/" + "/".join(parts[4:])
    return token


def _cleaned(token: str) -> str:
    path = unquote(token.partition("#")[0].partition("?")[0]).strip().rstrip(",;:!")
    return path if path.endswith("..") else path.removesuffix(".")
