"""Submitting all skills of several repositories at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgate import context
from skillgate.concurrency import settle
from skillgate.domain.errors import PermanentFailure, SkillgateError
from skillgate.domain.repo_url import RepoUrl, is_skill_path
from skillgate.ports import Backend
from skillgate.services.submit import Answer, Request, create_submissions_batch

_WORKERS = 16


@dataclass(frozen=True)
class Failed:
    index: int
    repo_url: str
    code: str
    message: str


@dataclass(frozen=True)
class Found:
    answers: Sequence[tuple[Request, Answer]]
    errors: Sequence[Failed]


def submit_repositories(backend: Backend, repo_urls: Sequence[str], *, source: str = "bulk") -> Found:
    """Finds every SKILL.md of each repository, side by side, and submits them all.

    A repository that cannot be looked into is reported and stops none of the others.
    """

    def look(text: str) -> list[Request]:
        repo = RepoUrl.parse(text)
        paths = backend.source.find_skills(repo.url, context.current().github_token)
        if not paths:
            raise PermanentFailure("No SKILL.md was found in this repository.", code="no_skill_md")
        return [Request(repo, path, source=source) for path in paths if is_skill_path(path)]

    wanted: list[Request] = []
    errors: list[Failed] = []
    for index, (text, outcome) in enumerate(zip(repo_urls, settle(look, repo_urls, workers=_WORKERS), strict=True)):
        if isinstance(outcome.error, SkillgateError):
            errors.append(Failed(index, text[:500], outcome.error.code, outcome.error.message))
        else:
            wanted += outcome.unwrap()
    answers = create_submissions_batch(backend, wanted) if wanted else []
    return Found(list(zip(wanted, answers, strict=True)), errors)
