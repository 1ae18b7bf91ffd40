"""Packages of an npm registry whose repository on GitHub has a SKILL.md where the package is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from skillgate.adapters.discovery.leads import Checkpoint, Lead, LeadPage, beginning_with
from skillgate.adapters.discovery.links import lead_of
from skillgate.adapters.discovery.website import Website
from skillgate.concurrency import settle
from skillgate.domain.discovery import LookFailure
from skillgate.domain.errors import SkillgateError, SourceUnavailable

PER_PAGE = 100
FURTHEST = 10_000  # registries show no more of one search
_WORKERS = 8


class NpmPackages:
    def __init__(self, registry: Callable[[], Website], searches: Sequence[str]) -> None:
        self._registry = registry
        self._searches = searches

    def leads(self, checkpoint: Checkpoint | None) -> Iterator[LeadPage]:
        searches, known = beginning_with(self._searches, (checkpoint or {}).get("search"))
        first = (checkpoint or {}).get("from") if known else 0
        with self._registry() as registry:
            for text in searches:
                yield from self._pages(registry, text, first if isinstance(first, int) and first > 0 else 0)
                first = 0

    def _pages(self, registry: Website, text: str, first: int) -> Iterator[LeadPage]:
        while first < FURTHEST:
            query = urlencode({"text": text, "size": PER_PAGE, "from": first})
            names, total = _names(registry.json(f"/-/v1/search?{query}"))
            leads, failures = _leads(registry, names)
            at, after = {"search": text, "from": first}, {"search": text, "from": first + PER_PAGE}
            yield LeadPage(leads, at, after, failures)
            first += PER_PAGE
            if not names or first >= total:
                return


def _names(value: Any) -> tuple[list[str], int]:
    try:
        names = [found["package"]["name"] for found in value["objects"]]
        total = int(value["total"])
    except (KeyError, TypeError, ValueError) as error:
        raise SourceUnavailable("The registry's results could not be understood.", retry_after=60) from error
    return [name for name in names if isinstance(name, str) and 0 < len(name) <= 214], total


def _leads(registry: Website, names: Sequence[str]) -> tuple[list[Lead], list[LookFailure]]:
    manifests = settle(lambda name: registry.json(f"/{quote(name, safe='@')}/latest"), names, workers=_WORKERS)
    leads: list[Lead] = []
    failures: list[LookFailure] = []
    for name, manifest in zip(names, manifests, strict=True):
        if isinstance(manifest.error, SkillgateError):
            failures.append(LookFailure(f"npm:{name}", manifest.error.code, manifest.error.message))
        elif (lead := _lead(manifest.unwrap())) is not None:
            leads.append(lead)
    return leads, failures


def _lead(manifest: Any) -> Lead | None:
    repository = manifest.get("repository") if isinstance(manifest, Mapping) else None
    if isinstance(repository, Mapping):
        return lead_of(repository.get("url"), repository.get("directory"))
    return lead_of(repository)
