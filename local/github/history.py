"""Commits, the files in them, and where the files' contents are kept."""

import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from local.github import objects
from local.github.metadata import Metadata

TIME_BETWEEN_COMMITS = timedelta(hours=1)


@dataclass(frozen=True)
class File:
    mode: str
    sha: str
    size: int
    generated: bool = False


@dataclass(frozen=True)
class Commit:
    files: Mapping[str, File]
    parent: str | None
    date: datetime
    message: str

    @cached_property
    def trees(self) -> dict[str, str]:
        """The tree id of every directory."""
        return objects.tree_ids({path: (file.mode, file.sha) for path, file in self.files.items()})

    @property
    def tree(self) -> str:
        return self.trees[objects.ROOT]

    @cached_property
    def sha(self) -> str:
        return objects.commit_id(self.tree, self.parent, self.date, self.message)

    def object_at(self, path: str) -> str | None:
        """The id of the file or directory at a path, which tells whether anything there has changed."""
        file = self.files.get(path)
        return file.sha if file else self.trees.get(path)

    def to_json(self) -> dict[str, Any]:
        return {
            "parent": self.parent,
            "date": self.date.isoformat(),
            "message": self.message,
            "files": {path: [file.mode, file.sha, file.size, file.generated] for path, file in self.files.items()},
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Commit":
        return cls(
            files={path: File(*fields) for path, fields in stored["files"].items()},
            parent=stored["parent"],
            date=datetime.fromisoformat(stored["date"]),
            message=stored["message"],
        )


def next_commit(history: tuple[Commit, ...], files: Mapping[str, File], metadata: Metadata) -> Commit:
    """The commit that brings a repository from its history so far to these files."""
    if not history:
        return Commit(files, parent=None, date=metadata.created_at, message="Add the files\n")
    head = history[-1]
    return Commit(files, head.sha, head.date + TIME_BETWEEN_COMMITS, f"Change the files, number {len(history)}\n")


class Contents:
    """The bytes behind blob ids: in memory, or in a folder where they outlive the process."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._in_memory: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def add(self, content: bytes) -> str:
        sha = objects.blob_id(content)
        if self._folder is None:
            with self._lock:
                self._in_memory.setdefault(sha, content)
        elif not (path := self._path(self._folder, sha)).exists():
            write_whole(path, content)
        return sha

    def read(self, path: str, file: File) -> bytes:
        if file.generated:
            return generated_content(path, file.size)
        if self._folder is None:
            return self._in_memory[file.sha]
        return self._path(self._folder, file.sha).read_bytes()

    @staticmethod
    def _path(folder: Path, sha: str) -> Path:
        return folder / sha[:2] / sha[2:]


def assemble(files: Mapping[str, tuple[str, bytes]], metadata: Metadata, contents: Contents) -> dict[str, File]:
    """All files of a commit: those given as path → (mode, content), and those that the metadata declares."""
    assembled = {
        path: File(objects.EXECUTABLE if path in metadata.executable else mode, contents.add(content), len(content))
        for path, (mode, content) in files.items()
    }
    for path, target in metadata.symlinks.items():
        assembled[path] = File(objects.SYMLINK, contents.add(target.encode()), len(target.encode()))
    for path, submodule in metadata.submodules.items():
        assembled[path] = File(objects.SUBMODULE, submodule.sha, 0)
    for path, size in metadata.generated.items():
        sha = objects.blob_id(generated_content(path, size))
        assembled[path] = File(objects.FILE, sha, size, generated=True)
    _require_tree(assembled)
    return dict(sorted(assembled.items()))


def generated_content(path: str, size: int) -> bytes:
    """Lines of text that follow from the path alone, cut at the size."""
    block = "".join(f"{path}: generated line {number:04d}\n" for number in range(1000)).encode()
    return b"".join(itertools.repeat(block, size // len(block) + 1))[:size]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a restart after a crash, sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two threads may write the same object at once: each needs a partial file of its own.
    partial = path.with_name(f"{path.name}.{threading.get_ident()}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def _require_tree(files: Mapping[str, File]) -> None:
    for path in files:
        parts = path.split("/")
        if "\0" in path or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
            raise ValueError(f"git has no such path: {path!r}")
        if not files.keys().isdisjoint(objects.ancestors(path)):
            raise ValueError(f"a file cannot also be a directory above {path!r}")
