"""Signing in, staying signed in and signing out, with the stand-in for GitHub and real stores."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import psycopg
import pytest
from skillgate.ports import GitHubUser

from tests.support.backends import Servers, World, world
from tests.support.browser import REFRESH, SESSION, TICKET, Browser


@pytest.mark.parametrize(
    ("login", "role"), [("ada", "USER"), ("skillgate-reviewer", "REVIEWER"), ("Skillgate-Admin", "SUPER_ADMIN")]
)
def test_who_signs_in_gets_the_role_that_the_configuration_says(real: World, login: str, role: str) -> None:
    me = Browser(real).sign_in(login).get("/api/v1/auth/me")
    assert me.status == 200 and (me.json["login"], me.json["role"]) == (login, role)


def test_nobody_is_nobody(real: World) -> None:
    assert Browser(real).get("/api/v1/auth/me").status == 401


def test_the_cookies_are_out_of_reach_of_scripts_other_hosts_and_plain_http(real: World) -> None:
    browser = Browser(real)
    answer = browser.get(browser.at_github("ada"))
    session, refresh, ticket = answer.cookies
    for cookie in answer.cookies:
        assert "HttpOnly" in cookie and "Secure" in cookie and "Domain" not in cookie
    assert session.startswith(f"{SESSION}=") and "Path=/;" in session and "SameSite=Lax" in session
    assert refresh.startswith(f"{REFRESH}=") and "Path=/api/v1/auth;" in refresh and "SameSite=Strict" in refresh
    assert ticket.startswith(f"{TICKET}=;") and "Max-Age=0" in ticket
    assert answer.headers["cache-control"] == "no-store"


def test_after_signing_in_the_browser_goes_where_it_wanted(real: World) -> None:
    browser = Browser(real)
    assert (
        browser.get(browser.at_github("ada", return_to="/submissions/7%3Fa%3D1")).headers["location"]
        == "/submissions/7?a=1"
    )


def test_the_same_person_keeps_the_account_when_the_login_s_case_changes(real: World) -> None:
    first = Browser(real).sign_in("ada").get("/api/v1/auth/me").json["accountId"]
    assert Browser(real).sign_in("Ada").get("/api/v1/auth/me").json["accountId"] == first


def test_an_access_token_ends_and_the_refresh_token_brings_the_next(servers: Servers) -> None:
    with world(servers) as made:
        now = made.backend.now()
        browser = Browser(made).sign_in("ada")
        old = dict(browser.cookies)
        _set_clock(made, now + timedelta(seconds=made.settings.access_token_seconds + 1))
        browser = Browser(made, cookies=dict(old))
        assert browser.get("/api/v1/auth/me").status == 401
        refreshed = browser.post("/api/v1/auth/refresh")
        assert refreshed.status == 200 and refreshed.json["login"] == "ada"
        assert browser.cookies[REFRESH] != old[REFRESH]
        assert browser.get("/api/v1/auth/me").status == 200


def test_everybody_signs_in_anew_after_the_configured_days_however_often_they_refresh(servers: Servers) -> None:
    with world(servers, session_days=2) as made:
        now = made.backend.now()
        cookies = dict(Browser(made).sign_in("ada").cookies)
        _set_clock(made, now + timedelta(days=1))
        browser = Browser(made, cookies=cookies)
        assert browser.post("/api/v1/auth/refresh").status == 200
        _set_clock(made, now + timedelta(days=2, seconds=1))
        assert Browser(made, cookies=browser.cookies).post("/api/v1/auth/refresh").code == "session_ended"


def test_signing_out_ends_the_session_on_the_server_too(real: World) -> None:
    browser = Browser(real).sign_in("ada")
    kept = dict(browser.cookies)
    assert browser.post("/api/v1/auth/logout").status == 200
    assert browser.cookies == {}
    assert Browser(real, cookies=kept).post("/api/v1/auth/refresh").status == 401


def test_signing_out_everywhere_ends_every_session_of_the_account_and_nobody_else_s(real: World) -> None:
    phone, laptop, other = (Browser(real).sign_in(login) for login in ("ada", "ada", "grace"))
    assert phone.post("/api/v1/auth/sign-out-all").json["sessionsEnded"] == 2
    assert laptop.post("/api/v1/auth/refresh").status == 401
    assert other.post("/api/v1/auth/refresh").status == 200


def test_no_refresh_token_is_stored_in_clear(real: World) -> None:
    browser = Browser(real).sign_in("ada")
    with psycopg.connect(real.database_url) as connection:
        rows = connection.execute("SELECT token_hash FROM sessions").fetchall()
    assert rows and all(browser.cookies[REFRESH] not in row[0] for row in rows)


def test_a_login_that_changed_hands_takes_the_rights_along(real: World) -> None:
    """The one who had it before keeps the account, without the name, and has to sign in again."""
    before = Browser(real).sign_in("ada")
    taken = real.backend.accounts.sign_in(GitHubUser(4711, "ada"), real.backend.now())
    assert taken.id != before.get("/api/v1/auth/me").json["accountId"]
    assert before.post("/api/v1/auth/refresh").status == 401


def _set_clock(made: World, at: datetime) -> None:
    made.backend = replace(made.backend, now=lambda: at)
