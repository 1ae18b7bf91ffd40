"""Finding skills that nobody submitted: run it now, hand in candidates, see what it brought."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Query
from pydantic import ValidationError
from skillgate.api.auth import operator_because
from skillgate.api.discovery_models import (
    BulkCandidate,
    BulkDiscoveryAnswer,
    DiscoverIn,
    DiscoveryAnswer,
    DiscoveryStats,
    DispatchedOut,
    PreviewOut,
    RunStory,
)
from skillgate.api.models import ItemError
from skillgate.api.router import Api
from skillgate.domain.discovery import PUBLISHED, SOURCES, Candidate
from skillgate.domain.errors import InvalidInput, NotFound
from skillgate.domain.ids import is_id
from skillgate.domain.repo_url import parse_location, skill_path
from skillgate.ports import Backend
from skillgate.services.discovery.bulk import hand_in
from skillgate.services.discovery.invocation import dispatch
from skillgate.services.discovery.preview import preview
from skillgate.services.idempotency import once

MAX_ITEMS = 1000
_PREVIEWED = 20
_STATS = "/api/v1/admin/discovery/stats"


def register(api: Api, backend: Backend) -> None:
    @api.post(
        "/api/v1/admin/discovery",
        tags=["discovery"],
        summary="Run discovery now",
        description="Starts a run of each source and does not wait for it. With `dryRun` it looks at a few candidates "
        "of each source while you wait, and writes nothing.",
        responses={200: {"description": "What a run would enqueue"}, 202: {"description": "The runs were started"}},
    )
    def run_now(body: DiscoverIn) -> Response[DiscoveryAnswer]:
        sources = list(dict.fromkeys(body.sources or SOURCES))
        if body.dry_run:
            if PUBLISHED in sources:
                raise InvalidInput("Looking at published skills again has no dry run.", code="validation_failed")
            seen = preview(backend, sources, max_results=body.max_results or _PREVIEWED)
            answer = DiscoveryAnswer(dry_run=True, previews=[PreviewOut.of(each) for each in seen])
            return Response(HTTPStatus.OK.value, "application/json", answer)
        started = dispatch(backend, sources, body.max_results)
        errors = [error for error in started.values() if error is not None]
        if len(errors) == len(started):
            raise errors[0]
        detail = {"sources": sources, "maxResults": body.max_results}
        who = operator_because(body.reason)
        backend.operators.record(
            at=backend.now(), actor=who.name, action="discovery", subjects=sources, reason=who.reason, detail=detail
        )
        answer = DiscoveryAnswer(dry_run=False, started=[DispatchedOut.of(name, why) for name, why in started.items()])
        return Response(HTTPStatus.ACCEPTED.value, "application/json", answer, headers={"Location": _STATS})

    @api.post(
        "/api/v1/admin/discovery/bulk",
        tags=["discovery"],
        summary="Hand in up to 1000 candidates",
        description="A list of {repoUrl, skillPath?, commitSha?}. What is known already is skipped. Bad items are in "
        "`itemErrors` and do not stop the others.",
    )
    def bulk(
        items: Annotated[list[Any], Body(min_length=1, max_length=MAX_ITEMS)],
        idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
    ) -> Response[BulkDiscoveryAnswer]:
        def call() -> dict[str, object]:
            return _hand_in(backend, items).model_dump(mode="json", by_alias=True)

        saved = once(backend, scope="discovery-bulk", key=idempotency_key, body=items, call=call)
        return Response(200, "application/json", BulkDiscoveryAnswer.model_validate(saved))

    @api.get(
        _STATS,
        tags=["discovery"],
        summary="Runs, and per source what was found, new, skipped and failed, and what its tokens have left",
    )
    def stats(
        source: Annotated[str | None, Query(max_length=40)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 20,
    ) -> DiscoveryStats:
        discoveries = backend.discoveries
        runs = discoveries.runs(source=source, limit=limit)
        return DiscoveryStats.of(discoveries.totals(), discoveries.latest(), runs, as_of=backend.now())

    @api.get("/api/v1/admin/discovery/runs/<run_id>", tags=["discovery"], summary="One run, with a row per repository")
    def run_story(run_id: str) -> RunStory:
        rows = backend.discoveries.repositories(run_id) if is_id(run_id) else None
        if rows is None:
            raise NotFound("There is no such run.", code="run_not_found")
        return RunStory.of(run_id, rows)


def _hand_in(backend: Backend, items: list[Any]) -> BulkDiscoveryAnswer:
    candidates: list[Candidate] = []
    errors: list[ItemError] = []
    for index, item in enumerate(items):
        try:
            candidates.append(_candidate(item))
        except InvalidInput as error:
            repo_url = item.get("repoUrl") if isinstance(item, dict) else None
            shown = repo_url[:500] if isinstance(repo_url, str) else None
            errors.append(ItemError(index=index, repo_url=shown, code=error.code, message=error.message))
    run = hand_in(backend, candidates) if candidates else None
    return BulkDiscoveryAnswer.of(run, errors)


def _candidate(item: Any) -> Candidate:
    try:
        given = BulkCandidate.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{where or 'item'}: {first['msg']}", code="invalid_item") from None
    repo, path_in_url = parse_location(given.repo_url)
    path = skill_path(given.skill_path) if given.skill_path is not None else path_in_url or skill_path("")
    return Candidate(repo, path, given.commit_sha)
