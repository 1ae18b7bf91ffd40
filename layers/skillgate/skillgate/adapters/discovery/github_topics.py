"""Repositories that carry one of the configured topics, sharded by their stars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillgate.adapters.discovery.github_code import incomplete
from skillgate.adapters.discovery.leads import Checkpoint, GitHubApi, Lead, LeadPage, beginning_with, repository_of
from skillgate.adapters.discovery.sharding import PER_PAGE, Results, walk

MOST_STARS = 10_000_000


class TopicSearch:
    def __init__(self, github: GitHubApi, topics: Sequence[str]) -> None:
        self._github = github
        self._topics = topics

    def leads(self, checkpoint: Checkpoint | None) -> Iterator[LeadPage]:
        topics, known = beginning_with(self._topics, (checkpoint or {}).get("topic"))
        position = checkpoint if known else None
        for topic in topics:
            for page in walk(self._search(topic), position, (0, MOST_STARS)):
                repos = [repo for item in page.results.items if (repo := repository_of(item)) is not None]
                failures = [incomplete(f"topic {topic}")] if page.results.incomplete else []
                at, after = {"topic": topic, **page.at}, {"topic": topic, **page.after}
                yield LeadPage([Lead(repo) for repo in repos], at, after, failures, page.hidden)
            position = None

    def _search(self, topic: str) -> _TopicPages:
        return _TopicPages(self._github, topic)


class _TopicPages:
    def __init__(self, github: GitHubApi, topic: str) -> None:
        self._github = github
        self._topic = topic

    def __call__(self, fewest: int, most: int, page: int) -> Results:
        query = f"topic:{self._topic} stars:{fewest}..{most}"
        return Results.of(self._github.json("/search/repositories", q=query, per_page=PER_PAGE, page=page))
