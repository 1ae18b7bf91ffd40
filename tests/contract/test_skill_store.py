"""What every durable store of skills and of operators' doings promises: the fake and Postgres alike."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from skillgate.concurrency import settle
from skillgate.domain.errors import PermanentFailure
from skillgate.domain.skill import Published
from skillgate.ports import OperatorStore, SkillStore

from tests.support.backends import World
from tests.support.examples import NOON, published
from tests.support.fakes import FakeOperatorStore, FakeSkillStore


@pytest.fixture(params=["fake", "postgres"])
def skills(request: pytest.FixtureRequest) -> SkillStore:
    if request.param == "fake":
        return FakeSkillStore()
    real: World = request.getfixturevalue("real")
    return real.backend.skills


@pytest.fixture(params=["fake", "postgres"])
def operators(request: pytest.FixtureRequest) -> OperatorStore:
    if request.param == "fake":
        return FakeOperatorStore()
    real: World = request.getfixturevalue("real")
    return real.backend.operators


def test_a_skill_comes_back_as_it_was_published_whatever_the_case_of_its_name(skills: SkillStore) -> None:
    skill = published(version="2.1.0")
    assert skills.publish(skill) == skill

    assert skills.get("ACME/Tools/pdf") == replace(skill, created_at=NOON, updated_at=NOON)
    assert skills.get("acme/tools/other") is None
    assert skills.count() == 1


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


def test_of_many_that_publish_different_contents_at_once_each_is_a_version(skills: SkillStore) -> None:
    publishers = 6
    barrier = threading.Barrier(publishers)

    def publish(number: int) -> Published:
        barrier.wait(30)
        return skills.publish(published(version="", content_hash=f"{number:064}"))

    made = [outcome.unwrap() for outcome in settle(publish, range(publishers), workers=publishers)]

    assert {skill.version for skill in made} == {f"1.0.{n}" for n in range(publishers)}
    assert {skill.revision for skill in made} == set(range(1, publishers + 1))
    assert skills.count() == 1


def test_the_newest_skills_come_page_by_page(skills: SkillStore) -> None:
    for number in range(5):
        at = NOON + timedelta(minutes=number // 2)
        skill = published(skill_id=f"acme/tools/s{number}", skill_path=f"s{number}/SKILL.md", published_at=at)
        skills.publish(skill)

    first = skills.newest(limit=3, after=None)
    last = first[-1]
    assert last.updated_at is not None
    rest = skills.newest(limit=3, after=(last.updated_at, last.skill_id))

    assert [skill.skill_id[-2:] for skill in (*first, *rest)] == ["s4", "s3", "s2", "s1", "s0"]
    assert {skill.content for skill in first} == {""}, "a list does not carry contents"


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
