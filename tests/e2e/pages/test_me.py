"""An author's own page, in a real browser."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.e2e.conftest import RunningStack
from tests.e2e.pages.browser import Visit
from tests.e2e.pages.conftest import publish

SKILL = "---\nname: {0}\ndescription: Sums up a text in {1}.\n---\n# Sum up\nSay it in {1}.\n"


def test_an_author_has_a_skill_scanned_again_and_withdraws_it(author: Visit, stack: RunningStack) -> None:
    publish(stack, "acme-labs/own-page", {"SKILL.md": SKILL.format("own-page", "two sentences")})
    page = author.open("/")
    page.get_by_role("banner").get_by_role("link", name="acme-labs").click()
    expect(page.get_by_role("heading", name="Yours")).to_be_visible()
    row = page.locator("[data-skill='acme-labs/own-page/own-page']")
    expect(row.get_by_text("Published")).to_be_visible()

    row.get_by_role("button", name="Scan again").click()
    page.wait_for_url("**/submissions/*")
    expect(page.locator("h1 + [data-state=PUBLISHED]")).to_be_visible(timeout=30_000)
    again = page.url.rpartition("/")[2]

    author.open("/me")
    expect(page.locator(f"[data-submission='{again}'] [data-state=PUBLISHED]")).to_be_visible()
    row.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("It was withdrawn.")).to_be_visible()
    expect(row.locator(".chip")).to_have_text("Withdrawn")
    expect(row.get_by_role("button", name="Withdraw")).to_have_count(0)
    assert httpx.get(f"{stack.address}/api/v1/skills/acme-labs/own-page/own-page", timeout=30).status_code == 410


def test_an_author_revokes_a_token(author: Visit, stack: RunningStack) -> None:
    made = author.page.request.post(
        f"{stack.address}/api/v1/auth/github/exchange-for-vsk-token",
        data={"name": "laptop"},
        headers={"Origin": stack.address, "Sec-Fetch-Site": "same-origin"},
    )
    assert made.status == 201, made.text()
    token = {"Authorization": f"Bearer {made.json()['token']}"}
    mine = f"{stack.address}/api/v1/me/submissions"
    assert httpx.get(mine, headers=token, timeout=30).status_code == 200

    page = author.open("/me")
    page.get_by_role("button", name="Revoke: laptop").click()
    expect(page.get_by_text(re.compile("The token was revoked"))).to_be_visible()
    expect(page.get_by_role("button", name="Revoke: laptop")).to_have_count(0)
    assert httpx.get(mine, headers=token, timeout=30).status_code == 401


def test_who_has_not_signed_in_is_asked_to(visit: Visit) -> None:
    page = visit.open("/me")
    expect(page.get_by_role("heading", name="Please sign in")).to_be_visible()
    visit.errors.clear()  # the browser logs the answer 401
