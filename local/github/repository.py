"""One repository at one moment: a value, replaced when something is pushed."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from local.github.history import Commit, File
from local.github.metadata import Metadata

DEFAULT_BRANCH = "main"
BRANCH_NAMES = frozenset({"HEAD", DEFAULT_BRANCH, f"heads/{DEFAULT_BRANCH}", f"refs/heads/{DEFAULT_BRANCH}"})


@dataclass(frozen=True)
class Repository:
    owner: str
    name: str
    metadata: Metadata
    commits: tuple[Commit, ...] = ()
    pushed: bool = False
    """Pushed through the control endpoint: a folder of the same name is no longer looked at."""
    gone: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def id(self) -> int:
        return repository_id(self.full_name)

    @property
    def head(self) -> Commit | None:
        return self.commits[-1] if self.commits and not self.metadata.empty else None

    def resolve(self, ref: str) -> Commit | None:
        """The commit that a branch, a commit id or the beginning of one (seven characters or more) stands for."""
        if ref in BRANCH_NAMES:
            return self.head
        if not re.fullmatch(r"[0-9a-f]{7,40}", ref):
            return None
        matching = [commit for commit in self.commits if commit.sha.startswith(ref)]
        return matching[0] if len(matching) == 1 else None

    def find_tree(self, sha: str) -> tuple[Commit, str] | None:
        """A commit and the directory in it that has this tree id."""
        for commit in reversed(self.commits):
            for directory, tree in commit.trees.items():
                if tree == sha:
                    return commit, directory
        return None

    def find_blob(self, sha: str) -> tuple[str, File] | None:
        """A path and the file that was there with this blob id, in any commit."""
        for commit in reversed(self.commits):
            for path, file in commit.files.items():
                if file.sha == sha:
                    return path, file
        return None

    def history_of(self, path: str, until: Commit) -> list[Commit]:
        """The commits up to one that changed what is at a path, the newest first."""
        changes = []
        before: str | None = None
        for commit in self.commits[: self.commits.index(until) + 1]:
            after = commit.object_at(path)
            if after != before:
                changes.append(commit)
            before = after
        return changes[::-1]

    def to_json(self) -> dict[str, Any]:
        return {
            "owner": self.owner,
            "name": self.name,
            "metadata": self.metadata.model_dump(mode="json"),
            "commits": [commit.to_json() for commit in self.commits],
            "pushed": self.pushed,
            "gone": self.gone,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Repository":
        commits = tuple(Commit.from_json(commit) for commit in stored["commits"])
        return cls(**{**stored, "metadata": Metadata.model_validate(stored["metadata"]), "commits": commits})


def repository_id(full_name: str) -> int:
    """A number as GitHub gives every repository; here it follows from the name."""
    return int.from_bytes(hashlib.sha256(full_name.lower().encode()).digest()[:4])
