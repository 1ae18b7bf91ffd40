"""Submitting skills and watching them."""

import json
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Query
from skillgate import context
from skillgate.api import cursor as cursors
from skillgate.api.models import (
    BulkAnswer,
    BulkIn,
    ItemError,
    StatisticsOut,
    SubmissionAnswer,
    SubmissionIn,
    SubmissionList,
    SubmissionOut,
    SubmissionStory,
)
from skillgate.api.responses import answers, event_stream
from skillgate.api.router import Api
from skillgate.api.stream import parse_event_id, render
from skillgate.domain.errors import InvalidInput, NotFound
from skillgate.domain.ids import is_id
from skillgate.domain.principal import Scope, everybody
from skillgate.domain.repo_url import SKILL_FILE, RepoUrl, parse_location, skill_path
from skillgate.domain.submission import BUCKETS, State
from skillgate.ports import Backend, ListQuery
from skillgate.services import bulk, queue_view, submit
from skillgate.services.idempotency import once

_SORTS = {"createdAt": "created_at", "updatedAt": "updated_at"}
_FIRST_PAGES = 100  # further on, a cursor is the way

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", description="Makes a repeated call safe.")]


def register(api: Api, backend: Backend) -> None:
    @api.post(
        "/api/v1/submissions",
        tags=["submissions"],
        summary="Submit a skill",
        description="202 with a Location for a new submission; 200 for one that is open, published or blocked already.",
        security=everybody(Scope.SUBMIT),
        responses=answers(SubmissionAnswer, _202="It is on its way.", _200="It is open, published or blocked already."),
    )
    def create(body: SubmissionIn, idempotency_key: IdempotencyKey = None) -> Response[SubmissionAnswer]:
        repo, path_in_url = parse_location(body.repo_url)
        path = skill_path(body.skill_path) if body.skill_path else path_in_url or SKILL_FILE
        caller = context.current().principal
        by = caller.account_id if caller else None
        request = submit.Request(repo, path, body.skill_name, body.email, body.source, by)

        def call() -> dict[str, object]:
            answer = submit.create_submission(backend, request)
            return SubmissionAnswer.of(repo.url, path, answer).model_dump(mode="json", by_alias=True)

        saved = once(
            backend, scope=f"submissions {by}", key=idempotency_key, body=body.model_dump(mode="json"), call=call
        )
        answer = SubmissionAnswer.model_validate(saved)
        if answer.outcome != submit.Outcome.CREATED:
            return Response(200, "application/json", answer)
        return Response(202, "application/json", answer, headers={"Location": f"/api/v1/submissions/{answer.id}"})

    @api.post(
        "/api/v1/submissions/bulk",
        tags=["submissions"],
        summary="Submit every skill of up to 100 repositories",
        security=everybody(Scope.SUBMIT),
        responses=answers(BulkAnswer, _202="Some are on their way.", _200="None of them is new."),
    )
    def create_bulk(body: BulkIn, idempotency_key: IdempotencyKey = None) -> Response[BulkAnswer]:
        def call() -> dict[str, object]:
            found = bulk.submit_repositories(backend, body.repo_urls)
            results = [
                SubmissionAnswer.of(request.repo.url, request.skill_path, answer) for request, answer in found.answers
            ]
            created = sum(result.outcome == submit.Outcome.CREATED for result in results)
            errors = [
                ItemError(index=e.index, repo_url=e.repo_url, code=e.code, message=e.message) for e in found.errors
            ]
            answer = BulkAnswer(results=results, errors=errors, created=created, skipped=len(results) - created)
            return answer.model_dump(mode="json", by_alias=True)

        saved = once(
            backend, scope="submissions-bulk", key=idempotency_key, body=body.model_dump(mode="json"), call=call
        )
        answer = BulkAnswer.model_validate(saved)
        return Response(202 if answer.created else 200, "application/json", answer)

    @api.get("/api/v1/submissions", tags=["submissions"], summary="The queue and its past, filtered and sorted")
    def list_submissions(
        state: Annotated[str | None, Query(description="A state, or a bucket: " + ", ".join(BUCKETS))] = None,
        q: Annotated[str | None, Query(max_length=200, description="Part of a name or repository, or an id")] = None,
        repo_url: Annotated[str | None, Query(alias="repoUrl", max_length=500)] = None,
        sort: Annotated[str, Query(pattern="^(createdAt|updatedAt)$")] = "createdAt",
        sort_dir: Annotated[str, Query(alias="sortDir", pattern="^(asc|desc)$")] = "desc",
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        page: Annotated[int, Query(ge=1, le=_FIRST_PAGES)] = 1,
        cursor: Annotated[str | None, Query(max_length=500)] = None,
    ) -> SubmissionList:
        query = ListQuery(
            states=_states(state),
            text=(q or "").strip() or None,
            repo_key=RepoUrl.parse(repo_url).key if repo_url else None,
            sort=_SORTS[sort],
            descending=sort_dir == "desc",
            after=_position(cursor),
            offset=0 if cursor else (page - 1) * limit,
            limit=limit,
        )
        listing = queue_view.list_submissions(backend, query)
        return SubmissionList(
            submissions=[SubmissionOut.of(row) for row in listing.page.rows],
            total=listing.page.total,
            total_is_exact=listing.page.total_is_exact,
            next_cursor=cursors.encode(listing.page.next_after),
            degraded=listing.degraded,
            as_of=listing.as_of,
        )

    @api.get("/api/v1/submissions/stats", tags=["submissions"], summary="How many, how fast, how old")
    def statistics() -> StatisticsOut:
        return StatisticsOut.of(queue_view.queue_statistics(backend))

    @api.get(
        "/api/v1/submissions/stream",
        tags=["submissions"],
        summary="What has happened since Last-Event-ID, as server-sent events",
        description="Answers at once and ends; `retry:` makes an EventSource come back for more.",
        responses=event_stream("Events, and then the end."),
    )
    def stream(
        last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", max_length=100)] = None,
        after: Annotated[str | None, Query(max_length=100, description="For clients that cannot send headers")] = None,
    ) -> Response[str]:
        events, cursor = queue_view.events_since(backend, parse_event_id(last_event_id or after))
        return Response(200, "text/event-stream; charset=utf-8", render(events, cursor))

    @api.get("/api/v1/submissions/<submission_id>", tags=["submissions"], summary="One submission's whole story")
    def get(submission_id: str) -> SubmissionStory:
        if not is_id(submission_id):
            raise NotFound("There is no submission with this id.", code="submission_not_found")
        return SubmissionStory.of_story(queue_view.submission_story(backend, submission_id))


def _states(text: str | None) -> tuple[State, ...]:
    if text is None:
        return ()
    if text in BUCKETS:
        return tuple(sorted(BUCKETS[text]))
    if text in State.__members__:
        return (State(text),)
    raise InvalidInput(f"There is no state or bucket {json.dumps(text[:40])}.", code="unknown_state")


def _position(cursor: str | None) -> cursors.Position | None:
    position = cursors.decode(cursor)
    if position is not None and not is_id(position[1]):
        raise InvalidInput("This cursor is not one of ours.", code="invalid_cursor")
    return position
