"""Where a skill lives: a repository on GitHub and the path of its SKILL.md.

Only `https://github.com/owner/repo` is ever accepted. GitHub's names are case-insensitive, so the `key` of a
repository, which every uniqueness rule uses, is lower case; the spelling that the author gave is kept for display.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from skillgate.domain.errors import InvalidInput

SKILL_FILE = "SKILL.md"
MAX_URL_LENGTH = 500
MAX_PATH_LENGTH = 400

_URL = re.compile(r"https://github\.com/([A-Za-z0-9_.-]{1,100})/([A-Za-z0-9_.-]{1,100}?)(?:\.git)?(/.*)?", re.ASCII)
_SUBPATH = re.compile(r"/(?:tree|blob)/[^/]+/(.+)", re.DOTALL)
_FORBIDDEN_IN_PATH = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_NO_NAMES = {".", "..", ".git"}


@dataclass(frozen=True)
class RepoUrl:
    owner: str
    repo: str

    @property
    def url(self) -> str:
        return f"https://github.com/{self.owner}/{self.repo}"

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.repo}".lower()

    @classmethod
    def parse(cls, text: str) -> RepoUrl:
        return parse_location(text)[0]


def parse_location(text: str) -> tuple[RepoUrl, str | None]:
    """The repository, and the skill's path where the URL leads into a folder or to a file of it.

    Raises InvalidInput for anything else: another host, credentials, a port, a query, a fragment.
    """
    if len(text) > MAX_URL_LENGTH:
        raise InvalidInput(f"A repository URL has at most {MAX_URL_LENGTH} characters.", code="invalid_repo_url")
    match = _URL.fullmatch(text.strip().rstrip("/")) if "?" not in text and "#" not in text else None
    if match is None or {match[1], match[2]} & _NO_NAMES:
        raise InvalidInput("A repository URL looks like https://github.com/owner/repository.", code="invalid_repo_url")
    below = _SUBPATH.fullmatch(unquote(match[3] or ""))
    return RepoUrl(match[1], match[2]), skill_path(below[1]) if below else None


def skill_path(text: str) -> str:
    """The path of the SKILL.md, cleaned. A folder's path means the SKILL.md in it. Raises InvalidInput."""
    path = text.strip().strip("/")
    if path.rsplit("/", 1)[-1].lower() != SKILL_FILE.lower():
        path = f"{path}/{SKILL_FILE}" if path else SKILL_FILE
    parts = path.split("/")
    if len(path) > MAX_PATH_LENGTH or _FORBIDDEN_IN_PATH.search(path) or {"", ".", ".."} & set(parts):
        raise InvalidInput(
            "A skill's path is relative to the repository, such as skills/pdf/SKILL.md.", code="invalid_skill_path"
        )
    return path


def is_skill_path(text: str) -> bool:
    """Whether this is a skill's path as it stands. Repositories hold paths that we would not take from anybody."""
    try:
        return skill_path(text) == text
    except InvalidInput:
        return False


def skill_slug(repo: RepoUrl, path: str) -> str:
    """What a skill is called within its repository: its folder's name, or the repository's for a skill at the root."""
    folders = path.split("/")[:-1]
    return folders[-1] if folders else repo.repo
