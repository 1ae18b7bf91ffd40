"""Tokens for command-line clients: scoped, listed, revocable, and never shown again."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from skillgate.services.accounts.api_tokens import MAX_TOKENS

from tests.support.backends import World
from tests.support.browser import SAME_ORIGIN, Browser

EXCHANGE = "/api/v1/auth/github/exchange-for-vsk-token"


def issued(browser: Browser, **body: Any) -> dict[str, str]:
    answer = browser.post(EXCHANGE, {"name": "laptop"} | body)
    assert answer.status == 201, answer.text
    return dict(answer.json)


def as_client(world: World, token: str) -> Any:
    headers = {"authorization": f"Bearer {token}"}
    client = Browser(world, address="198.51.100.9")
    return lambda method, target, body=None: client.send(method, target, body=body, headers=headers)


def test_somebody_signed_in_gets_a_token_that_acts_for_them(real: World) -> None:
    made = issued(Browser(real).sign_in("ada"))
    assert made["token"].startswith("vsk_")
    me = as_client(real, made["token"])("GET", "/api/v1/auth/me")
    assert (me.json["login"], me.json["role"], me.json["scopes"]) == ("ada", "USER", ["me:read", "submit"])


def test_a_client_that_signed_in_through_our_app_gets_one_without_a_browser(real: World) -> None:
    github_token = real.github.sign_in.give_token("ada")
    answer = Browser(real).send("POST", EXCHANGE, body={"name": "cli", "githubToken": github_token})
    assert (
        answer.status == 201 and as_client(real, answer.json["token"])("GET", "/api/v1/auth/me").json["login"] == "ada"
    )


def test_a_github_token_of_another_app_is_refused(real: World) -> None:
    """Whoever runs that app has such tokens of all its users; taking them would let that one in as any of them."""
    stolen = real.github.sign_in.give_token("ada", client_id="somebody-elses-app")
    assert Browser(real).send("POST", EXCHANGE, body={"name": "cli", "githubToken": stolen}).status == 401


def test_without_a_session_or_a_github_token_there_is_none(real: World) -> None:
    assert Browser(real).post(EXCHANGE, {"name": "cli"}).status == 401


@pytest.mark.parametrize(
    ("scopes", "method", "target", "status"),
    [
        (["submit"], "GET", "/api/v1/me/submissions", 403),
        (["me:read"], "GET", "/api/v1/me/submissions", 200),
        (["me:read"], "POST", "/api/v1/submissions", 403),
        (["submit"], "POST", "/api/v1/submissions", 202),
        (["submit", "me:read", "me:write"], "GET", "/api/v1/auth/tokens", 403),
    ],
)
def test_a_token_does_what_its_scopes_say(
    real: World, scopes: list[str], method: str, target: str, status: int
) -> None:
    token = issued(Browser(real).sign_in("ada"), scopes=scopes)["token"]
    body = {"repoUrl": "https://github.com/acme/tools"} if method == "POST" else None
    assert as_client(real, token)(method, target, body).status == status


def test_a_token_of_an_admin_is_no_admin(real: World) -> None:
    token = issued(Browser(real).sign_in("skillgate-admin"), scopes=["submit", "me:read", "me:write"])["token"]
    assert as_client(real, token)("GET", "/api/v1/admin/queue/health").status == 403


def test_tokens_are_listed_without_their_secret_and_end_when_revoked(real: World) -> None:
    browser = Browser(real).sign_in("ada")
    made = issued(browser)
    client = as_client(real, made["token"])
    assert client("GET", "/api/v1/auth/me").status == 200
    (listed,) = browser.get("/api/v1/auth/tokens").json["tokens"]
    assert listed["id"] == made["id"] and "token" not in listed and listed["lastUsedAt"]
    assert browser.send("DELETE", f"/api/v1/auth/tokens/{made['id']}", headers=SAME_ORIGIN).status == 200
    assert client("GET", "/api/v1/auth/me").status == 401
    assert browser.get("/api/v1/auth/tokens").json["tokens"] == []


def test_nobody_revokes_another_s_token(real: World) -> None:
    made = issued(Browser(real).sign_in("ada"))
    mallory = Browser(real).sign_in("mallory")
    assert mallory.send("DELETE", f"/api/v1/auth/tokens/{made['id']}", headers=SAME_ORIGIN).status == 404
    assert as_client(real, made["token"])("GET", "/api/v1/auth/me").status == 200


def test_an_account_has_so_many_tokens_and_no_more(real: World) -> None:
    browser = Browser(real).sign_in("ada")
    for _ in range(MAX_TOKENS):
        issued(browser)
    assert browser.post(EXCHANGE, {"name": "one more"}).code == "too_many_tokens"


def test_no_token_is_stored_in_clear(real: World) -> None:
    token = issued(Browser(real).sign_in("ada"))["token"]
    with psycopg.connect(real.database_url) as connection:
        (row,) = connection.execute("SELECT api_tokens::text FROM api_tokens").fetchall()
    assert token.removeprefix("vsk_") not in row[0]
