"""ETags and 304 for what can be cached."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel

from skillgate.api.router import Api


class NotModified(Exception):
    """The caller has it already. Raised, because an empty answer is not what a route declares to return."""

    def __init__(self, headers: dict[str, str | list[str]]) -> None:
        super().__init__("not modified")
        self.headers = headers


def cacheable(
    api: Api,
    body: BaseModel | dict[str, Any] | str | bytes,
    *,
    content_type: str = "application/json",
    max_age: int = 60,
    headers: dict[str, str] | None = None,
    same_if: Any = None,
) -> Response[Any]:
    """The body with an ETag, or 304 for who has it. `same_if` stands for the body where that holds the time of day."""
    tag = f'"{hashlib.sha256(_basis(body if same_if is None else same_if)).hexdigest()[:32]}"'
    shared: dict[str, str | list[str]] = {"ETag": tag, "Cache-Control": f"public, max-age={max_age}", **(headers or {})}
    given = api.current_event.headers.get("if-none-match", "")
    if given == "*" or tag in {part.strip().removeprefix("W/") for part in given.split(",")}:
        raise NotModified(shared)
    if isinstance(body, bytes):
        return _binary(content_type, body, shared)
    return Response(200, content_type, body, headers=shared)


def _binary(content_type: str, body: bytes, headers: dict[str, str | list[str]]) -> Response[str]:
    """Bytes on their way through JSON. Encoded here, because the router takes a route's bytes for text."""
    answer = Response(200, content_type, base64.b64encode(body).decode(), headers=headers)
    answer.base64_encoded = True
    return answer


def answer_not_modified(api: Api) -> None:
    """Lets the routes of this API use `cacheable`."""
    api.exception_handler(NotModified)(lambda same: Response(304, headers=same.headers))


def _basis(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, BaseModel):
        return value.model_dump_json(by_alias=True).encode()
    return json.dumps(value, sort_keys=True, default=str).encode()
