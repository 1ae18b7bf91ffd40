"""What authors see and do of their own, and what they cannot do to others."""

from __future__ import annotations

from skillgate.domain.repo_url import RepoUrl
from skillgate.services.marketplace import SkillQuery, get_skills
from skillgate.services.published_index import build_index
from skillgate.services.submit import Request, create_submission

from tests.support.backends import World
from tests.support.browser import KEY, Browser
from tests.support.outage import without_postgres
from tests.support.queue import drain

SKILL = "---\nname: pdf\ndescription: Reads PDF files and tells what is in them.\n---\n# PDF\nSum the file up.\n"
URL = "https://github.com/ada/tools"


def submitted(browser: Browser, url: str = URL) -> str:
    answer = browser.post("/api/v1/submissions", {"repoUrl": url})
    assert answer.status == 202, answer.text
    return str(answer.json["id"])


def published(real: World) -> Browser:
    real.github.put_repository("ada", "tools", {"SKILL.md": SKILL})
    browser = Browser(real).sign_in("ada")
    submitted(browser)
    drain(real)
    return browser


def test_an_author_sees_what_they_sent_and_what_others_sent_of_their_repositories(real: World) -> None:
    ada, grace = Browser(real).sign_in("ada"), Browser(real).sign_in("grace")
    own = submitted(ada, "https://github.com/someone/else")
    by_crawler = create_submission(real.backend, Request(RepoUrl("Ada", "found"), "SKILL.md", source="crawler"))
    submitted(grace, "https://github.com/grace/tools")
    assert by_crawler.submission is not None
    page = ada.get("/api/v1/me/submissions").json
    assert [row["id"] for row in page["submissions"]] == [by_crawler.submission.id, own]
    first = ada.get("/api/v1/me/submissions?limit=1").json
    second = ada.get(f"/api/v1/me/submissions?limit=1&cursor={first['nextCursor']}").json
    assert [row["id"] for row in first["submissions"] + second["submissions"]] == [by_crawler.submission.id, own]
    assert second["nextCursor"] is None


def test_an_author_withdraws_a_submission_and_can_submit_again(real: World) -> None:
    ada = Browser(real).sign_in("ada")
    id_ = submitted(ada)
    answer = ada.post(f"/api/v1/me/submissions/{id_}/withdraw", {"reason": "Not ready yet."})
    assert (answer.json["state"], answer.json["reasonCode"]) == ("DEQUEUED", "withdrawn_by_author")
    story = ada.get(f"/api/v1/submissions/{id_}").json
    assert story["events"][-1]["actor"] == "github:ada" and story["reason"] == "Not ready yet."
    assert ada.post(f"/api/v1/me/submissions/{id_}/withdraw", {}).code == "already_answered"
    submitted(ada)


def test_nobody_withdraws_what_is_not_theirs(real: World) -> None:
    id_ = submitted(Browser(real).sign_in("ada"))
    mallory = Browser(real).sign_in("mallory")
    assert mallory.post(f"/api/v1/me/submissions/{id_}/withdraw", {}).code == "not_yours"
    assert mallory.post(f"/api/v1/me/submissions/{id_}/rescan").code == "not_yours"
    assert mallory.get(f"/api/v1/submissions/{id_}").json["state"] == "RECEIVED"


def test_submitting_a_repository_gives_no_say_over_its_skill(real: World) -> None:
    real.github.put_repository("ada", "tools", {"SKILL.md": SKILL})
    mallory = Browser(real).sign_in("mallory")
    submitted(mallory)
    drain(real)
    assert mallory.get("/api/v1/me/skills").json["skills"] == []
    assert mallory.post("/api/v1/me/skills/ada/tools/tools/withdraw", {}).code == "not_yours"


def test_a_skill_that_was_taken_out_is_not_found_through_an_older_index_either(real: World) -> None:
    ada = published(real)
    build_index(real.backend)
    ada.post("/api/v1/me/skills/ada/tools/tools/withdraw", {"reason": "Superseded."})
    away = without_postgres(real.backend)
    assert "ada/tools/tools" not in {each.skill_id for each in get_skills(away, SkillQuery(limit=200)).skills}


def test_an_author_takes_a_skill_out_and_a_new_scan_brings_it_back(real: World) -> None:
    ada = published(real)
    before = ada.get("/api/v1/skills").json["total"]
    (skill,) = ada.get("/api/v1/me/skills").json["skills"]
    assert (skill["id"], skill["status"]) == ("ada/tools/tools", "published")
    assert ada.post("/api/v1/me/skills/ada/tools/tools/withdraw", {"reason": "Superseded."}).status == 200
    gone = ada.get("/api/v1/skills/ada/tools/tools")
    assert (gone.status, gone.code) == (410, "skill_removed") and "Superseded." in gone.json["detail"]
    assert ada.get("/api/v1/skills").json["total"] == before - 1
    assert ada.post("/api/v1/me/skills/ada/tools/tools/withdraw", {}).code == "already_removed"
    assert ada.post("/api/v1/me/skills/ada/tools/tools/rescan").status == 202
    drain(real)
    assert ada.get("/api/v1/skills/ada/tools/tools").status == 200


def test_a_rescan_is_a_submission_of_its_own_also_of_content_that_has_not_changed(real: World) -> None:
    ada = published(real)
    answer = ada.post("/api/v1/me/skills/ada/tools/tools/rescan")
    assert (answer.status, answer.json["outcome"]) == (202, "created")
    again = ada.post("/api/v1/me/skills/ada/tools/tools/rescan")
    assert (again.status, again.json["outcome"], again.json["id"]) == (200, "duplicate", answer.json["id"])
    drain(real)
    assert ada.get(f"/api/v1/submissions/{answer.json['id']}").json["state"] == "PUBLISHED"


def test_an_internal_key_owns_nothing(real: World) -> None:
    assert Browser(real).get("/api/v1/me/submissions", headers=KEY).status == 403
