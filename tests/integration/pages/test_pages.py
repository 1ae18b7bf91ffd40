"""The pages on real stores, asked as the gateway asks: statuses, headers, forms, feeds and hostile content."""

from __future__ import annotations

import base64
import gzip
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from skillgate.domain.principal import Role
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State
from skillgate.ports import ListQuery
from skillgate.services import blocklist
from skillgate.services.operate import Operator
from skillgate.services.submit import Request, create_submission
from web_pages.pages import build_pages
from web_pages.site import POLICY, Site

from tests.support.backends import INTERNAL_KEY, World
from tests.support.queue import drain

SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"
KEY = {"x-internal-key": INTERNAL_KEY}
OWN = {"origin": "https://skills.example", "host": "skills.example", "sec-fetch-site": "same-origin"}


@pytest.fixture
def site(real: World) -> Site:
    return build_pages(real.backend)


def ask(
    site: Site, path: str, query: str = "", *, form: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    method = "GET" if form is None else "POST"
    event = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": "skills.example", **(headers or {})},
        "requestContext": {
            "domainName": "skills.example",
            "stage": "$default",
            "http": {"method": method, "path": path, "sourceIp": "203.0.113.7"},
        },
        "body": urlencode(form, doseq=True) if form is not None else None,
    }
    return site.handle(event, SimpleNamespace(aws_request_id="request-1"))  # type: ignore[arg-type]


def publish(real: World, name: str = "pdf", text: str = SKILL) -> None:
    real.github.put_repository("acme", "tools", {f"skills/{name}/SKILL.md": text})
    create_submission(real.backend, Request(RepoUrl("acme", "tools"), f"skills/{name}/SKILL.md"))
    drain(real)


def test_a_published_skill_is_on_every_page_that_lists(real: World, site: Site) -> None:
    publish(real)
    for path, query in (
        ("/", "tab=updated"),
        ("/", "q=pdf"),
        ("/skills/acme/tools/pdf", ""),
        ("/skills/acme/tools/pdf/security", ""),
        ("/repos/acme/tools", ""),
        ("/queue", "state=published"),
        ("/feed.xml", ""),
        ("/sitemap.xml", ""),
    ):
        answer = ask(site, path, query)
        assert answer["statusCode"] == 200, (path, answer["body"][:500])
        assert "pdf" in answer["body"], path


def test_every_page_has_a_strict_policy_and_the_security_headers(site: Site) -> None:
    for path in ("/", "/queue", "/nothing/here", "/admin"):
        headers = ask(site, path)["headers"]
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff" and headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing/here", 404, "There is nothing here"),
        ("/skills/a/b/c", 404, "There is no skill with this name."),
        ("/submissions/not-an-id", 404, "There is no submission with this id."),
        ("/repos/a/b", 404, "No skill of this repository is listed."),
        ("/admin", 401, "Please sign in"),
        ("/static/none.css", 404, "There is no such file."),
    ],
)
def test_errors_are_pages_with_their_status(site: Site, path: str, status: int, words: str) -> None:
    answer = ask(site, path)
    assert answer["statusCode"] == status and words in answer["body"] and "request-1" in answer["body"]


def test_a_removed_skill_is_gone_with_its_reason_and_a_blocked_one_is_a_tombstone(real: World, site: Site) -> None:
    publish(real)
    operator = Operator("test", "It reads more than it says.")
    blocklist.block(real.backend, operator, repo=RepoUrl("acme", "tools"))
    answer = ask(site, "/skills/acme/tools/pdf")
    assert "It reads more than it says." in answer["body"] and "npx skills add" not in answer["body"]
    assert "It reads more than it says." in ask(site, "/blocklist")["body"]
    blocklist.unblock(real.backend, operator, repo=RepoUrl("acme", "tools"))
    blocklist.remove(real.backend, Operator("test", "Its author asked for it."), "acme/tools/pdf")
    gone = ask(site, "/skills/acme/tools/pdf")
    assert gone["statusCode"] == 410 and "Its author asked for it." in gone["body"]


def test_too_many_calls_get_a_page_that_says_when_to_come_back(real: World) -> None:
    few = real.backend.settings.model_copy(update={"limit_reads": 1})
    site = build_pages(SimpleNamespace(**vars(real.backend) | {"settings": few}))  # type: ignore[arg-type]
    ask(site, "/robots.txt")
    answer = ask(site, "/robots.txt")
    assert answer["statusCode"] == 429 and answer["headers"]["retry-after"]
    assert "A little slower, please" in answer["body"]


def test_an_unknown_parameter_and_bad_values_in_the_address_do_no_harm(site: Site) -> None:
    for query in ("utm_source=x", "tab=bogus&scripts=maybe&page=x", "q=%27%25_%22", "state=NOPE&page=999999999999"):
        assert ask(site, "/", query)["statusCode"] == 200
        assert ask(site, "/queue", query)["statusCode"] == 200


def test_a_repository_is_looked_into_chosen_from_and_submitted(real: World, site: Site) -> None:
    real.github.put_repository("acme", "kit", {"a/SKILL.md": SKILL, "b/SKILL.md": SKILL})
    found = ask(site, "/submit", "repo=acme%2Fkit")
    assert "2 skills in" in found["body"] and "New" in found["body"]
    answer = ask(site, "/submit", form={"repo": "https://github.com/acme/kit", "path": ["a/SKILL.md"]}, headers=OWN)
    assert answer["statusCode"] == 303 and answer["headers"]["location"].startswith("/submissions/")
    assert "Pending" in ask(site, "/submit", "repo=acme%2Fkit")["body"]
    drain(real)
    assert "Verified" in ask(site, "/submit", "repo=acme%2Fkit")["body"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "https://skills.example", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused_and_leaves_nothing(
    real: World, site: Site, headers: dict[str, str]
) -> None:
    form = {"repo": "https://github.com/acme/kit", "path": ["a/SKILL.md"]}
    assert ask(site, "/submit", form=form, headers=headers)["statusCode"] == 403
    for path in ("/admin/queue", "/admin/review", "/admin/stuck", "/admin/dead-letters", "/admin/blocklist"):
        refused = ask(site, path, form={"reason": "because", "action": "pause"}, headers=headers | KEY)
        assert refused["statusCode"] == 403, path
    assert real.backend.store.page(ListQuery()).total == 0


def test_operators_pages_need_the_role_that_they_name(site: Site) -> None:
    protected = [route for route in site.routes if str(route.path).startswith("/admin")]
    assert len(protected) > 12
    for route in protected:
        requirement = site.security_of(route)
        assert requirement is not None and {} not in requirement
        assert all(Role.USER not in roles for each in requirement for roles in each.values())


def test_a_decision_needs_a_reason_and_something_to_decide(real: World, site: Site) -> None:
    publish(real)
    listed = real.backend.store.page(ListQuery(states=(State.PUBLISHED,))).rows
    assert (
        ask(site, "/admin/review", form={"id": listed[0].id, "action": "approve"}, headers=KEY | OWN)["statusCode"]
        == 400
    )
    form = {"id": listed[0].id, "action": "approve", "reason": "Looked at it."}
    answer = ask(site, "/admin/review", form=form, headers=KEY | OWN)
    assert answer["headers"]["location"] == "/admin/review?failed=1", "what is published cannot be approved"


def test_hostile_names_and_texts_are_escaped_on_every_page(real: World, site: Site) -> None:
    attack = "<script>alert(1)</script>"
    publish(real, text=f"---\nname: '{attack}'\ndescription: '{attack} says hello to people'\n---\n# Hi {attack}\n")
    for path in ("/", "/skills/acme/tools/pdf", "/skills/acme/tools/pdf/security", "/repos/acme/tools", "/feed.xml"):
        body = ask(site, path, "q=tools" if path == "/" else "")["body"]
        assert "alert(1)" in body and "<script>alert" not in body, path
    assert "<script>alert" not in ask(site, "/", f"q={attack}")["body"]


def test_the_feed_and_the_sitemap_are_well_formed(real: World, site: Site) -> None:
    publish(real, text=SKILL.replace("name: pdf", "name: 'a & b <c>'"))
    feed = ElementTree.fromstring(ask(site, "/feed.xml")["body"])
    assert "a & b <c>" in [title.text for title in feed.iter("title")]
    ElementTree.fromstring(ask(site, "/sitemap.xml")["body"])
    robots = ask(site, "/robots.txt")["body"]
    assert "Disallow: /admin" in robots and "Sitemap: https://skills.example/sitemap.xml" in robots


def test_pages_are_compressed_for_who_can_read_that(site: Site) -> None:
    plain = ask(site, "/")
    packed = ask(site, "/", headers={"accept-encoding": "br, gzip"})
    assert packed["headers"]["content-encoding"] == "gzip" and packed["isBase64Encoded"] is True
    unpacked = gzip.decompress(base64.b64decode(packed["body"])).decode()
    assert unpacked.partition("<main")[0] == plain["body"].partition("<main")[0]


def test_a_days_answers_are_counted_hour_by_hour_and_empty_hours_are_there(real: World, site: Site) -> None:
    publish(real)
    hours = real.backend.charts.answered_by_hour(real.backend.now(), 24)
    assert len(hours) == 24 and sum(hour.answers for hour in hours) == 1
    assert hours[0].answers == 0 and hours[0].median_seconds is None
    answer = ask(site, "/admin", headers=KEY)
    assert answer["statusCode"] == 200 and answer["headers"]["cache-control"] == "no-store"
    assert answer["body"].count('class="series"') == 48
