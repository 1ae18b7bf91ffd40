"""GitHub and the judge in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from skillgate.domain import repo_url as addresses
from skillgate.domain.errors import JudgeUnavailable, PermanentFailure
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle
from skillgate.domain.skill_files import SkillFile
from skillgate.ports import Judgement


class FakeSource:
    """Repositories as folders of text. `error` is raised instead of any answer, once it is set."""

    def __init__(self) -> None:
        self._repositories: dict[str, dict[str, dict[str, str]]] = {}  # by key, then by commit
        self.error: Exception | None = None
        self.tokens: list[str | None] = []

    def put(self, owner: str, repo: str, files: Mapping[str, str]) -> str:
        """A new commit with exactly these files; returns its id."""
        commit = hashlib.sha1(repr(sorted(files.items())).encode(), usedforsecurity=False).hexdigest()
        commits = self._repositories.setdefault(RepoUrl(owner, repo).key, {})
        commits.pop(commit, None)
        commits[commit] = dict(files)
        return commit

    def resolve_commit_sha(self, owner: str, repo: str, ref: str = "HEAD", token: str | None = None) -> str:
        return self._commit(RepoUrl(owner, repo), None if ref == "HEAD" else ref, token)

    def fetch_repo_files(
        self, repo_url: str, skill_path: str, token: str | None = None, *, commit_sha: str | None = None
    ) -> SkillBundle:
        repo, path = RepoUrl.parse(repo_url), addresses.skill_path(skill_path)
        commit = self._commit(repo, commit_sha, token)
        files = self._repositories[repo.key][commit]
        if path not in files:
            raise PermanentFailure(f"There is no {path} in {repo.url}.", code="no_skill_md")
        folder = path.rpartition("/")[0]
        own = {name: text for name, text in files.items() if not folder or name.startswith(f"{folder}/")}
        return SkillBundle(repo, path, commit, [SkillFile.of(name, text) for name, text in sorted(own.items())])

    def find_skills(self, repo_url: str, token: str | None = None) -> list[str]:
        repo = RepoUrl.parse(repo_url)
        files = self._repositories[repo.key][self._commit(repo, None, token)] if repo.key in self._repositories else {}
        return sorted(name for name in files if name.rsplit("/", 1)[-1].lower() == "skill.md")

    def _commit(self, repo: RepoUrl, wanted: str | None, token: str | None) -> str:
        self.tokens.append(token)
        if self.error is not None:
            raise self.error
        commits = self._repositories.get(repo.key)
        if not commits:
            raise PermanentFailure(f"{repo.url} does not exist, or is private.", code="repository_gone")
        if wanted is not None and wanted not in commits:
            raise PermanentFailure(f"{repo.url} has no commit {wanted}.", code="commit_gone")
        return wanted or list(commits)[-1]


class FakeJudge:
    """Gives every skill `score`; None makes it unavailable. `asked` are the bundles that it saw."""

    def __init__(self, score: int | None = 90) -> None:
        self.score = score
        self.asked: list[SkillBundle] = []

    def judge(self, bundle: SkillBundle, tier1_report: Mapping[str, Any], *, timeout: float) -> Judgement:
        self.asked.append(bundle)
        if self.score is None:
            raise JudgeUnavailable("The judge was told to be away.")
        verdict = "safe" if self.score >= 80 else "unsure" if self.score >= 60 else "unsafe"
        return Judgement(self.score, verdict, f"Scored {self.score}.", {"score": self.score}, "fake-judge")
