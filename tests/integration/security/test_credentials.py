"""Attacks on tokens and sign-in, each by name, against the routes themselves."""

from __future__ import annotations

import base64
import hmac
import json
import threading
from datetime import timedelta
from typing import Any

import httpx
import pytest
from skillgate.services.accounts import jwt
from skillgate.services.accounts.sessions import AUDIENCE

from tests.support.backends import SIGNING_KEY, World
from tests.support.browser import REFRESH, SAME_ORIGIN, SESSION, TICKET, Browser

HEALTH = "/api/v1/admin/queue/health"


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def token(world: World, *, audience: str = AUDIENCE, age: int = 0, key: str = SIGNING_KEY) -> str:
    claims = {"sub": "0190aaaa-0000-7000-8000-000000000000", "login": "mallory", "role": "SUPER_ADMIN"}
    return jwt.sign(claims, [key], audience=audience, now=world.backend.now() - timedelta(seconds=age), seconds=600)


def both_ways(world: World, forged: str) -> set[int]:
    by_header = Browser(world).get(HEALTH, headers={"authorization": f"Bearer {forged}"}).status
    by_cookie = Browser(world, cookies={SESSION: forged}).get(HEALTH).status
    return {by_header, by_cookie}


def test_a_token_made_with_the_right_key_is_let_in_so_that_the_attacks_mean_something(real: World) -> None:
    assert both_ways(real, token(real)) == {200}


@pytest.mark.parametrize("algorithm", ["none", "None", "nOnE"])
def test_jwt_alg_none(real: World, algorithm: str) -> None:
    _, claims, signature = token(real).split(".")
    header = encoded({"alg": algorithm, "typ": "JWT"})
    assert both_ways(real, f"{header}.{claims}.") == {401}
    assert both_ways(real, f"{header}.{claims}.{signature}") == {401}


def test_jwt_key_confusion(real: World) -> None:
    """Signed with what anybody can know: the key's id, the issuer, the empty string, an internal-looking path."""
    header, claims, _ = token(real).split(".")
    kid = json.loads(base64.urlsafe_b64decode(header + "=="))["kid"]
    for key in (kid, "", "skillgate", "/dev/null"):
        signature = hmac.digest(key.encode(), f"{header}.{claims}".encode(), "sha256")
        forged = f"{header}.{claims}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
        assert both_ways(real, forged) == {401}
    public = encoded({"alg": "RS256", "typ": "JWT", "kid": kid})
    assert both_ways(real, f"{public}.{claims}.{token(real).rpartition('.')[2]}") == {401}
    assert both_ways(real, token(real, key="another-key-of-the-right-length-0123456789")) == {401}


def test_expired_token(real: World) -> None:
    assert both_ways(real, token(real, age=601)) == {401}


def test_token_from_the_future(real: World) -> None:
    assert both_ways(real, token(real, age=-3600)) == {401}


def test_wrong_audience(real: World) -> None:
    """The sign-in ticket is signed with the same key; it must not pass for an access token, nor the other way round."""
    browser = Browser(real)
    browser.at_github("ada")
    assert both_ways(real, browser.cookies[TICKET]) == {401}
    back = browser.at_github("ada")
    browser.cookies[TICKET] = token(real)
    assert browser.get(back).status == 401


def test_a_role_that_was_never_given(real: World) -> None:
    browser = Browser(real).sign_in("ada")
    header, claims, signature = browser.cookies[SESSION].split(".")
    raised = json.loads(base64.urlsafe_b64decode(claims + "==")) | {"role": "SUPER_ADMIN"}
    assert both_ways(real, f"{header}.{encoded(raised)}.{signature}") == {401}
    assert browser.get(HEALTH).status == 403


# --- sign-in ------------------------------------------------------------------------------------------------------


def test_oauth_state_reuse(real: World) -> None:
    """The whole callback a second time, with the very cookie it was made with."""
    browser = Browser(real)
    back = browser.at_github("ada")
    ticket = browser.cookies[TICKET]
    assert browser.get(back).status == 303
    again = Browser(real, cookies={TICKET: ticket}).get(back)
    assert (again.status, again.code) == (401, "state_reused")


def test_oauth_state_forged(real: World) -> None:
    """Login cross-site request forgery: the attacker's code and state in the victim's browser."""
    attacker, victim = Browser(real), Browser(real)
    back = attacker.at_github("mallory")
    assert victim.get(back).code == "state_mismatch"
    victim.at_github("ada")
    assert victim.get(back).code == "state_mismatch"
    assert SESSION not in victim.cookies


def test_oauth_code_reuse(real: World) -> None:
    """A code that was used, with a fresh state of the thief's own."""
    victim, thief = Browser(real), Browser(real)
    stolen = victim.at_github("ada")
    assert victim.get(stolen).status == 303
    own = thief.at_github("mallory")
    code = httpx.URL(stolen).params["code"]
    target = str(httpx.URL(own).copy_set_param("code", code))
    assert thief.get(target).code == "code_refused"


def test_oauth_code_interception(real: World) -> None:
    """A code that was caught before its owner used it: without the PKCE verifier it is worth nothing."""
    victim, thief = Browser(real), Browser(real)
    caught = httpx.URL(victim.at_github("ada")).params["code"]
    own = thief.at_github("mallory")
    assert thief.get(str(httpx.URL(own).copy_set_param("code", caught))).code == "code_refused"
    assert SESSION not in thief.cookies


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/%5Cevil.example",
        "/%09/evil.example",
        "javascript:alert(1)",
        "/a%0d%0aX: y",
    ],
)
def test_open_redirect_after_sign_in(real: World, target: str) -> None:
    browser = Browser(real)
    assert browser.get(browser.at_github("ada", return_to=target)).headers["location"] == "/"


def test_a_refusal_at_github_is_a_401_and_no_session(real: World) -> None:
    browser = Browser(real)
    browser.at_github("ada")
    answer = browser.get("/api/v1/auth/github/callback?error=access_denied&error_description=x")
    assert answer.code == "sign_in_refused" and SESSION not in browser.cookies


# --- sessions -----------------------------------------------------------------------------------------------------


def test_refresh_reuse_ends_the_family(real: World) -> None:
    owner = Browser(real).sign_in("ada")
    stolen = {REFRESH: owner.cookies[REFRESH]}
    assert owner.post("/api/v1/auth/refresh").status == 200
    assert Browser(real, cookies=stolen).post("/api/v1/auth/refresh").code == "session_ended"
    assert owner.post("/api/v1/auth/refresh").code == "session_ended", "the thief's try ends the owner's session too"


def test_refresh_race(real: World) -> None:
    """The same token twenty times at once: at most one gets a new pair, and the family ends with the second try."""
    owner = Browser(real).sign_in("ada")
    browsers = [Browser(real, cookies=dict(owner.cookies)) for _ in range(20)]
    barrier, statuses = threading.Barrier(len(browsers)), []

    def refresh(browser: Browser) -> None:
        barrier.wait(timeout=30)
        statuses.append(browser.post("/api/v1/auth/refresh").status)

    threads = [threading.Thread(target=refresh, args=[browser]) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(statuses) == [200, *[401] * 19]
    (winner,) = [browser for browser in browsers if browser.cookies.get(REFRESH, "") != owner.cookies[REFRESH]]
    assert winner.post("/api/v1/auth/refresh").status == 401


@pytest.mark.parametrize("value", ["", "nonsense", "a" * 5000, "' OR 1=1 --"])
def test_refresh_tokens_cannot_be_made_up(real: World, value: str) -> None:
    assert Browser(real, cookies={REFRESH: value}).post("/api/v1/auth/refresh").status == 401


# --- cross-site ---------------------------------------------------------------------------------------------------

WRITES = [
    ("POST", "/api/v1/auth/logout"),
    ("POST", "/api/v1/auth/refresh"),
    ("POST", "/api/v1/auth/sign-out-all"),
    ("POST", "/api/v1/auth/github/exchange-for-vsk-token"),
    ("POST", "/api/v1/submissions"),
    ("POST", "/api/v1/me/disputes"),
    ("POST", "/api/v1/admin/queue/pause"),
    ("DELETE", "/api/v1/auth/tokens/0190aaaa-0000-7000-8000-000000000000"),
]


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
        {"sec-fetch-site": "same-site", "origin": "https://other.127.0.0.1"},
        {"sec-fetch-site": "none"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"referer": "http://127.0.0.1:8080/"},
        {},
    ],
    ids=lambda headers: "+".join(headers.values()) or "silent",
)
def test_cross_site_write(real: World, headers: dict[str, str]) -> None:
    """A page of another site makes the admin's browser write, with all its cookies and a form's content type."""
    admin = Browser(real).sign_in("skillgate-admin")
    for method, target in WRITES:
        answer = admin.send(method, target, raw="{}", headers={"content-type": "text/plain"} | headers)
        assert (answer.status, answer.code) == (403, "cross_site_request"), target
    assert admin.get("/api/v1/admin/audit-log").json["entries"] == []
    assert SESSION in admin.cookies


def test_a_write_from_our_own_page_is_none(real: World) -> None:
    admin = Browser(real).sign_in("skillgate-admin")
    body = {"reason": "a good one"}
    assert admin.send("POST", "/api/v1/admin/queue/pause", body=body, headers=SAME_ORIGIN).status == 200
    only_origin = {"origin": SAME_ORIGIN["origin"]}
    assert admin.send("POST", "/api/v1/admin/queue/resume", body=body, headers=only_origin).status == 200
    (entry, _) = admin.get("/api/v1/admin/audit-log").json["entries"]
    assert entry["actor"] == "github:skillgate-admin"


def test_a_bearer_token_needs_no_origin_for_no_page_can_make_a_browser_send_one(real: World) -> None:
    admin = Browser(real).sign_in("skillgate-admin")
    answer = Browser(real).send(
        "POST", "/api/v1/admin/queue/pause", body={"reason": "a good one"}, headers=admin.bearer()
    )
    assert answer.status == 200
