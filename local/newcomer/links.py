"""Every link of every page: files that are there, headings that are there, addresses that are well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_REFERENCE = re.compile(r"^\[[^\]]+\]:\s+<?(\S+?)>?\s*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
# What the stand-in for GitHub serves, and what other people wrote, is no page of ours.
_NOT_OURS = ("local/examples/", "node_modules/", ".venv/", ".local/", ".aws-sam/")


def pages(root: Path) -> list[Path]:
    found = sorted(root.rglob("*.md"))
    return [page for page in found if not page.relative_to(root).as_posix().startswith(_NOT_OURS)]


def links_of(text: str) -> list[str]:
    prose = _CODE.sub("", _FENCE.sub("", text))
    return [*_LINK.findall(prose), *_REFERENCE.findall(prose)]


def anchors_of(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        anchor, number = words, 1
        while anchor in found:
            anchor, number = f"{words}-{number}", number + 1
        found.add(anchor)
    return found


def broken(root: Path) -> Iterator[str]:
    """One sentence for each link that leads nowhere."""
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for link in links_of(text):
            if trouble := _trouble(root, page, text, link):
                yield f"{page.relative_to(root)}: {link}: {trouble}"


def _trouble(root: Path, page: Path, text: str, link: str) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        well_formed = parts.scheme in ("http", "https", "mailto") and bool(parts.hostname or parts.scheme == "mailto")
        return None if well_formed else "is no address"
    target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
    if not target.is_relative_to(root.resolve()) and parts.path:
        return "leads out of the repository"
    if not target.exists():
        return "is not there"
    if parts.fragment and target.suffix == ".md":
        known = anchors_of(text if target == page else target.read_text(encoding="utf-8"))
        return None if parts.fragment in known else "has no such heading"
    return None
