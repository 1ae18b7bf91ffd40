"""What is in a repository at one commit: listed at once where GitHub can, folder by folder where it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skillgate.adapters.github.limits import MAX_TREE_REQUESTS
from skillgate.concurrency import settle
from skillgate.domain.errors import PermanentFailure, SourceUnavailable

SYMLINK = "120000"
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WORKERS = 8


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """`kind` is git's: blob, tree, or commit for a submodule. `path` is from the repository's root, as git has it."""

    path: str
    kind: str
    mode: str
    sha: str
    size: int

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


@dataclass(frozen=True)
class Listing:
    entries: Sequence[TreeEntry]
    truncated: bool


ListTree = Callable[[str, bool], Listing]  # object id and whether recursively


def parse_listing(value: Any) -> Listing:
    """Raises SourceUnavailable for what is not GitHub's form."""
    try:
        truncated = value["truncated"]
        if not isinstance(truncated, bool):  # whether something is missing has to be known
            raise TypeError("truncated")
        return Listing([_parse_entry(entry) for entry in value["tree"]], truncated)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SourceUnavailable("GitHub's listing could not be understood.", retry_after=30) from error


def _parse_entry(entry: Mapping[str, Any]) -> TreeEntry:
    path, kind, mode, sha, size = entry["path"], entry["type"], entry["mode"], entry["sha"], entry.get("size", 0)
    texts = all(isinstance(text, str) for text in (path, kind, mode, sha))
    if not texts or not isinstance(size, int) or size < 0 or not path or not OBJECT_ID.fullmatch(sha):
        raise ValueError("not an entry of a tree")
    return TreeEntry(path, kind, mode, sha, size)


class RepositoryTree:
    """The first listing is made when the tree is; a complete one answers every question after that.

    Raises PermanentFailure for a repository that even folder by folder takes too many requests.
    """

    def __init__(self, list_tree: ListTree, root: str) -> None:
        self._list_tree = list_tree
        self._requests = 0
        self._children: dict[str, dict[str, TreeEntry]] = {}  # by folder, then by path
        listing = self._list(root, recursive=True)
        self.is_complete = not listing.truncated
        self._root = root
        self.glimpse: Sequence[TreeEntry] = listing.entries  # all there is, or the part that GitHub listed
        if self.is_complete:
            for entry in listing.entries:
                self._children.setdefault(entry.folder, {})[entry.path] = entry

    def children(self, folder: str) -> Mapping[str, TreeEntry]:
        """What is directly in the folder, by path; nothing if there is no such folder."""
        if not self.is_complete and folder not in self._children:
            sha = self._folder_id(folder)
            entries = [] if sha is None else _below(folder, self._whole(sha).entries)
            self._children[folder] = {entry.path: entry for entry in entries}
        return self._children.get(folder, {})

    def under(self, folder: str) -> list[TreeEntry]:
        """Every file, link and submodule in the folder and below it."""
        if self.is_complete:
            prefix = f"{folder}/" if folder else ""
            return [entry for entry in self.glimpse if entry.kind != "tree" and entry.path.startswith(prefix)]
        sha = self._folder_id(folder)
        return [] if sha is None else [entry for entry in self._walk(folder, sha) if entry.kind != "tree"]

    def get(self, path: str) -> TreeEntry | None:
        return self.children(path.rpartition("/")[0]).get(path)

    def locate(self, path: str) -> TreeEntry | None:
        """The entry at the path, or else at one that differs from it only in case."""
        return self.get(path) or self._search("", path.casefold().split("/"))

    def _search(self, folder: str, parts: Sequence[str]) -> TreeEntry | None:
        for _, entry in sorted(self.children(folder).items()):
            if entry.name.casefold() != parts[0]:
                continue
            if len(parts) == 1:
                return entry
            found = self._search(entry.path, parts[1:]) if entry.kind == "tree" else None
            if found:
                return found
        return None

    def _folder_id(self, folder: str) -> str | None:
        if not folder:
            return self._root
        entry = self.get(folder)
        return entry.sha if entry and entry.kind == "tree" else None

    def _walk(self, folder: str, sha: str) -> list[TreeEntry]:
        """Level by level, each level's folders side by side; a folder that can be listed with all below it, is."""
        found: list[TreeEntry] = []
        level = [(folder, sha)]
        while level:
            looks = settle(lambda place: self._look(*place), level, workers=_WORKERS)
            level = []
            for look in looks:
                entries, all_below = look.unwrap()
                found += entries
                level += [] if all_below else [(entry.path, entry.sha) for entry in entries if entry.kind == "tree"]
        return found

    def _look(self, folder: str, sha: str) -> tuple[list[TreeEntry], bool]:
        listing = self._list(sha, recursive=True) if sha != self._root else None  # the root is known to be too long
        if listing is None or listing.truncated:
            return _below(folder, self._whole(sha).entries), False
        return _below(folder, listing.entries), True

    def _whole(self, sha: str) -> Listing:
        listing = self._list(sha, recursive=False)
        if listing.truncated:
            raise _too_large()
        return listing

    def _list(self, sha: str, *, recursive: bool) -> Listing:
        self._requests += 1
        if self._requests > MAX_TREE_REQUESTS:
            raise _too_large()
        return self._list_tree(sha, recursive)


def _below(folder: str, entries: Sequence[TreeEntry]) -> list[TreeEntry]:
    prefix = f"{folder}/" if folder else ""
    return [replace(entry, path=prefix + entry.path) for entry in entries]


def _too_large() -> PermanentFailure:
    return PermanentFailure(
        "The repository has more folders than can be listed. Put the skill into a smaller one.",
        code="repository_too_large",
    )
