"""From an error to an HTTP answer (RFC 9457, application/problem+json), in exactly one place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from skillgate.domain import errors
from skillgate.domain.errors import FieldError, SkillgateError

CONTENT_TYPE = "application/problem+json"

STATUS: dict[type[SkillgateError], HTTPStatus] = {
    errors.InvalidInput: HTTPStatus.BAD_REQUEST,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.Gone: HTTPStatus.GONE,
    errors.IdempotencyMismatch: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.PermanentFailure: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RateLimited: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.OutOfTime: HTTPStatus.SERVICE_UNAVAILABLE,
}
_RETRY_AFTER_SECONDS = 5


def from_error(error: SkillgateError, request_id: str) -> Response[str]:
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    headers: dict[str, str | list[str]] = {}
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers["Retry-After"] = str(getattr(error, "retry_after", None) or _RETRY_AFTER_SECONDS)
    if isinstance(error, errors.RateLimited):
        left = {"RateLimit-Limit": error.limit, "RateLimit-Remaining": 0, "RateLimit-Reset": error.retry_after}
        headers |= {name: str(value) for name, value in left.items()}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return problem(status, error.code, error.message, request_id, errors=getattr(error, "errors", ()), headers=headers)


def problem(
    status: HTTPStatus,
    code: str,
    detail: str,
    request_id: str,
    *,
    errors: Sequence[FieldError] = (),
    headers: dict[str, str | list[str]] | None = None,
) -> Response[str]:
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "code": code,
        "detail": detail,
        "requestId": request_id,
    }
    if errors:
        body["errors"] = [{"pointer": error.pointer, "message": error.message} for error in errors]
    return Response(status.value, content_type=CONTENT_TYPE, body=json.dumps(body), headers=headers)
