"""Sites that list their skills at /.well-known/agent-skills/index.json, as far as the list points at GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from skillgate.adapters.discovery.leads import Checkpoint, Lead, LeadPage, beginning_with
from skillgate.adapters.discovery.links import lead_of
from skillgate.adapters.discovery.website import Website
from skillgate.domain.discovery import LookFailure
from skillgate.domain.errors import SkillgateError

INDEX = "/.well-known/agent-skills/index.json"
MOST_ENTRIES = 10_000
_LINKS = ("repository", "repoUrl", "repo", "source", "url")
_FOLDERS = ("skillPath", "path", "directory")


class WellKnownSites:
    def __init__(self, open_site: Callable[[str], Website], sites: Sequence[str]) -> None:
        self._open_site = open_site
        self._sites = sites

    def leads(self, checkpoint: Checkpoint | None) -> Iterator[LeadPage]:
        """A page for each site. One that cannot be read is reported and stops none of the others."""
        sites, _ = beginning_with(self._sites, (checkpoint or {}).get("site"))
        for site, following in zip(sites, [*sites[1:], sites[-1]], strict=True):
            leads: list[Lead] = []
            failures: list[LookFailure] = []
            try:
                with self._open_site(site) as website:
                    leads, understood = _leads(website.json(INDEX))
                if not understood:
                    failures.append(
                        LookFailure(site, "index_not_understood", "The site's list is not in a known form.")
                    )
            except SkillgateError as error:
                failures.append(LookFailure(site, error.code, error.message))
            yield LeadPage(leads, {"site": site}, {"site": following}, failures)


def _leads(index: Any) -> tuple[list[Lead], bool]:
    """What the list has on GitHub, once each, and whether it is a list at all."""
    entries = index.get("skills") if isinstance(index, Mapping) else index
    if not isinstance(entries, list):
        return [], False
    found = [lead for entry in entries[:MOST_ENTRIES] if (lead := _lead(entry)) is not None]
    return list(dict.fromkeys(found)), True


def _lead(entry: Any) -> Lead | None:
    if isinstance(entry, str):
        return lead_of(entry)
    if not isinstance(entry, Mapping):
        return None
    folder = next((entry[name] for name in _FOLDERS if isinstance(entry.get(name), str)), None)
    for name in _LINKS:
        link = entry.get(name)
        lead = lead_of(link.get("url") if isinstance(link, Mapping) else link, folder)
        if lead is not None:
            return lead
    return None
