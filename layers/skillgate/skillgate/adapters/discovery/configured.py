"""Sources as the settings describe them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import httpx

from skillgate.adapters.discovery.github_code import CodeSearch
from skillgate.adapters.discovery.github_topics import TopicSearch
from skillgate.adapters.discovery.leads import Checkpoint, GitHubApi, LeadPage, LeadSource
from skillgate.adapters.discovery.npm import NpmPackages
from skillgate.adapters.discovery.vendors import Vendors
from skillgate.adapters.discovery.website import Website
from skillgate.adapters.discovery.well_known import WellKnownSites
from skillgate.adapters.github.pooled import PooledRequests
from skillgate.adapters.github.source import GitHub
from skillgate.adapters.github.tokens import TokenPool
from skillgate.domain import discovery
from skillgate.domain.discovery import TokenState
from skillgate.domain.errors import InvalidInput, NotConfigured
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle
from skillgate.settings import Settings

T = TypeVar("T", str, tuple[str, ...])
Leads = Callable[[Checkpoint | None], Iterator[LeadPage]]


class ConfiguredSources:
    """Every source that is opened has a token pool of its own, which lasts for one run."""

    def __init__(
        self,
        settings: Settings,
        client: httpx.Client,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._sleep = sleep

    def open(self, name: str) -> LeadSource:
        """Raises NotConfigured for a source that has nothing to look at, and InvalidInput for one that is none."""
        requests = self._requests()
        github = GitHubApi(requests, self._settings.github_api_url, self._settings.github_raw_url)
        return LeadSource(github, self._leads(name, github), workers=self._settings.discovery_workers)

    def heads(self) -> Heads:
        requests = self._requests()
        api_url, raw_url = self._settings.github_api_url, self._settings.github_raw_url
        return Heads(requests, GitHub(requests, api_url=api_url, raw_url=raw_url))

    def _requests(self) -> PooledRequests:
        settings = self._settings
        pool = TokenPool(
            [token.get_secret_value() for token in settings.github_tokens],
            clock=self._clock,
            sleep=self._sleep,
            at_once=settings.discovery_requests_per_token,
            longest_wait=settings.discovery_longest_wait_seconds,
            share=settings.discovery_quota_share,
        )
        return PooledRequests(self._client, pool, sleep=self._sleep, wall_clock=self._clock)

    def _leads(self, name: str, github: GitHubApi) -> Leads:
        settings = self._settings
        match name:
            case discovery.GITHUB_CODE:
                if not settings.github_tokens:
                    raise NotConfigured("GitHub's code search needs a token, and GITHUB_TOKENS has none.")
                return CodeSearch(github).leads
            case discovery.GITHUB_TOPICS:
                return TopicSearch(github, _needed(settings.discovery_topics, "DISCOVERY_TOPICS")).leads
            case discovery.VENDORS:
                return Vendors(github, _needed(settings.discovery_vendors, "DISCOVERY_VENDORS")).leads
            case discovery.NPM:
                registry = _needed(settings.npm_registry_url, "NPM_REGISTRY_URL")
                return NpmPackages(lambda: self._website(registry), settings.npm_searches).leads
            case discovery.WELL_KNOWN:
                sites = _needed(settings.discovery_well_known_sites, "DISCOVERY_WELL_KNOWN_SITES")
                return WellKnownSites(self._website, sites).leads
        raise InvalidInput(f"There is no source {name!r}.", code="unknown_source")

    def _website(self, address: str) -> Website:
        return Website(address, allow_loopback=self._settings.discovery_allow_loopback)


@dataclass(frozen=True)
class Heads:
    """Newest commits and contents of repositories, for looking at published skills again."""

    requests: PooledRequests
    github: GitHub

    def head(self, repo: RepoUrl) -> str:
        return self.github.resolve_commit_sha(repo.owner, repo.repo)

    def bundle(self, repo: RepoUrl, skill_path: str, commit_sha: str) -> SkillBundle:
        return self.github.fetch_repo_files(repo.url, skill_path, commit_sha=commit_sha)

    def tokens(self) -> list[TokenState]:
        return self.requests.pool.states()


def _needed(value: T, setting: str) -> T:
    if not value:
        raise NotConfigured(f"{setting} is empty, so this source has nothing to look at.")
    return value
