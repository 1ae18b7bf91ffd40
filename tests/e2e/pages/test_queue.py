"""Submitting, watching and operating, in a real browser."""

from __future__ import annotations

import json

import boto3
import httpx
from playwright.sync_api import expect

from tests.e2e.conftest import RunningStack
from tests.e2e.pages.browser import Visit
from tests.e2e.pages.conftest import addresses, push

SKILL = (
    "---\nname: {name}\ndescription: Sums up a text in three sentences.\n---\n# Sum up\nSay it in three sentences.\n"
)


def test_a_submitted_repository_is_watched_until_it_is_published_without_a_reload(
    visit: Visit, stack: RunningStack
) -> None:
    push(stack, "acme-labs/summaries", {"skills/sum-up/SKILL.md": SKILL.format(name="sum-up")})
    page = visit.open("/submit")
    page.get_by_label("Repository on GitHub").fill("github.com/acme-labs/summaries")
    page.get_by_role("button", name="Find skills").click()
    expect(page.get_by_text("1 skill in acme-labs/summaries")).to_be_visible()
    page.get_by_role("button", name="Submit what is chosen").click()
    page.wait_for_url("**/submissions/*")
    page.evaluate("window.sameDocument = true")
    expect(page.locator("h1 + [data-state=PUBLISHED]")).to_be_visible(timeout=30_000)
    assert page.evaluate("window.sameDocument") is True
    page.get_by_role("link", name="Open the skill").click()
    expect(page.get_by_role("heading", name="sum-up", level=1)).to_be_visible()


def test_a_rejected_ones_findings_are_read_with_file_and_line(visit: Visit) -> None:
    page = visit.open("/queue?state=rejected&q=remote-debug")
    page.get_by_role("link", name="remote-debug", exact=True).click()
    finding = page.locator("article.finding").first
    expect(finding.get_by_text("Why it matters")).to_be_visible()
    expect(finding.get_by_text("How to fix it")).to_be_visible()
    link = finding.get_by_role("link").first
    assert "/blob/" in (link.get_attribute("href") or "") and "#L" in (link.get_attribute("href") or "")


def test_the_queue_is_filtered_by_its_cards_and_searched_while_typing(visit: Visit) -> None:
    page = visit.open("/queue")
    page.get_by_role("link", name="Published").click()
    page.wait_for_url("**/queue?state=published")
    page.get_by_label("Search submissions").press_sequentially("csv")
    page.wait_for_url("**/queue?state=published&q=csv")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.go_back()
    page.wait_for_url("**/queue?state=published")
    expect(page.get_by_label("Search submissions")).to_have_value("")


def test_polling_goes_on_where_the_stream_fails(visit: Visit, stack: RunningStack) -> None:
    visit.page.route("**/api/v1/submissions/stream*", lambda route: route.fulfill(status=503, body=""))
    push(stack, "acme-labs/polled", {"SKILL.md": SKILL.format(name="polled")})
    page = visit.open("/queue?q=acme-labs/polled")
    expect(page.get_by_text("asking every 5 s")).to_be_visible()
    body = {"repoUrl": "https://github.com/acme-labs/polled"}
    httpx.post(f"{stack.address}/api/v1/submissions", json=body, timeout=30).raise_for_status()
    expect(page.locator("[data-state=PUBLISHED]")).to_be_visible(timeout=40_000)
    visit.errors.clear()  # the browser logs the answer 503, which is what this test is about


def test_an_operator_signs_in_and_approves_one_in_review(operator: Visit, stack: RunningStack) -> None:
    page = operator.open("/admin/review")
    page.get_by_label("big-atlas").check()
    page.get_by_label("Reason").fill("The large file is a map, and was looked at by hand.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Done: 1.")).to_be_visible()
    operator.open("/queue?q=big-atlas")
    expect(page.locator("[data-state=PUBLISHED]")).to_be_visible(timeout=30_000)
    operator.open("/admin/audit")
    expect(page.get_by_text("The large file is a map, and was looked at by hand.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="github:skillgate-admin").first).to_be_visible()


def test_an_operator_redrives_a_dead_letter(operator: Visit, stack: RunningStack) -> None:
    endpoint = addresses(stack)["sqs"]
    sqs = boto3.client(
        "sqs", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    (dead,) = [url for url in sqs.list_queues()["QueueUrls"] if "SubmissionsDeadLetters" in url]
    row = httpx.get(f"{stack.address}/api/v1/submissions", params={"limit": "1"}, timeout=30).json()["submissions"][0]
    sqs.send_message(QueueUrl=dead, MessageBody=json.dumps({"submissionId": row["id"]}))
    page = operator.open("/admin/dead-letters")
    expect(page.get_by_role("link", name=row["id"][:13])).to_be_visible()
    page.get_by_label("Reason").fill("The cause was mended.")
    page.get_by_role("button", name="Redrive all").click()
    expect(page.get_by_text("Done: 1.")).to_be_visible()
    sqs.close()


def test_nobody_without_a_role_gets_to_the_operators_pages(visit: Visit) -> None:
    page = visit.open("/admin")
    expect(page.get_by_role("heading", name="Please sign in")).to_be_visible()
    expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
    visit.errors.clear()  # the browser logs the answer 401
