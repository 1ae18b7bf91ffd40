"""The router: what reaches a route, and what is refused before, always as a problem and never with a trace."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from pydantic import BaseModel, Field
from skillgate import context
from skillgate.api.event import MAX_BODY_BYTES, MAX_DEPTH, ApiEvent
from skillgate.api.router import Api
from skillgate.domain.errors import Forbidden, NotFound

from tests.support.fakes import fake_backend
from tests.support.http import REQUEST_ID, Answer, call, request, send


class Thing(BaseModel):
    name: str = Field(min_length=2)
    count: int = 1


@pytest.fixture
def api() -> Api:
    made = Api(fake_backend())

    @made.get("/api/things")
    def things(q: str | None = None, limit: Annotated[int, Query(ge=1, le=9)] = 5) -> dict[str, Any]:
        return {"q": q, "limit": limit}

    @made.get("/api/things/<name>")
    def thing(name: str) -> dict[str, Any]:
        return {"name": name}

    @made.post("/api/things")
    def create(thing: Thing) -> dict[str, Any]:
        return {"name": thing.name}

    @made.post("/api/anything")
    def anything(items: Annotated[list[Any], Body(max_length=3)]) -> dict[str, Any]:
        return {"items": len(items), "requestId": context.current().request_id}

    @made.get("/api/crash")
    def crash() -> dict[str, Any]:
        raise RuntimeError("SELECT secret FROM passwords")

    @made.get("/api/missing")
    def missing() -> dict[str, Any]:
        raise NotFound("There is no such thing.", code="thing_not_found")

    return made


def problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """The problem, after a look that it is one."""
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json
    assert (answer.status, body["status"], body["code"]) == (status, status, code)
    assert body["requestId"] == REQUEST_ID
    return body


# --- queries ----------------------------------------------------------------------------------------------------------


def test_a_query_arrives(api: Api) -> None:
    assert call(api, "GET", "/api/things?q=a%2Cb&limit=3").json == {"q": "a,b", "limit": 3}


def test_a_parameter_that_no_route_knows_is_an_error(api: Api) -> None:
    body = problem(call(api, "GET", "/api/things?q=x&lmit=3&page=1"), 400, "unknown_parameter")
    assert [error["pointer"] for error in body["errors"]] == ["?lmit", "?page"]


@pytest.mark.parametrize("query", ["limit=0", "limit=10", "limit=many", "limit=", "limit=1e3", "limit=%00"])
def test_a_value_out_of_bounds_is_an_error_that_points_at_it(api: Api, query: str) -> None:
    answer = call(api, "GET", f"/api/things?{query}")
    assert answer.status == 400 and answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("target", ["/api/things?q=a%00b", "/api/things?a%00b=1", "/api/things/a\0b"])
def test_text_that_no_store_can_hold_is_refused_in_query_and_path(api: Api, target: str) -> None:
    answer = call(api, "GET", target)
    assert answer.status in (400, 404) and answer.headers["content-type"] == "application/problem+json"


def test_bytes_that_are_no_text_do_not_crash(api: Api) -> None:
    assert call(api, "GET", "/api/things?q=%ff%fe").status == 200
    assert call(api, "GET", "/api/things?q=%ed%a0%80").status == 200


def test_a_query_with_too_many_fields_is_refused(api: Api) -> None:
    problem(call(api, "GET", "/api/things?" + "&".join(f"a{n}=1" for n in range(101))), 400, "invalid_input")


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_a_body_arrives_plain_or_in_base64(api: Api) -> None:
    assert call(api, "POST", "/api/things", json_body={"name": "pdf"}).json == {"name": "pdf"}
    encoded = call(api, "POST", "/api/things", json_body={"name": "pdf"}, base64_encoded=True)
    assert encoded.json == {"name": "pdf"}


def test_a_field_that_is_wrong_is_pointed_at(api: Api) -> None:
    body = problem(call(api, "POST", "/api/things", json_body={"name": "x", "count": "y"}), 400, "validation_failed")
    assert {error["pointer"] for error in body["errors"]} == {"/name", "/count"}


@pytest.mark.parametrize(
    "body",
    [
        *("{", "nonsense", "[1,]", '{"name": "a\\u0000b"}', '{"name": "\\ud800"}', '{"a\\u0000": 1}', '{"\\udfff": 1}'),
        *("[" * 100_000, '{"a":' * 50_000, "1" * 5000, '{"name": "\ud800"}', "[NaN]", "[Infinity]"),
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    ],
    ids=lambda body: body[:24].encode("unicode_escape").decode(),
)
def test_a_body_that_cannot_be_understood_or_stored_is_refused(api: Api, body: str) -> None:
    for path in ("/api/things", "/api/anything"):
        problem(call(api, "POST", path, body=body), 400, "invalid_json")


@pytest.mark.parametrize("body", [None, ""])
def test_a_body_that_is_missing_is_refused(api: Api, body: str | None) -> None:
    answer = call(api, "POST", "/api/things", body=body)
    assert answer.status == 400 and answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("body", ["!not base64!", "YWJj", "/w=="], ids=["no base64", "no json", "no text"])
def test_base64_that_is_none_or_holds_no_text_is_refused(api: Api, body: str) -> None:
    event = request("POST", "/api/things")
    answer = send(api, event | {"body": body, "isBase64Encoded": True})
    assert answer.status == 400 and answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f600"])
def test_a_body_is_measured_in_bytes(api: Api, letter: str) -> None:
    room = MAX_BODY_BYTES - len('["", 1]')
    fits, too_much = letter * (room // len(letter.encode())), letter * (room // len(letter.encode()) + 1)
    assert call(api, "POST", "/api/anything", body=f'["{fits}", 1]').status == 200
    problem(call(api, "POST", "/api/anything", body=f'["{too_much}", 1]'), 413, "too_large")


def test_depth_is_counted_not_length(api: Api) -> None:
    assert call(api, "POST", "/api/anything", body="[[[1],[2]],3]").json["items"] == 2
    assert call(api, "POST", "/api/anything", body=json.dumps([{"a": "x" * 10_000}])).status == 200


# --- errors -----------------------------------------------------------------------------------------------------------


def test_a_crash_says_that_it_was_ours_and_nothing_else(api: Api) -> None:
    answer = call(api, "GET", "/api/crash")
    problem(answer, 500, "internal_error")
    assert not [word for word in ("RuntimeError", "SELECT", "passwords", "Traceback", ".py") if word in answer.text]


def test_an_error_of_the_domain_is_answered_as_such(api: Api) -> None:
    assert problem(call(api, "GET", "/api/missing"), 404, "thing_not_found")["detail"] == "There is no such thing."


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
def test_where_there_is_no_route_there_is_a_problem(api: Api, method: str) -> None:
    problem(call(api, method, "/api/nothing"), 404, "no_such_route")


def test_every_answer_has_the_security_headers_and_is_not_cached_unless_it_says_so(api: Api) -> None:
    for target in ("/api/things", "/api/nothing", "/api/crash", "/api/things?x=1"):
        headers = call(api, "GET", target).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "max-age" in headers["strict-transport-security"]
        assert headers["cache-control"] == "no-store"


# --- guards and environments ------------------------------------------------------------------------------------------


def test_a_guard_refuses_before_anything_of_the_request_is_parsed() -> None:
    def nobody(_: ApiEvent) -> None:
        raise Forbidden("Nobody may.")

    guarded = Api(fake_backend(), guard=nobody)

    @guarded.post("/api/things")
    def create(thing: Thing) -> dict[str, Any]:
        raise AssertionError("reached")

    problem(call(guarded, "POST", "/api/things", body="{not json"), 403, "forbidden")
    problem(call(guarded, "POST", "/api/no-such-route"), 403, "forbidden")


def test_each_request_has_an_environment_that_ends_with_it(api: Api) -> None:
    assert call(api, "POST", "/api/anything", body="[1]").json["requestId"] == REQUEST_ID
    assert context.current_or_none() is None
