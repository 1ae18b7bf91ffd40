"""Every route of every API: the protected ones answer 401 without, 403 with too little, and never 200."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.backends import Servers, World, world
from tests.support.browser import KEY, SAME_ORIGIN, Browser, Reply

PREFIXES = ("/api/v1/admin/", "/api/v1/webhooks/", "/api/")
# Writes that everybody may make, by design. Any other write that is not protected fails the walk.
OPEN_WRITES = {
    ("POST", "/api/v1/submissions"),
    ("POST", "/api/v1/submissions/bulk"),
    ("POST", "/api/v1/skills/installs"),
    ("POST", "/api/v1/skills/<name>/installs"),
    ("POST", "/api/v1/skills/<owner>/<repo>/<skill>/installs"),
    ("POST", "/api/v1/skills/check-updates"),
}
# These look at a cookie or a body by themselves: 401 without it, and no role to have too little of.
BY_THEMSELVES = {
    ("POST", "/api/v1/auth/refresh"),
    ("POST", "/api/v1/auth/logout"),
    ("POST", "/api/v1/auth/github/exchange-for-vsk-token"),
}
BODIES = {"/api/v1/auth/github/exchange-for-vsk-token": {"name": "x"}}


@pytest.fixture(scope="module")
def one(servers: Servers) -> Iterator[World]:
    with world(servers, limit_sign_in=10_000, limit_writes=10_000) as made:
        yield made


def routes_of(browser: Browser) -> list[tuple[str, str, Any]]:
    """Method, path and requirement of every route, from the same objects that serve."""
    found = []
    for prefix in PREFIXES:
        api = browser.api(prefix)
        found += [(route.method, route.path, api.security_of(route)) for route in api.routes]
    return found


def called(browser: Browser, method: str, path: str, headers: dict[str, str] | None = None) -> Reply:
    target = re.sub(r"<\w+>", "0190aaaa-0000-7000-8000-000000000000", path)
    body = BODIES.get(path, {}) if method != "GET" else None
    return browser.send(method, target, body=body, headers=SAME_ORIGIN | (headers or {}))


def protected(browser: Browser) -> list[tuple[str, str, Any]]:
    """All but the public API's reads that say nothing of who may call, and the writes that are open by design."""
    return [
        (method, path, requirement)
        for method, path, requirement in routes_of(browser)
        if (method, path) not in OPEN_WRITES | BY_THEMSELVES
        and (requirement is not None or method != "GET" or path.startswith("/api/v1/admin/"))
    ]


def test_the_walk_sees_all_three_apis(one: World) -> None:
    paths = {path for _, path, _ in routes_of(Browser(one))}
    assert {"/api/v1/admin/queue/health", "/api/v1/webhooks/scan-results", "/api/v1/me/skills"} <= paths
    assert len(paths) >= 30


def test_without_a_credential_every_protected_route_answers_401(one: World) -> None:
    browser = Browser(one)
    for method, path, _ in [*protected(browser), *((*each, None) for each in BY_THEMSELVES)]:
        answer = called(browser, method, path)
        assert answer.status == 401, f"{method} {path}: {answer.status} {answer.text[:200]}"
        assert answer.headers["www-authenticate"] == "Bearer" and answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-internal-key": "wrong"},
        {"x-internal-key": ""},
        {"authorization": "Bearer nonsense"},
        {"authorization": "Bearer vsk_" + "a" * 43},
        {"authorization": "Basic dXNlcjpwYXNz"},
        {"cookie": "__Host-skillgate-session=nonsense"},
    ],
    ids=lambda headers: next(iter(headers.values()))[:20] or "empty",
)
def test_with_a_credential_that_does_not_hold_it_is_401_too(one: World, headers: dict[str, str]) -> None:
    browser = Browser(one)
    for method, path, _ in protected(browser):
        assert called(browser, method, path, headers).status == 401, f"{method} {path}"


def test_with_too_little_every_protected_route_answers_403(one: World) -> None:
    user = Browser(one).sign_in("ada")
    reviewer = Browser(one).sign_in("skillgate-reviewer")
    token = user.post("/api/v1/auth/github/exchange-for-vsk-token", {"name": "t", "scopes": ["submit"]}).json["token"]
    client, vsk = Browser(one), {"authorization": f"Bearer {token}"}
    for method, path, requirement in protected(user):
        if path.startswith("/api/v1/webhooks/"):
            continue  # no account opens these, whatever its role: see the signatures
        schemes = {name: needed for alternative in requirement for name, needed in alternative.items()}
        assert called(client, method, path, vsk).status == 403, f"token without the scope: {method} {path}"
        if schemes["session"] != ["USER"]:
            assert called(user, method, path).status == 403, f"user: {method} {path}"
            assert called(Browser(one), method, path, user.bearer()).status == 403, f"user's bearer: {method} {path}"
        if schemes["session"] == ["SUPER_ADMIN"]:
            assert called(reviewer, method, path).status == 403, f"reviewer: {method} {path}"
        if "internalKey" not in schemes:
            assert called(Browser(one), method, path, KEY).status == 403, f"internal key: {method} {path}"


def test_with_enough_no_protected_route_answers_401_or_403(one: World) -> None:
    """Or the walk above would pass on routes that let nobody in."""
    admin = Browser(one).sign_in("skillgate-admin")
    for method, path, requirement in protected(admin):
        if path.startswith("/api/v1/webhooks/") or path == "/api/v1/auth/sign-out-all":
            continue
        assert called(admin, method, path).status not in (401, 403), f"{method} {path}"
        if any("internalKey" in alternative for alternative in requirement):
            assert called(Browser(one), method, path, KEY).status not in (401, 403), f"internal key: {method} {path}"


def test_what_is_open_is_open_and_what_is_an_author_s_own_never_is(one: World) -> None:
    browser = Browser(one)
    closed = {(method, path) for method, path, _ in protected(browser)}
    opened = {(method, path) for method, path, _ in routes_of(browser)} - closed - BY_THEMSELVES
    assert {("GET", "/api/v1/skills"), ("GET", "/api/v1/submissions"), ("POST", "/api/v1/submissions")} <= opened
    assert not [path for _, path in opened if re.match(r"/api/v1/(admin|me|webhooks)\b", path)]
    for method, path in opened:
        assert called(browser, method, path).status not in (401, 403, 500) or path.endswith("/callback"), path


def test_an_address_under_admin_that_does_not_exist_is_not_told_to_strangers(one: World) -> None:
    browser = Browser(one)
    assert browser.get("/api/v1/admin/nothing-here").status == 401
    assert browser.get("/api/v1/admin/nothing-here", headers=KEY).status == 404


def test_the_document_says_of_every_route_what_is_enforced(one: World) -> None:
    browser = Browser(one)
    for prefix in PREFIXES:
        api = browser.api(prefix)
        paths = json.loads(api.get_openapi_json_schema())["paths"]
        for route in api.routes:
            if route.include_in_schema:
                documented = paths[re.sub(r"<(\w+)>", r"{\1}", route.path)][route.method.lower()]
                assert documented.get("security") == api.security_of(route)


def test_internal_keys_rotate_several_are_valid_at_once(servers: Servers) -> None:
    with world(servers, internal_keys="old-key-old-key,new-key-new-key") as made:
        for key, status in (
            ("old-key-old-key", 200),
            ("new-key-new-key", 200),
            ("old-key-old-key,new-key-new-key", 401),
        ):
            answer = Browser(made).get("/api/v1/admin/queue/health", headers={"x-internal-key": key})
            assert answer.status == status


def test_every_answer_carries_the_security_headers(one: World) -> None:
    browser = Browser(one)
    for target in (
        "/",
        "/api/v1/skills",
        "/api/v1/nothing",
        "/api/v1/admin/queue/health",
        "/nothing",
        "/static/style.css",
    ):
        headers = browser.get(target).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer" and "max-age=" in headers["strict-transport-security"]
        assert "access-control-allow-origin" not in headers
