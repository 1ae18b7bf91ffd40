"""The port to GitHub: the commit first, then everything at that commit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from skillgate.adapters.github.limits import MAX_FILE_BYTES
from skillgate.adapters.github.reading import SkillReader, find_skill_file, is_skill_file, odd_path
from skillgate.adapters.github.repository import Repository
from skillgate.adapters.github.requests import Requests
from skillgate.adapters.github.trees import OBJECT_ID, TreeEntry
from skillgate.concurrency import together
from skillgate.domain import repo_url as addresses
from skillgate.domain.errors import InvalidInput, PermanentFailure
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle


class GitHub:
    """Every call takes the token that all of its requests carry; without one, none carries any.

    Raises SourceUnavailable where waiting may help, PermanentFailure where it cannot, and OutOfTime where the
    record's time ended before anything could be asked.
    """

    def __init__(
        self,
        client: httpx.Client | Requests,
        *,
        api_url: str = "https://api.github.com",
        raw_url: str = "https://raw.githubusercontent.com",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._requests = client if isinstance(client, Requests) else Requests(client, sleep=sleep)
        self._api_url = api_url.rstrip("/")
        self._raw_url = raw_url.rstrip("/")

    def resolve_commit_sha(self, owner: str, repo: str, ref: str = "HEAD", token: str | None = None) -> str:
        return self._repository(owner, repo, token).resolve(ref)

    def fetch_repo_files(
        self, repo_url: str, skill_path: str, token: str | None = None, *, commit_sha: str | None = None
    ) -> SkillBundle:
        """The whole skill at the commit, or at the default branch's newest."""
        repo = RepoUrl.parse(repo_url)
        path = addresses.skill_path(skill_path)
        repository = self._repository(repo.owner, repo.repo, token)
        stars, commit = self._snapshot(repository, commit_sha)
        tree = repository.tree(commit, is_known=commit_sha is None)
        skill = find_skill_file(tree, path, repo)
        reader = SkillReader(repo, tree, skill, lambda entries: repository.files(commit, entries, tree))
        return SkillBundle(repo, skill.path, commit, reader.read(), stars)

    def find_skills(self, repo_url: str, token: str | None = None) -> list[str]:
        """The path of every SKILL.md at the default branch's newest commit."""
        repo = RepoUrl.parse(repo_url)
        repository = self._repository(repo.owner, repo.repo, token)
        _, commit = self._snapshot(repository, None)
        return sorted(entry.path for entry in repository.tree(commit, is_known=True).under("") if is_skill_file(entry))

    def fetch_raw_file(self, owner: str, repo: str, commit_sha: str, path: str, token: str | None = None) -> bytes:
        """One file of the commit. Raises PermanentFailure if it is not there, or larger than a skill's file may be."""
        if odd_path(path) is not None:
            raise InvalidInput("That is not the path of a file.", code="invalid_path")
        answer = self._repository(owner, repo, token).raw_file(_commit(commit_sha), path, limit=MAX_FILE_BYTES)
        if answer.status == 404:
            raise PermanentFailure(f"{owner}/{repo} has no {path} at {commit_sha}.", code="file_gone")
        if answer.cut:
            raise PermanentFailure(f"{path} is larger than {MAX_FILE_BYTES:,} bytes.", code="file_too_large")
        return answer.body

    def fetch_directory_listing(
        self, owner: str, repo: str, commit_sha: str, folder: str = "", token: str | None = None
    ) -> list[TreeEntry]:
        """What is directly in the folder at the commit; nothing if there is no such folder."""
        tree = self._repository(owner, repo, token).tree(_commit(commit_sha), is_known=False)
        return sorted(tree.children(folder.strip("/")).values(), key=lambda entry: entry.path)

    def _repository(self, owner: str, repo: str, token: str | None) -> Repository:
        checked = RepoUrl.parse(f"https://github.com/{owner}/{repo}")
        return Repository(self._requests, self._api_url, self._raw_url, checked, token)

    def _snapshot(self, repository: Repository, commit_sha: str | None) -> tuple[int, str]:
        if commit_sha is not None:
            return repository.stars(), _commit(commit_sha)
        calls: list[Callable[[], Any]] = [repository.stars, lambda: repository.resolve("HEAD")]
        stars, commit = (outcome.unwrap() for outcome in together(*calls))
        return stars, commit


def _commit(sha: str) -> str:
    if not OBJECT_ID.fullmatch(sha):
        raise InvalidInput("That is not the id of a commit.", code="invalid_ref")
    return sha
