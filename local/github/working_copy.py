"""Reading repositories from a folder `<owner>/<repo>/…files…`, each with an optional `<owner>/<repo>.yaml` beside it.

Names are found by listing the folder, never by joining what a request says to a path.
"""

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from local.github import objects

METADATA_SUFFIX = ".yaml"
CLOCK_GRAIN_NS = 2_000_000_000
"""A file changed twice within a file system's clock tick keeps its time; what is this fresh is read again."""


@dataclass(frozen=True)
class WorkingCopy:
    owner: str
    name: str
    folder: Path
    metadata_file: Path | None


@dataclass(frozen=True)
class Fingerprint:
    """What the files looked like from outside, to tell whether reading them again could show anything new."""

    files: tuple[tuple[str, int, int, int], ...]
    settled: bool

    def shows_no_change_since(self, earlier: "Fingerprint | None") -> bool:
        return earlier is not None and earlier.settled and self.files == earlier.files


def working_copies(root: Path, owned_by: str | None = None) -> Iterator[WorkingCopy]:
    """All repositories, or those of one owner, whose name is found whatever its case."""
    for owner in _visible_folders(root):
        if owned_by is not None and owner.name.lower() != owned_by.lower():
            continue
        names = {entry.name for entry in os.scandir(owner) if entry.is_dir() and not entry.name.startswith(".")}
        described = {file.stem for file in owner.glob(f"*{METADATA_SUFFIX}")}
        for name in sorted(names | described):
            file = owner / f"{name}{METADATA_SUFFIX}"
            yield WorkingCopy(owner.name, name, owner / name, file if name in described else None)


def fingerprint(copy: WorkingCopy) -> Fingerprint:
    paths = [path for path, _ in _walk(copy.folder)]
    if copy.metadata_file is not None:
        paths.append(copy.metadata_file)
    seen = []
    newest = 0
    for path in sorted(paths):
        status = path.lstat()
        newest = max(newest, status.st_mtime_ns, status.st_ctime_ns)
        seen.append((str(path), status.st_mtime_ns, status.st_size, status.st_mode))
    return Fingerprint(tuple(seen), settled=time.time_ns() - newest > CLOCK_GRAIN_NS)


def read_files(copy: WorkingCopy) -> dict[str, tuple[str, bytes]]:
    """Every file as path → (mode, content). A symbolic link's content is its target; it is never followed."""
    files = {}
    for path, mode in _walk(copy.folder):
        content = os.fsencode(path.readlink()) if mode == objects.SYMLINK else path.read_bytes()
        files[path.relative_to(copy.folder).as_posix()] = (mode, content)
    return files


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    if not folder.is_dir():
        return
    for entry in os.scandir(folder):
        if entry.is_symlink():
            yield Path(entry.path), objects.SYMLINK
        elif entry.is_dir():
            if entry.name != ".git":
                yield from _walk(Path(entry.path))
        elif entry.is_file():
            executable = entry.stat().st_mode & stat.S_IXUSR
            yield Path(entry.path), objects.EXECUTABLE if executable else objects.FILE


def _visible_folders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
