"""Which files make up a skill: SKILL.md, all in its folder, and what these refer to elsewhere in the repository.

A file that is not read is there all the same, with a note of why: what was not read cannot pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from skillgate.adapters.github.limits import (
    MAX_DEPTH,
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_PATH_LENGTH,
    MAX_REFERENCE_ROUNDS,
    MAX_REFERRED_FILES,
    MAX_TOTAL_BYTES,
)
from skillgate.adapters.github.references import mentions, resolutions
from skillgate.adapters.github.trees import SYMLINK, RepositoryTree, TreeEntry
from skillgate.domain.errors import PermanentFailure
from skillgate.domain.repo_url import SKILL_FILE, RepoUrl
from skillgate.domain.skill_files import SkillFile

FetchFiles = Callable[[Sequence[TreeEntry]], Mapping[str, bytes]]

_LFS = b"version https://git-lfs.github.com/spec/v1"
_LFS_LONGEST = 1_024  # by its specification; what is longer is read like any other text
LFS_NOTE = "Git LFS pointer: the file itself is not in the repository"


def is_skill_file(entry: TreeEntry) -> bool:
    is_file = entry.kind == "blob" and entry.mode != SYMLINK
    return is_file and entry.name.lower() == SKILL_FILE.lower() and odd_path(entry.path) is None


def find_skill_file(tree: RepositoryTree, path: str, repo: RepoUrl) -> TreeEntry:
    """Raises PermanentFailure if there is no readable SKILL.md, naming others that there are."""
    entry = tree.locate(path)
    if entry is not None and is_skill_file(entry):
        if entry.size > MAX_FILE_BYTES:
            raise _no_skill(f"{entry.path} is larger than {MAX_FILE_BYTES:,} bytes.")
        return entry
    if entry is not None:
        kind = {"tree": "a folder", "commit": "a submodule"}.get(entry.kind, "a symbolic link")
        raise _no_skill(f"{path} is not read: it is {odd_path(entry.path) or kind}.")
    others = sorted(other.path for other in tree.glimpse if is_skill_file(other))
    message = f"{repo.url} has no {path}."
    if others:
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        message += f" It has {', '.join(others[:5])}{more}."
    raise _no_skill(message)


class SkillReader:
    """Reads one skill, once. Limits are over the whole of it, and SKILL.md comes first."""

    def __init__(self, repo: RepoUrl, tree: RepositoryTree, skill: TreeEntry, fetch: FetchFiles) -> None:
        self._repo = repo
        self._tree = tree
        self._skill = skill
        self._fetch = fetch
        self._files: dict[str, SkillFile] = {}
        self._bytes = 0
        self._overflow: list[TreeEntry] = []

    def read(self) -> list[SkillFile]:
        """Sorted by path."""
        inside = sorted(self._tree.under(self._skill.folder), key=_path)
        fresh = self._take([self._skill, *inside])
        if self._files[self._skill.path].content is None:
            raise _no_skill(f"{self._skill.path} is a {LFS_NOTE}.")
        referred = 0
        for _ in range(MAX_REFERENCE_ROUNDS):
            found = self._referred_by(fresh)
            fresh = self._take(found[: MAX_REFERRED_FILES - referred])
            self._note(found[MAX_REFERRED_FILES - referred :], "referred to, but too many files are")
            referred = min(MAX_REFERRED_FILES, referred + len(found))
        self._note(self._referred_by(fresh), "referred to through too many other files")
        return sorted([*self._files.values(), *self._summary_of_overflow()], key=lambda file: file.path)

    def _take(self, entries: Iterable[TreeEntry]) -> list[SkillFile]:
        """Reads what may be read and notes the rest; returns what was read."""
        wanted: dict[str, TreeEntry] = {}
        for entry in entries:
            if entry.path in self._files or entry.path in wanted:
                continue
            if len(self._files) + len(wanted) >= MAX_FILES:
                self._overflow.append(entry)
                continue
            note = self._objection(entry)
            if note is not None:
                self._note([entry], note)
                continue
            self._bytes += entry.size
            wanted[entry.path] = entry
        contents = self._fetch(list(wanted.values())) if wanted else {}
        read = [_as_file(entry, contents[entry.path]) for entry in wanted.values()]
        self._files |= {file.path: file for file in read}
        return [file for file in read if file.content is not None]

    def _objection(self, entry: TreeEntry) -> str | None:
        """Why the entry is not read."""
        if entry.kind == "tree":
            return "folder, referred to but not read"
        if entry.kind == "commit":
            return "submodule: another repository, not followed"
        if entry.mode == SYMLINK:
            return "symbolic link, not followed"
        if entry.size > MAX_FILE_BYTES:
            return f"larger than {MAX_FILE_BYTES:,} bytes"
        if self._bytes + entry.size > MAX_TOTAL_BYTES:
            return f"the skill has more than {MAX_TOTAL_BYTES:,} bytes"
        return odd_path(entry.path)

    def _note(self, entries: Iterable[TreeEntry], note: str) -> None:
        for entry in entries:
            if entry.path in self._files:
                continue
            if len(self._files) >= MAX_FILES:
                self._overflow.append(entry)
            else:
                self._files[entry.path] = SkillFile(_shown(entry.path), None, entry.size, note, entry.sha)

    def _referred_by(self, files: Iterable[SkillFile]) -> list[TreeEntry]:
        """What these files refer to and has not been met yet."""
        found: dict[str, TreeEntry] = {}
        for file in files:
            for mention in sorted(mentions(file.path, file.content or b"", self._repo)):
                for entry in self._lookup(mention, file.path):
                    if entry.path not in self._files:
                        found[entry.path] = entry
        return list(found.values())

    def _lookup(self, mention: str, mentioned_in: str) -> list[TreeEntry]:
        for path in resolutions(mention, mentioned_in=mentioned_in, skill_folder=self._skill.folder):
            entry = self._tree.get(path)
            if entry is None:
                continue
            if entry.kind != "tree":
                return [entry]
            return self._lookup_folder(entry, mention)
        return []

    def _lookup_folder(self, folder: TreeEntry, mention: str) -> list[TreeEntry]:
        """Only `../shared/` means the repository's own folder; `src/` is mostly the reader's."""
        is_above = f"{self._skill.folder}/".startswith(f"{folder.path}/")
        if is_above or not mention.startswith("../"):
            return []
        # Where the tree is too long to be listed, the folder may be too: it is noted as one.
        return sorted(self._tree.under(folder.path), key=_path) if self._tree.is_complete else [folder]

    def _summary_of_overflow(self) -> list[SkillFile]:
        if not self._overflow:
            return []
        first, count = self._overflow[0], len({entry.path for entry in self._overflow})
        size = sum(entry.size for entry in self._overflow)
        # Of paths as well as contents: a file that is only renamed is another skill.
        names = sorted(f"{entry.sha} {entry.path!r}" for entry in self._overflow)
        all_of_them = hashlib.sha256("\n".join(names).encode()).hexdigest()
        note = f"this and {count - 1:,} more: over {MAX_FILES:,} files"
        return [SkillFile(_shown(first.path), None, size, note, all_of_them)]


def _path(entry: TreeEntry) -> str:
    return entry.path


def _as_file(entry: TreeEntry, content: bytes) -> SkillFile:
    if content.startswith(_LFS) and len(content) < _LFS_LONGEST:
        return SkillFile(entry.path, None, entry.size, LFS_NOTE, entry.sha)
    return SkillFile(entry.path, content, len(content))


def odd_path(path: str) -> str | None:
    """Why a path from the tree is not asked for."""
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or {"", ".", ".."} & set(parts):
        return "a path that no honest file has"
    if len(path) > MAX_PATH_LENGTH:
        return f"a path of more than {MAX_PATH_LENGTH} characters"
    return f"deeper than {MAX_DEPTH} folders" if len(parts) > MAX_DEPTH + 1 else None


def _shown(path: str) -> str:
    """The path in a form that can be stored and shown, whatever bytes git had for it."""
    if path.isprintable():
        return path[:MAX_PATH_LENGTH]
    return path.encode("unicode_escape").decode("ascii")[:MAX_PATH_LENGTH]


def _no_skill(message: str) -> PermanentFailure:
    return PermanentFailure(message, code="no_skill_md")
