"""A confirmed critical takes a version out of the marketplace; an operator can bring it back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from skillgate.domain.external_scan import Scanner
from skillgate.domain.listing import SEED_TIER
from skillgate.search.warm import WarmIndex
from skillgate.services.marketplace import SkillQuery, get_skills
from skillgate.services.published_index import build_index
from skillgate.services.search import Search, search_skills

from tests.support.external_scans import SKILL, SKILL_ID, Scans, completed, finding
from tests.support.outage import without_postgres


@pytest.fixture
def quarantined(scans: Scans) -> Scans:
    published = scans.publish()
    scans.dispatch()
    scans.report(completed(scans.scan(published), [finding("critical", confirmed=True)]), "msg_first")
    return scans


def listed(scans: Scans) -> list[str]:
    page = get_skills(scans.backend, SkillQuery(limit=200))
    return [skill.skill_id for skill in page.skills if skill.cert_tier != SEED_TIER]


def restore(scans: Scans, **body: Any) -> Any:
    content = json.dumps({"skillId": SKILL_ID, "reason": "a false alarm", **body}).encode()
    return scans.call("POST", "/api/v1/admin/external-scans/restore", content)


def changes(scans: Scans) -> list[str]:
    import psycopg

    with psycopg.connect(scans.world.database_url) as connection:
        return [row[0] for row in connection.execute("SELECT kind FROM changes ORDER BY seq")]


def test_a_confirmed_critical_leaves_the_list_and_the_page_says_why(quarantined: Scans) -> None:
    assert listed(quarantined) == []
    shown = quarantined.security()
    assert (shown["status"], shown["installable"]) == ("quarantined", False)
    assert "semgrep confirmed shell-from-input in skills/pdf/run.py:3" in shown["statusReason"]
    copy = quarantined.backend.live.get_skill(SKILL_ID)
    assert copy is not None and (copy.status, copy.status_reason) == ("quarantined", shown["statusReason"])
    assert changes(quarantined) == ["published", "quarantined"]


def offered_without_postgres(scans: Scans) -> list[str]:
    """What a function that has just started offers for installing, from the KV and from the index."""
    kv = scans.backend.kv_skills
    fresh = WarmIndex(scans.backend.index.pointer, scans.backend.index.read, kv.overrides, scans.backend.now)
    away = without_postgres(replace(scans.backend, warm=fresh))
    page = get_skills(away, SkillQuery(limit=200))
    found = search_skills(away, Search("pdf"))
    assert page.provenance.degraded and found.provenance.source == "index"
    listings = [*page.skills, *(hit.listing for hit in found.hits)]
    return sorted({each.skill_id for each in listings if each.installable and each.skill_id == SKILL_ID})


def test_what_is_quarantined_is_not_offered_when_postgres_is_away(scans: Scans) -> None:
    published = scans.publish()
    build_index(scans.backend)
    scans.dispatch()
    assert offered_without_postgres(scans) == [SKILL_ID]

    scans.report(completed(scans.scan(published), [finding("critical", confirmed=True)]))

    assert offered_without_postgres(scans) == []
    assert restore(scans).status == 200
    assert offered_without_postgres(scans) == [SKILL_ID]


@pytest.mark.parametrize(("severity", "confirmed"), [("critical", False), ("high", True)])
def test_less_than_a_confirmed_critical_does_not_quarantine(scans: Scans, severity: str, confirmed: bool) -> None:
    published = scans.publish()
    scans.dispatch()

    scans.report(completed(scans.scan(published), [finding(severity, confirmed=confirmed)]))

    assert listed(scans) == [SKILL_ID]


def test_an_operator_restores_it_with_a_reason_that_is_in_the_audit_log(quarantined: Scans) -> None:
    assert restore(quarantined).status == 200

    assert listed(quarantined) == [SKILL_ID]
    shown = quarantined.security()
    assert (shown["status"], shown["statusReason"], shown["installable"]) == ("published", None, True)
    copy = quarantined.backend.live.get_skill(SKILL_ID)
    assert copy is not None and copy.status == "published"
    entry = quarantined.call("GET", "/api/v1/admin/audit-log").body["entries"][0]
    assert (entry["action"], entry["subject"], entry["reason"]) == ("restore", SKILL_ID, "a false alarm")
    assert changes(quarantined) == ["published", "quarantined", "restored"]


def test_what_is_not_quarantined_cannot_be_restored(quarantined: Scans) -> None:
    restore(quarantined)

    assert (restore(quarantined).status, restore(quarantined).body["code"]) == (409, "not_quarantined")
    assert restore(quarantined, skillId="acme/tools/nope").status == 404
    assert restore(quarantined, reason="").status == 400


def test_new_content_is_published_without_the_old_quarantine(quarantined: Scans) -> None:
    fixed = quarantined.publish(SKILL + "\nThe weakness is gone.\n")

    assert (fixed.status, fixed.status_reason) == ("published", None)
    assert listed(quarantined) == [SKILL_ID]
    copy = quarantined.backend.live.get_skill(SKILL_ID)
    assert copy is not None and copy.status == "published"


def test_publishing_quarantined_content_again_does_not_free_it(quarantined: Scans) -> None:
    published = quarantined.backend.skills.get(SKILL_ID)
    assert published is not None

    again = quarantined.backend.skills.publish(published)
    quarantined.backend.live.put_skill(again, synced=True)

    assert again.revision > published.revision
    assert again.status == "quarantined" and listed(quarantined) == []
    copy = quarantined.backend.live.get_skill(SKILL_ID)
    assert copy is not None and copy.status == "quarantined"


def test_going_back_to_quarantined_content_is_quarantined_again(quarantined: Scans) -> None:
    quarantined.publish(SKILL + "\nThe weakness is gone.\n")

    back = quarantined.publish(SKILL)

    assert back.status == "quarantined" and "semgrep confirmed" in (back.status_reason or "")


def test_another_scanner_that_confirms_a_critical_after_a_restore_quarantines_again(quarantined: Scans) -> None:
    published = quarantined.backend.skills.get(SKILL_ID)
    assert published is not None
    restore(quarantined)

    scan = quarantined.scan(published, Scanner.TRUFFLEHOG)
    quarantined.report(completed(scan, [finding("critical", confirmed=True, rule="trufflehog-aws")]), "msg_second")

    assert listed(quarantined) == []
