"""Bad input anywhere gets a problem+json with a code, and leaves no row, item or message behind."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.pipeline.steps import sql
from tests.support.backends import World
from tests.support.http import Client

S, Q = "/api/v1/submissions", "/api/v1/admin/queue"
URL = "https://github.com/acme/tools"
DEEP = "[" * 2000 + "]" * 2000

BODIES: list[tuple[str, Any]] = [
    (S, None), (S, ""), (S, "{"), (S, "[]"), (S, "7"), (S, DEEP), (S, '{"repoUrl": "' + URL + '\\u0000"}'),
    (S, '{"repoUrl": "\\ud800"}'), (S, {}), (S, {"repoUrl": 7}), (S, {"repoUrl": ""}),
    (S, {"repoUrl": "https://gitlab.com/a/b"}), (S, {"repoUrl": "http://github.com/a/b"}),
    (S, {"repoUrl": "https://user:pass@github.com/a/b"}), (S, {"repoUrl": "https://github.com:8443/a/b"}),
    (S, {"repoUrl": "https://github.com/a/b?x=1"}), (S, {"repoUrl": "https://github.com/a"}),
    (S, {"repoUrl": "https://github.com.evil.example/a/b"}), (S, {"repoUrl": URL + "/" + "x" * 600}),
    (S, {"repoUrl": "https://github.com/../.."}), (S, {"repoUrl": "file:///etc/passwd"}),
    (S, {"repoUrl": URL, "skillPath": "../../etc/SKILL.md"}), (S, {"repoUrl": URL, "skillPath": "a\\b"}),
    (S, {"repoUrl": URL, "skillPath": "a/\n/SKILL.md"}), (S, {"repoUrl": URL, "skillPath": "x" * 500}),
    (S, {"repoUrl": URL, "skillName": "x"}), (S, {"repoUrl": URL, "email": "nobody"}),
    (S, {"repoUrl": URL, "source": "Big Source!"}), (S, {"repoUrl": URL, "skillName": ["a", "b"]}),
    (f"{S}/bulk", {}), (f"{S}/bulk", {"repoUrls": []}), (f"{S}/bulk", {"repoUrls": [URL] * 101}),
    (f"{S}/bulk", {"repoUrls": URL}), (f"{S}/bulk", {"repoUrls": [1]}),
    (f"{Q}/bulk-enqueue", "[" + "1," * 1001 + "1]"), (f"{Q}/bulk-enqueue", {"repoUrl": URL}),
    (f"{Q}/requeue", {"reason": "a reason"}), (f"{Q}/requeue", {"reason": "a reason", "ids": ["x"]}),
    (f"{Q}/requeue", {"reason": "a reason", "ids": ["x"], "allStuck": True}),
    (f"{Q}/dequeue", {"reason": "a reason", "ids": []}), (f"{Q}/dequeue", {"ids": ["x"]}),
    (f"{Q}/dequeue", {"reason": "x" * 600, "ids": ["x"]}),
    (f"{Q}/decide", {"reason": "a reason", "ids": ["x"], "decision": "maybe"}),
    (f"{Q}/pause", {"reason": ""}), (f"{Q}/dead-letters/discard", {"reason": "a reason", "receiptHandles": []}),
]  # fmt: skip

QUERIES: list[tuple[str, dict[str, str]]] = [
    (S, {"state": "NOWHERE"}), (S, {"limit": "0"}), (S, {"limit": "201"}), (S, {"limit": "ten"}), (S, {"page": "0"}),
    (S, {"page": "999"}), (S, {"sort": "id; DROP TABLE"}), (S, {"sortDir": "up"}), (S, {"cursor": "x"}),
    (S, {"cursor": "WyIyMDI2IiwgIngiXQ"}), (S, {"repoUrl": "nowhere"}), (S, {"q": "x" * 300}), (S, {"colour": "red"}),
    (f"{S}/stats", {"since": "yesterday"}), (f"{S}/stream", {"after": "1; 2"}),
    (f"{S}/stream", {"after": "99999999999999999999-1"}), (f"{Q}/stuck", {"limit": "-1"}),
    ("/api/v1/admin/audit-log", {"before": "x"}), (f"{Q}/dead-letters", {"limit": "1000"}),
]  # fmt: skip


def client_for(path: str, public: Client, admin: Client) -> Client:
    return admin if path.startswith("/api/v1/admin") else public


def assert_nothing_left(world: World) -> None:
    for table in ("submissions", "submission_events", "audit_log", "idempotency_keys", "controls"):
        assert sql(world, f"SELECT count(*) FROM {table}") == [(0,)], table
    items = world.dynamodb.scan(TableName=world.settings.table_name)["Items"]
    assert [item for item in items if not item["pk"]["S"].startswith("RATE#")] == []  # that they called is counted
    depth = world.backend.queue.depth()
    assert sum(depth.values()) == 0


def test_a_bad_body_gets_a_problem_and_leaves_nothing_behind(quick: World, public: Client, admin: Client) -> None:
    for path, body in BODIES:
        answer = client_for(path, public, admin).post(path, body, idempotency_key="the-same-key")
        assert 400 <= answer.status < 423 and answer.code, (path, body, answer)
        assert "Traceback" not in answer.text and "psycopg" not in answer.text
    assert_nothing_left(quick)


def test_a_bad_query_gets_a_problem_and_leaves_nothing_behind(quick: World, public: Client, admin: Client) -> None:
    for path, query in QUERIES:
        answer = client_for(path, public, admin).get(path, **query)
        assert answer.status == 400 and answer.code, (path, query, answer)
    assert_nothing_left(quick)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "a\x00b"])
def test_a_bad_idempotency_key_gets_a_problem(quick: World, public: Client, key: str) -> None:
    answer = public.post(S, {"repoUrl": URL}, idempotency_key=key)
    assert answer.status == 400 and answer.code
    assert_nothing_left(quick)


def test_a_body_that_is_too_large_is_refused_before_it_is_read(quick: World, public: Client) -> None:
    answer = public.post(S, '{"repoUrl": "' + "x" * 2_100_000 + '"}')
    assert (answer.status, answer.code) == (413, "too_large")
    assert_nothing_left(quick)


@pytest.mark.parametrize("path", [f"{S}/not-an-id", f"{S}/00000000-0000-0000-0000-000000000000", "/api/v1/nothing"])
def test_what_does_not_exist_is_not_found(public: Client, path: str) -> None:
    answer = public.get(path)
    assert answer.status == 404 and answer.code


@pytest.mark.parametrize("path", [f"{Q}/stuck", f"{Q}/health", "/api/v1/admin/audit-log", f"{Q}/dead-letters"])
def test_operators_routes_need_a_key(quick: World, path: str) -> None:
    from tests.support.http import admin_client

    answer = admin_client(quick.backend, None).get(path)
    assert (answer.status, answer.code) == (401, "unauthenticated")
