"""Git's object ids, computed as git computes them: the SHA-1 of a header and the object's canonical bytes."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime

FILE = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"
SUBMODULE = "160000"
DIRECTORY = "040000"

ROOT = ""
"""The path of a repository's top directory in the mappings of this package."""

AUTHOR_NAME = "Example Author"
AUTHOR_EMAIL = "author@users.noreply.github.example"


def object_id(kind: str, content: bytes) -> str:
    digest = hashlib.sha1(f"{kind} {len(content)}\0".encode(), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def blob_id(content: bytes) -> str:
    return object_id("blob", content)


def tree_id(children: Iterable[tuple[str, str, str]]) -> str:
    """The id of a directory, from the (name, mode, id) of each child."""
    ordered = sorted(children, key=_position_in_tree)
    return object_id("tree", b"".join(_tree_line(name, mode, sha) for name, mode, sha in ordered))


def tree_ids(files: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The id of every directory above the files, which are given as path → (mode, id)."""
    children: dict[str, list[tuple[str, str, str]]] = {ROOT: []}
    for path, (mode, sha) in files.items():
        directory, _, name = path.rpartition("/")
        for ancestor in ancestors(path):
            children.setdefault(ancestor, [])
        children[directory].append((name, mode, sha))
    ids: dict[str, str] = {}
    for directory in sorted(children, key=_depth, reverse=True):
        ids[directory] = tree_id(children[directory])
        if directory != ROOT:
            parent, _, name = directory.rpartition("/")
            children[parent].append((name, DIRECTORY, ids[directory]))
    return ids


def commit_id(tree: str, parent: str | None, date: datetime, message: str) -> str:
    person = f"{AUTHOR_NAME} <{AUTHOR_EMAIL}> {int(date.timestamp())} +0000"
    lines = [f"tree {tree}"]
    if parent is not None:
        lines.append(f"parent {parent}")
    lines += [f"author {person}", f"committer {person}", "", message]
    return object_id("commit", "\n".join(lines).encode())


def ancestors(path: str) -> list[str]:
    """The directories above a path, the nearest first and the top directory last."""
    above = []
    while path:
        path = path.rpartition("/")[0]
        above.append(path)
    return above


def _depth(directory: str) -> int:
    return len(ancestors(directory))


def _position_in_tree(child: tuple[str, str, str]) -> bytes:
    # Git sorts bytes, and a directory as if its name ended in a slash.
    name, mode, _ = child
    return _bytes(name + "/" if mode == DIRECTORY else name)


def _tree_line(name: str, mode: str, sha: str) -> bytes:
    return f"{mode.lstrip('0')} ".encode() + _bytes(name) + b"\0" + bytes.fromhex(sha)


def _bytes(name: str) -> bytes:
    # File names that are no UTF-8 come from the disk with surrogates in them.
    return name.encode("utf-8", "surrogateescape")
