"""Skills on a disk: which folders hold one, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from skillgate.domain.skill_files import SkillFile

MAX_READ = 16_000_000
_NOT_CONTENT = frozenset((".git", "node_modules", ".venv", "__pycache__"))


def skill_folders(root: Path) -> list[Path]:
    """`root` itself where it holds a SKILL.md, else every folder below it that does."""
    if (root / "SKILL.md").is_file():
        return [root]
    found = [Path(folder) for folder, _, names in os.walk(root) if "SKILL.md" in names]
    return sorted(folder for folder in found if not _NOT_CONTENT & set(folder.relative_to(root).parts))


def skill_files(folder: Path, *, skip: frozenset[str] = frozenset((".git",))) -> Iterator[SkillFile]:
    """Every file below a folder. Links are noted and never followed; what is too large is noted and not loaded."""
    for parent, folders, names in os.walk(folder):
        for name in sorted(folders):
            if (Path(parent) / name).is_symlink():
                yield SkillFile(_relative(Path(parent) / name, folder), None, 0, "symbolic link")
        folders[:] = sorted(name for name in folders if name not in skip and not (Path(parent) / name).is_symlink())
        for name in sorted(names):
            yield _file(Path(parent) / name, folder)


def _file(path: Path, folder: Path) -> SkillFile:
    relative = _relative(path, folder)
    if path.is_symlink():
        return SkillFile(relative, None, 0, "symbolic link")
    if not path.is_file():
        return SkillFile(relative, None, 0, "not a regular file")
    size = path.stat().st_size
    if size > MAX_READ:
        return SkillFile(relative, None, size, "too large")
    return SkillFile(relative, path.read_bytes(), size)


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
