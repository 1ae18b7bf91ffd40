"""An author's own page on real stores: what it shows, what its forms do, and whose forms they are not."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from tests.support.backends import World
from tests.support.browser import Browser, Reply
from tests.support.queue import drain

SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"
FORM = {"content-type": "application/x-www-form-urlencoded"}
SKILL_ID = "ada/tools/tools"


@pytest.fixture
def ada(real: World) -> Browser:
    """The owner of a repository whose skill is published."""
    real.github.put_repository("ada", "tools", {"SKILL.md": SKILL})
    browser = Browser(real).sign_in("ada")
    submit(browser, "https://github.com/ada/tools")
    drain(real)
    return browser


def submit(browser: Browser, url: str) -> str:
    return str(browser.post("/api/v1/submissions", {"repoUrl": url}).json["id"])


def send(browser: Browser, path: str, headers: dict[str, str] | None = None, **fields: str) -> Reply:
    return browser.post(path, raw=urlencode(fields), headers=FORM | (headers or {}))


def test_the_page_shows_what_is_ones_own_and_nothing_of_others(real: World, ada: Browser) -> None:
    grace = Browser(real).sign_in("grace")
    hers = submit(grace, "https://github.com/grace/tools")
    ada.post("/api/v1/auth/github/exchange-for-vsk-token", {"name": "laptop <b>"})

    page = ada.get("/me")

    assert page.status == 200 and page.headers["cache-control"] == "no-store"
    assert SKILL_ID in page.text and "laptop &lt;b&gt;" in page.text and hers not in page.text
    assert SKILL_ID not in grace.get("/me").text and hers in grace.get("/me").text
    assert Browser(real).get("/me").status == 401


def test_forms_withdraw_and_rescan_and_say_where_to_look(real: World, ada: Browser) -> None:
    again = send(ada, "/me/skills", id=SKILL_ID, action="rescan")
    assert again.status == 303 and again.headers["location"].startswith("/submissions/")
    opened = again.headers["location"].rpartition("/")[2]
    assert send(ada, "/me/submissions", id=opened, action="withdraw").headers["location"] == "/me?done=withdrawn"
    assert ada.get(f"/api/v1/submissions/{opened}").json["state"] == "DEQUEUED"

    rescanned = send(ada, "/me/submissions", id=opened, action="rescan").headers["location"]
    assert rescanned.startswith("/submissions/") and not rescanned.endswith(opened)
    assert send(ada, "/me/skills", id=SKILL_ID, action="withdraw").status == 303
    assert ada.get(f"/api/v1/skills/{SKILL_ID}").status == 410
    assert send(ada, "/me/skills", id=SKILL_ID, action="delete").status == 400


def test_a_token_is_revoked_by_its_owner_alone(real: World, ada: Browser) -> None:
    made = ada.post("/api/v1/auth/github/exchange-for-vsk-token", {"name": "laptop"}).json
    mallory = Browser(real).sign_in("mallory")
    assert send(mallory, "/me/tokens", id=made["id"]).status == 404
    assert len(ada.get("/api/v1/auth/tokens").json["tokens"]) == 1
    assert send(ada, "/me/tokens", id=made["id"]).headers["location"] == "/me?done=revoked"
    assert ada.get("/api/v1/auth/tokens").json["tokens"] == []


@pytest.mark.parametrize("path", ["/me/skills", "/me/submissions", "/me/tokens"])
def test_forms_of_other_sites_and_other_people_change_nothing(real: World, ada: Browser, path: str) -> None:
    made = ada.post("/api/v1/auth/github/exchange-for-vsk-token", {"name": "laptop"}).json["id"]
    sent = ada.get("/api/v1/me/submissions").json["submissions"][0]["id"]
    fields = {"id": {"/me/skills": SKILL_ID, "/me/submissions": sent, "/me/tokens": made}[path], "action": "withdraw"}

    from_elsewhere = {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}
    assert send(ada, path, from_elsewhere, **fields).status == 403
    assert send(Browser(real), path, **fields).status == 401
    assert send(Browser(real).sign_in("mallory"), path, **fields).status in (403, 404)

    assert ada.get(f"/api/v1/skills/{SKILL_ID}").status == 200
    assert len(ada.get("/api/v1/auth/tokens").json["tokens"]) == 1
