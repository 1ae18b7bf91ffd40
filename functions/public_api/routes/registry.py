"""What mirrors and installers read: discovery, the blocklist, and the feed of changes."""

import re
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api.caching import cacheable
from skillgate.api.registry_models import (
    BlockEntryOut,
    BlocklistAnswer,
    ChangeFeed,
    ChangeOut,
    CheckAnswer,
    RejectionOut,
)
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput
from skillgate.ports import Backend
from skillgate.services import blocklist_view
from skillgate.services.well_known import discovery_index

_SEQ = re.compile(r"(\d{1,19})-(\d{1,18})", re.ASCII)
_NAMES = ("agent-skills", "skills")  # the second from before the format was settled


def register(api: Api, backend: Backend) -> None:
    @api.get("/api/v1/blocklist", tags=["blocklist"], summary="Sources and contents that are not let in")
    def entries() -> Response[Any]:
        shown = [BlockEntryOut.of(entry) for entry in blocklist_view.entries(backend)]
        return cacheable(api, BlocklistAnswer(entries=shown, count=len(shown)), max_age=30)

    @api.get("/api/v1/blocklist/check", tags=["blocklist"], summary="Whether a skill is blocked or was rejected")
    def check(
        name: Annotated[str | None, Query(max_length=320, description="owner/repo/skill, or with repoUrl")] = None,
        repo_url: Annotated[str | None, Query(alias="repoUrl", max_length=500)] = None,
        hash_: Annotated[str | None, Query(alias="hash", pattern="^(sha256:)?[0-9a-fA-F]{64}$")] = None,
    ) -> CheckAnswer:
        found = blocklist_view.check(backend, name or None, repo_url or None, hash_)
        return CheckAnswer(
            blocked=found.entry is not None,
            entry=BlockEntryOut.of(found.entry) if found.entry else None,
            rejected=found.rejection is not None,
            rejection=RejectionOut.of(found.rejection) if found.rejection else None,
            candidates=list(found.candidates),
        )

    @api.get("/api/v1/changes", tags=["feed"], summary="What was published, updated, blocked and removed, in order")
    def changes(
        after: Annotated[str, Query(max_length=60, description="The last `seq` seen; 0 for all")] = "0",
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> ChangeFeed:
        start = _position(after)
        found = backend.catalogue.changes(start, limit + 1)
        shown = [ChangeOut.of(change) for change in found[:limit]]
        return ChangeFeed(changes=shown, next_after=shown[-1].seq if shown else after, has_more=len(found) > limit)

    for name in _NAMES:
        _discovery(api, backend, name)


def _discovery(api: Api, backend: Backend, name: str) -> None:
    @api.get(f"/.well-known/{name}/index.json", tags=["discovery"], summary="The most installed skills, for installers")
    def of_all() -> Response[Any]:
        return cacheable(api, discovery_index(backend), max_age=300)

    @api.get(
        f"/<owner>/<repo>/.well-known/{name}/index.json",
        tags=["discovery"],
        summary="All skills of one repository, for installers",
    )
    def of_repository(owner: str, repo: str) -> Response[Any]:
        return cacheable(api, discovery_index(backend, f"{owner}/{repo}"), max_age=300)


def _position(text: str) -> tuple[str, int]:
    if text == "0":
        return "0", 0
    match = _SEQ.fullmatch(text)
    if match is None:
        raise InvalidInput("`after` is the `seq` of a change, or 0.", code="invalid_cursor")
    return match[1], int(match[2])
