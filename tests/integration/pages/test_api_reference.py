"""The documentation page shows every route, and what it shows is what one gets."""

from __future__ import annotations

import html
import json
import re
import shlex
from typing import Any

import pytest
from skillgate.api import reference
from skillgate.api.reference import Operation, examples, operations
from web_pages.pages import build_pages
from web_pages.site import POLICY

from local.openapi import OPENAPI
from tests.support import api_examples
from tests.support.api_examples import CALLS, NOT_RECORDED, Scene
from tests.support.backends import Servers, World, world
from tests.support.http import request, send

DOCUMENT = json.loads(OPENAPI.read_text())
ORIGIN = "https://skills.example"
RECORDED = [operation for operation in operations() if operation.answer is not None]


def shape(value: Any) -> Any:
    """Names and kinds of what an answer holds; null may stand for anything, and an empty list too."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else None
    return None if value is None else "number" if type(value) in (int, float) else type(value).__name__


def fits(shown: Any, got: Any) -> bool:
    if shown is None or got is None:
        return True
    if isinstance(shown, dict):
        return isinstance(got, dict) and shown.keys() == got.keys() and all(fits(shown[n], got[n]) for n in shown)
    if isinstance(shown, list):
        return isinstance(got, list) and fits(shown[0], got[0])
    return bool(shown == got)


def parsed(command: str) -> tuple[str, str, dict[str, str], Any]:
    """A curl command as (method, target, headers, body), read as a shell would."""
    words = iter(shlex.split(command)[1:])
    method, target, body, lines = "GET", "", None, []
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            lines.append(next(words))
        elif word == "-d":
            body = json.loads(next(words))
        else:
            target = word.removeprefix(ORIGIN)
    return method, target, api_examples.headers_of(tuple(lines)), body


@pytest.fixture(scope="module")
def answers(servers: Servers) -> dict[str, Any]:
    """Every request of the page, sent in the page's recorded order on one scene."""
    by_name = {f"{operation.method} {operation.path}": operation for operation in RECORDED}
    with world(servers, limit_writes=1000) as made:
        scene = Scene(made)
        found = {}
        for call in CALLS:
            method, target, headers, body = parsed(by_name[call.operation].curl(ORIGIN))
            answer = scene.call(method, target, body, headers)
            found[call.operation] = (answer.status, scene.shown(answer))
        return found


@pytest.mark.parametrize("operation", RECORDED, ids=lambda operation: operation.name)
def test_a_shown_request_gets_the_shown_answer(answers: dict[str, Any], operation: Operation) -> None:
    status, got = answers[f"{operation.method} {operation.path}"]
    shown = examples()[f"{operation.method} {operation.path}"]
    assert status == shown.status < 400, got
    assert fits(shape(shown.answer), shape(got)), "an answer has changed: run `make docs`"


def test_every_route_is_shown_with_an_answer_or_there_is_a_reason_why_not() -> None:
    exempt = tuple(prefix for prefixes in NOT_RECORDED.values() for prefix in prefixes)
    without = [operation.path for operation in operations() if operation.answer is None]
    assert not [path for path in without if not path.startswith(exempt)]
    assert len(RECORDED) > 50


def test_the_examples_are_those_of_the_list() -> None:
    assert set(examples()) == {call.operation for call in CALLS}


def test_the_page_has_every_operation_of_the_document_with_its_parameters(real: World) -> None:
    answer = send(build_pages(real.backend), request("GET", "/docs"))
    assert answer.status == 200 and answer.headers["content-security-policy"] == POLICY
    text = html.unescape(answer.text)
    for path, methods in DOCUMENT["paths"].items():
        for method, described in methods.items():
            start = text.index(f'id="{described["operationId"]}"')
            article = text[start : text.index("</article>", start)]
            assert f"<strong>{method.upper()}</strong> {path}" in article
            assert all(f"<code>{each['name']}</code>" in article for each in described.get("parameters", []))
            assert "curl " in article


def test_the_page_brings_no_script_of_its_own_and_nothing_from_elsewhere(real: World) -> None:
    text = send(build_pages(real.backend), request("GET", "/docs")).text
    fetched = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"|<link rel="stylesheet" href="([^"]+)"', text)
    assert fetched and all("".join(address).startswith("/static/") for address in fetched)
    assert "<script>" not in text


def test_a_body_without_a_recorded_example_is_made_from_its_schema() -> None:
    dispute = next(each for each in operations() if (each.method, each.path) == ("POST", "/api/v1/me/disputes"))
    schema = DOCUMENT["components"]["schemas"]["DisputeIn"]
    assert dispute.answer is None and set(dispute.body) == set(schema["required"])
    assert dispute.headers and "-d" in shlex.split(dispute.curl(ORIGIN))


def test_groups_hold_every_operation_once() -> None:
    grouped = [operation for group in reference.by_tag().values() for operation in group]
    assert sorted(each.name for each in grouped) == sorted(each.name for each in operations())
