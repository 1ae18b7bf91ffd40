"""The repositories of a configured list of organisations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from skillgate.adapters.discovery.leads import Checkpoint, GitHubApi, Lead, LeadPage, beginning_with, repository_of
from skillgate.domain.discovery import LookFailure
from skillgate.domain.errors import NotFound, SourceUnavailable

PER_PAGE = 100


class Vendors:
    def __init__(self, github: GitHubApi, vendors: Sequence[str]) -> None:
        self._github = github
        self._vendors = vendors

    def leads(self, checkpoint: Checkpoint | None) -> Iterator[LeadPage]:
        vendors, known = beginning_with(self._vendors, (checkpoint or {}).get("vendor"))
        page = (checkpoint or {}).get("page") if known else 1
        for vendor in vendors:
            yield from self._pages(vendor, page if isinstance(page, int) and page > 0 else 1)
            page = 1

    def _pages(self, vendor: str, page: int) -> Iterator[LeadPage]:
        while True:
            at, after = {"vendor": vendor, "page": page}, {"vendor": vendor, "page": page + 1}
            try:
                items = self._listing(vendor, page)
            except NotFound:
                failure = LookFailure(f"https://github.com/{vendor}", "owner_gone", "GitHub has no such owner.")
                yield LeadPage([], at, after, [failure])
                return
            repos = [repo for item in items if not _is_fork(item) and (repo := repository_of(item)) is not None]
            yield LeadPage([Lead(repo) for repo in repos], at, after)
            if len(items) < PER_PAGE:
                return
            page += 1

    def _listing(self, vendor: str, page: int) -> list[Any]:
        """The oldest first, so that what is created meanwhile moves no page."""
        query: dict[str, str | int] = {"per_page": PER_PAGE, "page": page, "sort": "created", "direction": "asc"}
        try:
            items = self._github.json(f"/orgs/{quote(vendor, safe='')}/repos", type="sources", **query)
        except NotFound:  # a person, then
            items = self._github.json(f"/users/{quote(vendor, safe='')}/repos", **query)
        if not isinstance(items, list):
            raise SourceUnavailable("GitHub's listing could not be understood.", retry_after=60)
        return items


def _is_fork(item: Any) -> bool:
    """Somebody else's skills under the vendor's name; only for organisations can they be left out of the listing."""
    return isinstance(item, dict) and bool(item.get("fork"))
