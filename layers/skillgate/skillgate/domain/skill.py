"""A skill as it was read from its repository, and as it is published."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from skillgate.domain.repo_url import RepoUrl, skill_slug
from skillgate.domain.skill_files import SkillFile

_SCRIPT_SUFFIXES = (".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".ps1", ".bat", ".php")


@dataclass(frozen=True)
class SkillBundle:
    """Everything of one skill at one commit: what was read, and what was only noted."""

    repo: RepoUrl
    skill_path: str
    commit_sha: str
    files: Sequence[SkillFile]
    stars: int = 0

    @property
    def slug(self) -> str:
        return skill_slug(self.repo, self.skill_path)

    @property
    def skill_id(self) -> str:
        return f"{self.repo.key}/{self.slug.lower()}"

    @property
    def skill_md(self) -> str:
        """The text of SKILL.md; a byte that is not UTF-8 shows as a replacement character."""
        for file in self.files:
            if file.path == self.skill_path and file.content is not None:
                return file.content.decode("utf-8", errors="replace")
        return ""

    @property
    def has_scripts(self) -> bool:
        return any(file.path.lower().endswith(_SCRIPT_SUFFIXES) for file in self.files)

    def manifest(self) -> list[dict[str, Any]]:
        return [
            {
                "path": file.path,
                "size": file.size,
                "sha256": None if file.content is None else hashlib.sha256(file.content).hexdigest(),
            }
            for file in self.files
        ]

    def content_hash(self) -> str:
        """With paths as an installer sees them: relative to the skill's folder."""
        folder = self.skill_path.rpartition("/")[0] + "/" if "/" in self.skill_path else ""
        return content_hash([replace(file, path=file.path.removeprefix(folder)) for file in self.files])


def content_hash(files: Sequence[SkillFile]) -> str:
    """SHA-256 of a lone SKILL.md without BOM and with LF line ends; of several files, over `path NUL content LF`.

    Text has no NUL, so that form can be read in one way only. What would break that stands in it by what identifies it,
    behind a second NUL: content with a NUL by its SHA-256, and what was not read by its source's id. No two skills with
    different files have the same hash then, and no change goes unseen because it was in a file that nobody read.
    """
    if len(files) == 1 and files[0].content is not None and b"\0" not in files[0].content:
        content = files[0].content
        return hashlib.sha256(content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")).hexdigest()
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(_hashed_path(file.path) + b"\0" + _hashed_content(file) + b"\n")
    return digest.hexdigest()


def _hashed_path(path: str) -> bytes:
    """A line end would be taken for the end of the content before it; git allows one, and a backslash."""
    return path.replace("\\", "\\\\").replace("\n", "\\n").encode()


def _hashed_content(file: SkillFile) -> bytes:
    if file.content is None:
        return f"\0unread {file.size} {file.object_id}".encode()
    if b"\0" in file.content:
        return f"\0sha256 {file.size} {hashlib.sha256(file.content).hexdigest()}".encode()
    return file.content


@dataclass(frozen=True)
class Published:
    """One published version of a skill, with what the marketplace shows of it."""

    skill_id: str
    repo_url: str
    skill_path: str
    name: str
    description: str
    version: str
    commit_sha: str
    content_hash: str
    submission_id: str
    cert_tier: str
    cert_method: str
    cert_score: int
    published_at: datetime
    content: str
    license: str | None = None
    has_scripts: bool = False
    stars: int = 0
    category: str = "other"
    labels: tuple[str, ...] = ()
    files: Sequence[Mapping[str, Any]] = ()
    report: Mapping[str, Any] = field(default_factory=dict)
    status: str = "published"
    status_reason: str | None = None
    revision: int = 1  # of the skill's row: the newer of two copies wins
    created_at: datetime | None = None
    updated_at: datetime | None = None
    source_removed_at: datetime | None = None  # since when its repository no longer has it
    agents: tuple[str, ...] = ()
    trust_tier: str = "T1"
    trust_score: int = 0
    installs: int = 0
    artifact: str = ""  # what an installer fetches: skill-md, archive, or nothing
    digest: str = ""  # of that
    threat_type: str | None = None
    severity: str | None = None

    @property
    def repo(self) -> RepoUrl:
        return RepoUrl.parse(self.repo_url)

    @property
    def slug(self) -> str:
        return skill_slug(self.repo, self.skill_path)
