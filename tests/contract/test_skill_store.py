"""What every durable store of skills, of their lists and of operators' doings promises: the fake and Postgres alike."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

import pytest
from skillgate.concurrency import settle
from skillgate.domain.errors import PermanentFailure
from skillgate.domain.listing import Key, Listing, sort_key
from skillgate.domain.skill import Published
from skillgate.ports import OperatorStore, SkillStore
from skillgate.search.selection import Filters

from tests.support.backends import World
from tests.support.examples import NOON, published
from tests.support.fakes import FakeCatalogue, FakeDatabase, FakeOperatorStore, FakeSkillStore


class Lists(Protocol):
    """What of the catalogue the fake has too."""

    def page(self, filters: Filters, *, sort: str, after: Key | None, limit: int) -> Sequence[Listing]: ...
    def count(self, filters: Filters) -> int: ...


@dataclass(frozen=True)
class Stores:
    skills: SkillStore
    lists: Lists
    operators: OperatorStore


@pytest.fixture(params=["fake", "postgres"])
def stores(request: pytest.FixtureRequest) -> Stores:
    """All on one database."""
    if request.param == "fake":
        database = FakeDatabase()
        return Stores(FakeSkillStore(database), FakeCatalogue(database), FakeOperatorStore(database))
    real: World = request.getfixturevalue("real")
    return Stores(real.backend.skills, real.backend.catalogue, real.backend.operators)


@pytest.fixture
def skills(stores: Stores) -> SkillStore:
    return stores.skills


@pytest.fixture
def lists(stores: Stores) -> Lists:
    return stores.lists


@pytest.fixture
def operators(stores: Stores) -> OperatorStore:
    return stores.operators


def test_a_skill_comes_back_as_it_was_published_whatever_the_case_of_its_name(skills: SkillStore, lists: Lists) -> None:
    skill = published(version="2.1.0")
    as_it_is_now = replace(skill, created_at=NOON, updated_at=NOON)
    assert skills.publish(skill) == as_it_is_now

    assert skills.get("ACME/Tools/pdf") == as_it_is_now
    assert skills.get("acme/tools/other") is None
    assert lists.count(Filters()) == 1


def test_the_same_content_again_is_the_same_version_with_a_newer_revision(skills: SkillStore) -> None:
    first = skills.publish(published(version=""))
    again = skills.publish(published(version="7.0.0", published_at=NOON + timedelta(days=1)))

    assert (first.version, again.version) == ("1.0.0", "1.0.0")
    assert again.revision == first.revision + 1
    shown = skills.get(first.skill_id)
    assert shown is not None and shown.submission_id == first.submission_id and shown.published_at == NOON


def test_changed_content_is_a_new_version_and_a_number_is_never_used_twice(skills: SkillStore) -> None:
    versions = [
        skills.publish(published(version=declared, content_hash=letter * 64)).version
        for declared, letter in (("1.0.0", "a"), ("1.0.1", "b"), ("", "a"), ("", "c"), ("0.1", "d"), ("v3", "e"))
    ]
    assert versions == ["1.0.0", "1.0.1", "1.0.0", "1.0.2", "1.0.3", "3.0.0"]


def test_another_path_cannot_take_a_name(skills: SkillStore) -> None:
    skills.publish(published())
    with pytest.raises(PermanentFailure) as refused:
        skills.publish(published(skill_path="elsewhere/pdf/SKILL.md"))
    assert refused.value.code == "name_taken"


def test_of_many_that_publish_different_contents_at_once_each_is_a_version(skills: SkillStore, lists: Lists) -> None:
    publishers = 6
    barrier = threading.Barrier(publishers)

    def publish(number: int) -> Published:
        barrier.wait(30)
        return skills.publish(published(version="", content_hash=f"{number:064}"))

    made = [outcome.unwrap() for outcome in settle(publish, range(publishers), workers=publishers)]

    assert {skill.version for skill in made} == {f"1.0.{n}" for n in range(publishers)}
    assert {skill.revision for skill in made} == set(range(1, publishers + 1))
    assert lists.count(Filters()) == 1


def test_the_newest_skills_come_page_by_page(skills: SkillStore, lists: Lists) -> None:
    for number in range(5):
        at = NOON + timedelta(minutes=number // 2)
        skill = published(skill_id=f"acme/tools/s{number}", skill_path=f"s{number}/SKILL.md", published_at=at)
        skills.publish(skill)

    first = lists.page(Filters(), sort="updated", after=None, limit=3)
    rest = lists.page(Filters(), sort="updated", after=sort_key("updated", first[-1]), limit=3)

    assert [listing.skill_id[-2:] for listing in (*first, *rest)] == ["s4", "s3", "s2", "s1", "s0"]
    stored = [skills.get(listing.skill_id) for listing in first]
    assert first == [Listing.of(skill) for skill in stored if skill is not None]


BLOCKED_FROM = ["published", "quarantined", "blocked"]


def test_a_blocked_skill_says_why_and_stays_in_the_lists_and_a_removed_one_does_not(
    skills: SkillStore, lists: Lists
) -> None:
    before = skills.publish(published())

    [blocked] = skills.set_status(
        "blocked", "blocked", from_statuses=BLOCKED_FROM, at=NOON, reason="It steals.", threat_type="exfiltration",
        severity="high", repo_key="acme/tools",
    )  # fmt: skip

    assert (blocked.status, blocked.status_reason) == ("blocked", "It steals.")
    assert (blocked.threat_type, blocked.severity) == ("exfiltration", "high")
    assert blocked.revision == before.revision + 1 and skills.get(before.skill_id) == blocked
    assert [listing.status for listing in lists.page(Filters(), sort="updated", after=None, limit=5)] == ["blocked"]
    [removed] = skills.set_status(
        "removed", "removed", from_statuses=BLOCKED_FROM, at=NOON, reason="Asked for.", skill_id=before.skill_id
    )
    assert (removed.status, removed.threat_type) == ("removed", None)
    assert lists.count(Filters()) == 0


@pytest.mark.parametrize(
    ("scope", "hit"),
    [
        ({"skill_id": "acme/tools/s1"}, ["s1"]),
        ({"repo_key": "acme/tools"}, ["s0", "s1", "s2"]),
        ({"repo_key": "acme/tools", "skill_path": "s2/SKILL.md"}, ["s2"]),
        ({"content_hash": "b" * 64}, ["s1", "s2"]),
        ({"repo_key": "acme/others"}, []),
    ],
)
def test_a_status_changes_for_all_that_its_scope_names_and_for_nothing_else(
    skills: SkillStore, scope: dict[str, str], hit: list[str]
) -> None:
    for number, letter in enumerate("abb"):
        name = f"s{number}"
        skills.publish(
            published(skill_id=f"acme/tools/{name}", skill_path=f"{name}/SKILL.md", content_hash=letter * 64)
        )

    def set_status(status: str, *from_statuses: str) -> list[str]:
        changed = skills.set_status(status, status, from_statuses=from_statuses, at=NOON, **scope)
        return [skill.skill_id[-2:] for skill in changed]

    assert set_status("removed", "quarantined") == []
    assert set_status("removed", "published") == hit
    assert set_status("removed", "published") == [], "they are in another status by now"


def test_what_another_entry_still_names_stays_blocked(stores: Stores) -> None:
    skills, operators = stores.skills, stores.operators
    skill = skills.publish(published())
    skills.set_status("blocked", "blocked", from_statuses=BLOCKED_FROM, at=NOON, content_hash=skill.content_hash)
    path: dict[str, str | None] = {"repo_key": "acme/tools", "skill_path": skill.skill_path, "content_hash": None}
    operators.block(**path, reason="It steals.", by="ann", at=NOON, threat_type="exfiltration", severity="high")

    def unblock() -> Sequence[Published]:
        return skills.set_status(
            "published", "unblocked", from_statuses=["blocked"], at=NOON, content_hash=skill.content_hash
        )

    assert not unblock()
    assert operators.unblock(**path, at=NOON)
    assert [each.status for each in unblock()] == ["published"]


def test_new_content_brings_back_what_was_removed_and_not_what_is_blocked(skills: SkillStore) -> None:
    for status, then in (("removed", "published"), ("blocked", "blocked")):
        skill = skills.publish(published(skill_id=f"acme/tools/{status}", skill_path=f"{status}/SKILL.md"))
        skills.set_status(status, status, from_statuses=["published"], at=NOON, reason="why", skill_id=skill.skill_id)

        again = skills.publish(replace(skill, content_hash="b" * 64, version=""))

        assert (again.status, again.status_reason) == (then, "why" if then == "blocked" else None)
        shown = skills.get(skill.skill_id)
        assert shown is not None and (shown.status, shown.version) == (then, "1.0.1")


def test_the_audit_log_is_read_from_the_newest_and_by_subject(operators: OperatorStore) -> None:
    operators.record(at=NOON, actor="ann", action="requeue", subjects=["a", "b"], reason="stuck", detail={"n": 1})
    operators.record(at=NOON, actor="bob", action="pause", subjects=["queue"], reason="upgrade", detail={})

    newest = operators.audit_log(limit=2, before=None, subject=None)

    assert [(entry["actor"], entry["subject"]) for entry in newest] == [("bob", "queue"), ("ann", "b")]
    older = operators.audit_log(limit=5, before=newest[-1]["id"], subject=None)
    assert [(entry["subject"], entry["detail"]) for entry in older] == [("a", {"n": 1})]
    assert len(operators.audit_log(limit=5, before=None, subject="b")) == 1


def test_a_control_is_what_was_set_last_not_what_arrived_last(operators: OperatorStore) -> None:
    assert operators.control("queue-pause") is None
    operators.set_control("queue-pause", {"paused": True}, at=NOON + timedelta(seconds=5), by="ann")
    operators.set_control("queue-pause", {"paused": False}, at=NOON, by="bob")
    control = operators.control("queue-pause")
    assert control is not None and (control["paused"], control["updatedBy"]) == (True, "ann")
