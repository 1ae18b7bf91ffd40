"""Problems: every error of the domain has one answer."""

from __future__ import annotations

import inspect
import json
from http import HTTPStatus
from typing import Any

import pytest
from skillgate.api import problems
from skillgate.domain import errors
from skillgate.domain.errors import FieldError, InvalidInput, RateLimited, SkillgateError, StoreUnavailable

EVERY_ERROR = sorted(
    (kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, SkillgateError)),
    key=lambda kind: kind.__name__,
)
CONCRETE = [kind for kind in EVERY_ERROR if kind is not SkillgateError]


def made(kind: type[SkillgateError]) -> SkillgateError:
    extra: dict[str, Any] = {"retry_after": 7, "limit": 10} if kind is RateLimited else {}
    return kind("A sentence.", **extra)


def body_of(error: SkillgateError) -> tuple[int, dict[str, Any], dict[str, Any]]:
    answer = problems.from_error(error, "request-1")
    assert answer.content_type == "application/problem+json" and answer.body is not None
    return answer.status_code, json.loads(answer.body), dict(answer.headers)


@pytest.mark.parametrize("kind", CONCRETE, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_a_code_and_a_request_id(kind: type[SkillgateError]) -> None:
    status, body, _ = body_of(made(kind))
    assert status == body["status"] and 400 <= status < 600
    assert body["title"] == HTTPStatus(status).phrase
    assert (body["code"], body["detail"], body["requestId"]) == (kind.code, "A sentence.", "request-1")


@pytest.mark.parametrize("kind", CONCRETE, ids=lambda kind: kind.__name__)
def test_every_error_is_drawn_in_the_tree(kind: type[SkillgateError]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")


def test_every_code_is_said_once() -> None:
    codes = [kind.code for kind in EVERY_ERROR]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("kind", CONCRETE, ids=lambda kind: kind.__name__)
def test_whoever_is_to_come_back_learns_when(kind: type[SkillgateError]) -> None:
    status, _, headers = body_of(made(kind))
    assert ("Retry-After" in headers) == (status in (429, 503))


def test_infrastructure_is_never_worded_as_the_caller_s_fault() -> None:
    unavailable = [kind for kind in CONCRETE if issubclass(kind, errors.Unavailable)]
    assert len(unavailable) >= 5
    assert {body_of(made(kind))[0] for kind in unavailable} == {503}


def test_the_wait_is_the_one_that_was_asked_for() -> None:
    assert body_of(StoreUnavailable("Away.", retry_after=42))[2]["Retry-After"] == "42"
    assert body_of(RateLimited("Slow down.", retry_after=9, limit=10))[2]["Retry-After"] == "9"
    assert int(body_of(StoreUnavailable("Away."))[2]["Retry-After"]) > 0


def test_who_is_unknown_is_told_how_to_introduce_themselves() -> None:
    status, _, headers = body_of(errors.Unauthenticated("Who?"))
    assert status == 401 and headers["WWW-Authenticate"]
    assert body_of(errors.Forbidden("Not you."))[0] == 403


def test_a_field_that_is_wrong_is_pointed_at() -> None:
    _, body, _ = body_of(InvalidInput("Wrong.", errors=[FieldError("/a/0", "is odd")], code="validation_failed"))
    assert body["errors"] == [{"pointer": "/a/0", "message": "is odd"}] and body["code"] == "validation_failed"


def test_an_error_of_a_kind_that_is_new_tomorrow_is_answered_as_its_parent() -> None:
    class Novel(errors.Conflict):
        code = "novel"

    assert body_of(Novel("Hm."))[0] == 409
