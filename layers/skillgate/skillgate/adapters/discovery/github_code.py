"""GitHub's code search for SKILL.md, sharded by the file's size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillgate.adapters.discovery.leads import Checkpoint, GitHubApi, Lead, LeadPage, repository_of
from skillgate.adapters.discovery.sharding import PER_PAGE, Results, walk
from skillgate.domain.discovery import LookFailure
from skillgate.domain.repo_url import SKILL_FILE, RepoUrl

LARGEST_INDEXED_FILE = 384 * 1024  # GitHub does not search in larger ones


class CodeSearch:
    def __init__(self, github: GitHubApi) -> None:
        self._github = github

    def leads(self, checkpoint: Checkpoint | None) -> Iterator[LeadPage]:
        for page in walk(self._search, checkpoint, (0, LARGEST_INDEXED_FILE)):
            failures = [incomplete("code search")] if page.results.incomplete else []
            yield LeadPage(_leads(page.results), page.at, page.after, failures, page.hidden)

    def _search(self, smallest: int, largest: int, page: int) -> Results:
        query = f"filename:{SKILL_FILE} size:{smallest}..{largest}"
        return Results.of(self._github.json("/search/code", q=query, per_page=PER_PAGE, page=page))


def incomplete(what: str) -> LookFailure:
    return LookFailure(what, "incomplete_results", "GitHub ran out of time and did not show all results.")


def _leads(results: Results) -> list[Lead]:
    """One lead for each repository, with its paths in the order of the results."""
    paths: dict[RepoUrl, list[str]] = {}
    for item in results.items:
        repo, path = repository_of(_field(item, "repository")), _field(item, "path")
        if repo is not None and isinstance(path, str):
            paths.setdefault(repo, []).append(path)
    return [Lead(repo, tuple(dict.fromkeys(found))) for repo, found in paths.items()]


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else None
