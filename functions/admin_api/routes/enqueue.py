"""What crawlers hand over, a thousand at a time."""

import re
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Header
from pydantic import Field, ValidationError
from skillgate.api.models import EnqueueAnswer, ItemError, Wire
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput
from skillgate.domain.repo_url import SKILL_FILE, parse_location, skill_path
from skillgate.ports import Backend
from skillgate.services import submit
from skillgate.services.idempotency import once

MAX_ITEMS = 1000
_REPO_URL = re.compile(r"^https://github\.com/[\w.-]+/[\w.-]+(/.*)?$", re.ASCII)


class EnqueueItem(Wire):
    repo_url: str = Field(max_length=500, pattern=_REPO_URL.pattern)
    skill_name: str = Field(min_length=2, max_length=100)
    skill_path: str = Field(SKILL_FILE, max_length=400)


def register(api: Api, backend: Backend) -> None:
    @api.post(
        "/api/v1/admin/queue/bulk-enqueue",
        tags=["queue"],
        summary="Enqueue up to 1000 skills that a crawler found",
        description="A list of {repoUrl, skillName, skillPath?}. Bad items are in `errors` and do not stop the others.",
    )
    def bulk_enqueue(
        items: Annotated[list[Any], Body(min_length=1, max_length=MAX_ITEMS)],
        idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
    ) -> Response[EnqueueAnswer]:
        def call() -> dict[str, object]:
            return _enqueue(backend, items).model_dump(mode="json", by_alias=True)

        saved = once(backend, scope="bulk-enqueue", key=idempotency_key, body=items, call=call)
        return Response(200, "application/json", EnqueueAnswer.model_validate(saved))


def _enqueue(backend: Backend, items: list[Any]) -> EnqueueAnswer:
    requests: list[submit.Request] = []
    indexes: list[int] = []
    errors: list[ItemError] = []
    for index, item in enumerate(items):
        try:
            requests.append(_request(item))
            indexes.append(index)
        except InvalidInput as error:
            repo_url = item.get("repoUrl") if isinstance(item, dict) else None
            shown = repo_url[:500] if isinstance(repo_url, str) else None
            errors.append(ItemError(index=index, repo_url=shown, code=error.code, message=error.message))
    answers = submit.create_submissions_batch(backend, requests, with_events=False) if requests else []
    for index, request, answer in zip(indexes, requests, answers, strict=True):
        if answer.outcome is submit.Outcome.FAILED:
            message = answer.reason or "It was not taken."
            errors.append(ItemError(index=index, repo_url=request.repo.url, code="not_taken", message=message))
    enqueued = sum(answer.outcome is submit.Outcome.CREATED for answer in answers)
    errors.sort(key=lambda error: error.index)
    return EnqueueAnswer(ok=not errors, enqueued=enqueued, skipped=len(items) - enqueued - len(errors), errors=errors)


def _request(item: Any) -> submit.Request:
    try:
        parsed = EnqueueItem.model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{where or 'item'}: {first['msg']}", code="invalid_item") from None
    repo, path_in_url = parse_location(parsed.repo_url)
    given = "skill_path" in parsed.model_fields_set
    path = skill_path(parsed.skill_path) if given or not path_in_url else path_in_url
    return submit.Request(repo, path, parsed.skill_name, source="crawler")
