"""From a repository that may hold skills to the skills in it, many repositories side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from skillgate.adapters.github.limits import MAX_API_BYTES
from skillgate.adapters.github.pooled import PooledRequests
from skillgate.adapters.github.reading import is_skill_file
from skillgate.adapters.github.repository import Repository
from skillgate.concurrency import Settled, settle
from skillgate.domain.discovery import Candidate, CandidatePage, LookFailure, TokenState
from skillgate.domain.errors import (
    InvalidInput,
    NotFound,
    NoTokenLeft,
    OutOfTime,
    PermanentFailure,
    SkillgateError,
    SourceUnavailable,
)
from skillgate.domain.repo_url import RepoUrl, is_skill_path

GROUP = 100  # repositories between two checkpoints
_JSON = "application/vnd.github+json"
_DONE = "done"  # leads of the page that were looked into
Checkpoint = Mapping[str, Any]


@dataclass(frozen=True)
class Lead:
    """A repository to look into. `paths` where the source has them already; `within` narrows to a folder or file.

    `is_public` is whether the source vouches for it: our tokens may see what others may not.
    """

    repo: RepoUrl
    paths: tuple[str, ...] | None = None
    within: str = ""
    is_public: bool = True


@dataclass(frozen=True)
class LeadPage:
    """Leads as a source lists them; `at` is the checkpoint that lists them again, `after` the one behind them."""

    leads: Sequence[Lead]
    at: Checkpoint
    after: Checkpoint
    failures: Sequence[LookFailure] = ()
    hidden: int = 0


class GitHubApi:
    """What sources ask of GitHub, for the length of one run."""

    def __init__(self, requests: PooledRequests, api_url: str, raw_url: str) -> None:
        self._requests = requests
        self._api_url = api_url.rstrip("/")
        self._raw_url = raw_url.rstrip("/")
        self._heads: dict[str, str] = {}  # a search shows one repository on many of its pages

    def json(self, path: str, **query: str | int) -> Any:
        """Raises NotFound for a 404, and SourceUnavailable for anything else that is no answer."""
        answer = self._requests.get(f"{self._api_url}{path}?{urlencode(query)}", limit=MAX_API_BYTES, accept=_JSON)
        if answer.status == 404:
            raise NotFound(f"GitHub has no {path}.")
        if answer.status != 200 or answer.cut:
            raise SourceUnavailable(f"GitHub answered {answer.status}.", retry_after=60)
        return answer.json()

    def repository(self, repo: RepoUrl) -> Repository:
        return Repository(self._requests, self._api_url, self._raw_url, repo, None)

    def look(self, lead: Lead) -> list[Candidate]:
        """The skills of one lead at its newest commit. Raises what the repository's adapter raises."""
        repository = self.repository(lead.repo)
        if not lead.is_public:
            repository.stars()
        head = self._heads.get(lead.repo.key) or repository.resolve("HEAD")
        self._heads[lead.repo.key] = head
        if lead.paths is None:
            tree = repository.tree(head, is_known=False)
            paths = [
                entry.path for entry in tree.under("") if is_skill_file(entry) and _inside(entry.path, lead.within)
            ]
        else:
            paths = list(lead.paths)
        return [Candidate(lead.repo, path, head) for path in sorted(paths) if is_skill_path(path)]

    def tokens(self) -> list[TokenState]:
        return self._requests.pool.states()


class LeadSource:
    """A discovery source made of a listing of leads, all of which are looked into."""

    def __init__(
        self, github: GitHubApi, leads: Callable[[Checkpoint | None], Iterator[LeadPage]], *, workers: int
    ) -> None:
        self._github = github
        self._leads = leads
        self._workers = workers

    def tokens(self) -> list[TokenState]:
        return self._github.tokens()

    def pages(self, checkpoint: Checkpoint | None) -> Iterator[CandidatePage]:
        for page in self._leads(checkpoint):
            # Of the page that the last run was cut in, some leads are done; any other page begins at its beginning.
            is_resumed = checkpoint is not None and dict(checkpoint) == {**page.at, _DONE: checkpoint.get(_DONE)}
            yield from self._looked_into(page, _whole(checkpoint[_DONE]) if checkpoint and is_resumed else 0)

    def _looked_into(self, page: LeadPage, done: int) -> Iterator[CandidatePage]:
        if page.failures or page.hidden:
            yield CandidatePage([], {**page.at, _DONE: done}, page.failures, page.hidden)
        while group := page.leads[done : done + GROUP]:
            outcomes = settle(self._github.look, group, workers=self._workers)
            settled, stop = _until_the_stop(outcomes)
            done += len(settled)
            candidates, failures = _sorted_out(group[: len(settled)], settled)
            yield CandidatePage(candidates, {**page.at, _DONE: done}, failures)
            if stop is not None:
                raise stop
        yield CandidatePage([], page.after)


def _until_the_stop(
    outcomes: list[Settled[list[Candidate]]],
) -> tuple[list[Settled[list[Candidate]]], Exception | None]:
    """What was looked into before the tokens or the time ran out, and the error that says so.

    Where not one look in several succeeded, it is not this or that repository, but GitHub.
    """
    for index, outcome in enumerate(outcomes):
        if isinstance(outcome.error, NoTokenLeft | OutOfTime):
            return outcomes[:index], outcome.error
    if len(outcomes) > 1 and all(isinstance(outcome.error, SourceUnavailable) for outcome in outcomes):
        return [], outcomes[0].error
    return outcomes, None


def _sorted_out(
    group: Sequence[Lead], outcomes: Sequence[Settled[list[Candidate]]]
) -> tuple[list[Candidate], list[LookFailure]]:
    candidates: list[Candidate] = []
    failures: list[LookFailure] = []
    for lead, outcome in zip(group, outcomes, strict=True):
        error = outcome.error
        if isinstance(error, PermanentFailure) and error.code == "repository_empty":
            continue
        if isinstance(error, SkillgateError):
            failures.append(LookFailure(lead.repo.url, error.code, error.message))
        else:
            candidates += outcome.unwrap()
    return candidates, failures


def repository_of(item: Any) -> RepoUrl | None:
    """The repository in GitHub's JSON; None for a private or disabled one, and for what is none."""
    if not isinstance(item, dict) or item.get("private") or item.get("disabled"):
        return None
    try:
        return RepoUrl.parse(f"https://github.com/{item['full_name']}")
    except (KeyError, InvalidInput):
        return None


def beginning_with(names: Sequence[str], name: Any) -> tuple[Sequence[str], bool]:
    """The names from this one on, and whether it is still among them; all of them if it is not."""
    if name not in names:
        return names, False
    return names[names.index(name) :], True


def _inside(path: str, within: str) -> bool:
    folder = within.strip("/")
    return not folder or path == folder or path.startswith(f"{folder}/")


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
