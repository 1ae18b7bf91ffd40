"""The operators' routes: run it now, hand in candidates, see what it brought."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from admin_api.routes import build_api
from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate.adapters.postgres.connections import Connections
from skillgate.adapters.postgres.discoveries import PostgresDiscoveries
from skillgate.domain.discovery import GITHUB_CODE, SOURCES
from skillgate.domain.errors import InvalidInput, Unavailable
from skillgate.services.discovery.invocation import run_event
from skillgate.services.discovery.loop import discover

from tests.support.backends import INTERNAL_KEY, World
from tests.support.discovery import fill, submitted

DISCOVERY = "/api/v1/admin/discovery"


class Dispatched:
    """Keeps the events that would start runs; refuses those of one source."""

    def __init__(self, refusing: frozenset[str] = frozenset()) -> None:
        self.events: list[Mapping[str, Any]] = []
        self._refusing = refusing

    def dispatch(self, event: Mapping[str, Any]) -> None:
        if event["source"] in self._refusing:
            raise Unavailable("The discovery function could not be started.", retry_after=30)
        self.events.append(event)


@dataclass
class Caller:
    world: World
    dispatched: Dispatched

    def __call__(self, method: str, path: str, body: Any = None, key: str = INTERNAL_KEY, **query: str) -> Any:
        backend = replace(self.world.backend, discovery_dispatcher=self.dispatched)
        event = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": "&".join(f"{name}={value}" for name, value in query.items()),
            "headers": {"content-type": "application/json", "x-internal-key": key},
            "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
            "body": None if body is None else json.dumps(body),
        }
        context = LambdaContext()
        context._aws_request_id = "request"
        answer = build_api(backend).handle(event, context)
        return answer["statusCode"], json.loads(answer["body"])


@pytest.fixture
def call(real: World) -> Caller:
    return Caller(real, Dispatched())


def test_running_now_starts_one_invocation_for_each_source_and_is_in_the_audit_log(call: Caller) -> None:
    status, answer = call("POST", DISCOVERY, {"maxResults": 50, "reason": "a new vendor"})
    assert status == 202 and not answer["dryRun"]
    assert {(started["source"], started["ok"]) for started in answer["started"]} == {(name, True) for name in SOURCES}
    assert sorted(event["source"] for event in call.dispatched.events) == sorted(SOURCES)
    assert {event["maxResults"] for event in call.dispatched.events} == {50}
    [entry, *_] = call.world.backend.operators.audit_log(limit=10, before=None, subject="npm")
    assert entry["action"] == "discovery" and entry["reason"] == "a new vendor"


def test_a_source_that_cannot_be_started_fails_alone(real: World) -> None:
    call = Caller(real, Dispatched(frozenset({"npm"})))
    status, answer = call("POST", DISCOVERY, {"sources": ["npm", "vendors"]})
    assert status == 202
    started = {each["source"]: each for each in answer["started"]}
    assert started["vendors"]["ok"] and not started["npm"]["ok"] and started["npm"]["code"] == "unavailable"
    assert call("POST", DISCOVERY, {"sources": ["npm"]})[0] == 503


def test_without_a_function_to_start_the_answer_says_so(real: World) -> None:
    call = Caller(real, real.backend.discovery_dispatcher)  # type: ignore[arg-type]
    status, answer = call("POST", DISCOVERY, {"sources": ["vendors"]})
    assert status == 503 and answer["code"] == "not_configured"


@pytest.mark.parametrize(
    "body",
    [
        {"sources": ["everywhere"]},
        {"sources": []},
        {"maxResults": 0},
        {"dryRun": True, "sources": ["published"]},
        [],
    ],
)
def test_a_request_that_makes_no_sense_is_refused(call: Caller, body: Any) -> None:
    assert call("POST", DISCOVERY, body)[0] == 400
    assert call.dispatched.events == []


def test_nobody_without_the_key_gets_in(call: Caller) -> None:
    for method, path in (("POST", DISCOVERY), ("POST", f"{DISCOVERY}/bulk"), ("GET", f"{DISCOVERY}/stats")):
        assert call(method, path, {}, key="guess")[0] == 401


def test_a_dry_run_shows_what_would_be_enqueued_and_writes_nothing(call: Caller) -> None:
    known = fill(call.world.github, skills=30, repositories=3)
    discover(call.world.backend, GITHUB_CODE, max_results=10)
    status, answer = call("POST", DISCOVERY, {"dryRun": True, "maxResults": 5, "sources": ["github-code", "npm"]})
    assert status == 200 and call.dispatched.events == []
    code, npm = answer["previews"]
    shown = {(item["repoUrl"].removeprefix("https://github.com/"), item["skillPath"]) for item in code["wouldEnqueue"]}
    assert len(shown) == 5 and shown <= known - set(submitted(call.world)) and code["known"] == 10
    assert npm["code"] == "not_configured" and npm["wouldEnqueue"] == []
    assert len(submitted(call.world)) == 10
    assert len(call.world.backend.discoveries.runs(source=None, limit=10)) == 1


def test_candidates_can_be_handed_in_and_bad_ones_do_not_stop_the_rest(call: Caller) -> None:
    items: list[Any] = [
        {"repoUrl": "https://github.com/acme/tools", "skillPath": "skills/a"},
        {"repoUrl": "https://github.com/acme/tools/tree/main/skills/b"},
        {"repoUrl": "https://github.com/Acme/Tools", "skillPath": "skills/a/SKILL.md", "commitSha": "f" * 40},
        {"repoUrl": "https://gitlab.com/acme/tools"},
        {"repoUrl": "https://github.com/acme/tools", "skillPath": "../../etc"},
        {"repoUrl": "https://github.com/acme/tools", "commitSha": "HEAD"},
        "nothing",
    ]
    status, answer = call("POST", f"{DISCOVERY}/bulk", items)
    assert status == 200 and not answer["ok"]
    assert (answer["candidates"], answer["enqueued"], answer["skippedDedup"], answer["errors"]) == (7, 2, 1, 4)
    assert [error["index"] for error in answer["itemErrors"]] == [3, 4, 5, 6]
    assert submitted(call.world) == [("acme/tools", "skills/a/SKILL.md"), ("acme/tools", "skills/b/SKILL.md")]


def test_the_statistics_show_runs_and_what_each_source_brought(call: Caller) -> None:
    fill(call.world.github, skills=30, repositories=3)
    run_event(call.world.backend, {"source": "github-code", "maxResults": 12})
    run_event(call.world.backend, {"source": "github-code"})
    run_event(call.world.backend, {"source": "npm"})
    status, answer = call("GET", f"{DISCOVERY}/stats")
    assert status == 200
    sources = {source["source"]: source for source in answer["sources"]}
    code = sources["github-code"]
    assert (code["runs"], code["new"], code["failed"]) == (2, 30, 0) and code["found"] == code["new"] + code["skipped"]
    assert code["lastOutcome"] == "completed" and code["lastCompletedAt"]
    assert {token["token"] for token in code["tokens"]} == {"token 1"} and code["tokens"][0]["remaining"] > 0
    assert sources["npm"]["lastOutcome"] == "not_configured"
    assert [run["outcome"] for run in answer["runs"]] == ["not_configured", "completed", "capped"]
    capped = answer["runs"][-1]
    assert capped["enqueued"] == 12 and capped["maxResults"] == 12
    assert "test-token" not in json.dumps(answer)

    status, story = call("GET", f"{DISCOVERY}/runs/{answer['runs'][1]['id']}")
    assert status == 200 and sum(row["enqueued"] for row in story["repositories"]) == 18
    assert call("GET", f"{DISCOVERY}/runs/unknown")[0] == 404


@contextmanager
def no_postgres(world: World) -> Iterator[World]:
    away = Connections("postgresql://127.0.0.1:1/none", size=1)
    yield replace(world, backend=replace(world.backend, discoveries=PostgresDiscoveries(away)))
    away.close()


def test_with_postgres_away_the_statistics_are_unavailable_and_not_empty(real: World) -> None:
    with no_postgres(real) as world:
        assert Caller(world, Dispatched())("GET", f"{DISCOVERY}/stats")[0] == 503


@pytest.mark.parametrize("event", [{}, {"source": "everywhere"}, {"source": "npm", "maxResults": "many"}])
def test_an_event_that_names_no_source_is_refused(real: World, event: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"source|maxResults"):
        run_event(real.backend, event)
