"""Published skills, looked at again: moved, changed, gone and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from skillgate.domain.discovery import Counts, Outcome, Run
from skillgate.domain.listing import SEED_TIER, Listing
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import Published
from skillgate.services.discovery.recheck import recheck
from skillgate.services.marketplace import SkillQuery, get_skill_by_name, get_skills
from skillgate.services.submit import Request, create_submissions_batch

from tests.support.backends import World
from tests.support.discovery import rows, skill_text, submitted
from tests.support.queue import drain

A, B = "skills/a/SKILL.md", "skills/b/SKILL.md"
FILES = {A: skill_text("a", 200), B: skill_text("b", 200)}


@pytest.fixture
def world(real: World) -> World:
    """Two published skills in one repository, and one in another."""
    real.github.put_repository("acme", "tools", FILES)
    real.github.put_repository("other", "tools", {A: FILES[A]})
    requests = [Request(RepoUrl("acme", "tools"), path) for path in (A, B)] + [Request(RepoUrl("other", "tools"), A)]
    create_submissions_batch(real.backend, requests)
    drain(real)
    assert _published(real).keys() == {"acme/tools/a", "acme/tools/b", "other/tools/a"}
    return real


def look_again(world: World, hours: int = 2) -> Run:
    return recheck(replace(world.backend, now=lambda: world.backend.now() + timedelta(hours=hours)))


def skill(world: World, skill_id: str) -> Published:
    found = get_skill_by_name(world.backend, skill_id).published
    assert found is not None
    return found


def _published(world: World) -> dict[str, Listing]:
    """What the marketplace lists besides its seeds."""
    page = get_skills(world.backend, SkillQuery(limit=200))
    return {each.skill_id: each for each in page.skills if each.cert_tier != SEED_TIER}


def test_a_repository_that_has_not_moved_costs_one_request_and_changes_nothing(world: World) -> None:
    world.github.clear_requests()
    run = look_again(world)
    assert run.outcome is Outcome.COMPLETED and run.counts == Counts(candidates=3, skipped_dedup=3)
    asked = sorted(request.path for request in world.github.requests())
    assert asked == ["/repos/acme/tools/commits/HEAD", "/repos/other/tools/commits/HEAD"]
    assert look_again(world).counts.candidates == 0, "what was looked at within the hour is left alone"


def test_changed_content_is_submitted_again_and_what_only_moved_is_not(world: World) -> None:
    world.github.put_repository("acme", "tools", FILES | {A: skill_text("a", 400), "README.md": "new"})
    run = look_again(world)
    assert run.counts == Counts(candidates=3, enqueued=1, skipped_dedup=2)
    assert sorted(submitted(world)) == [("acme/tools", A), ("acme/tools", A), ("acme/tools", B), ("other/tools", A)]
    drain(world)
    assert skill(world, "acme/tools/a").content == skill_text("a", 400)
    assert look_again(world, hours=4).counts.enqueued == 0


def test_a_repository_that_is_gone_marks_its_skills_and_they_stay_listed(world: World) -> None:
    world.github.remove_repository("acme", "tools")
    run = look_again(world)
    assert run.outcome is Outcome.COMPLETED and run.counts.errors == 0
    marked = {skill_id: each.source_removed_at is not None for skill_id, each in _published(world).items()}
    assert marked == {"acme/tools/a": True, "acme/tools/b": True, "other/tools/a": False}
    copy = world.backend.live.get_skill("acme/tools/a")
    assert copy is not None and copy.source_removed_at == skill(world, "acme/tools/a").source_removed_at
    changes = rows(world, "SELECT kind, skill_id FROM changes WHERE kind = 'updated' ORDER BY skill_id")
    assert changes == [("updated", "acme/tools/a"), ("updated", "acme/tools/b")]

    since = skill(world, "acme/tools/a").source_removed_at
    look_again(world, hours=5)
    assert skill(world, "acme/tools/a").source_removed_at == since, "marked once, not at every look"


def test_a_skill_that_left_its_repository_is_marked_and_its_neighbour_is_not(world: World) -> None:
    world.github.put_repository("acme", "tools", {B: FILES[B]})
    look_again(world)
    assert skill(world, "acme/tools/a").source_removed_at is not None
    assert skill(world, "acme/tools/b").source_removed_at is None


def test_a_skill_that_comes_back_loses_its_mark(world: World) -> None:
    world.github.remove_repository("acme", "tools")
    look_again(world)
    world.github.put_repository("acme", "tools", FILES | {"README.md": "back"})
    run = look_again(world, hours=4)
    assert run.counts.enqueued == 0
    assert skill(world, "acme/tools/a").source_removed_at is None


def test_a_repository_that_does_not_answer_is_not_taken_for_gone(world: World) -> None:
    world.github.set_faults([{"kind": "dead_token", "token": "test-token", "match": "/acme/"}])
    run = look_again(world)
    assert run.outcome is Outcome.NO_TOKEN_LEFT
    assert skill(world, "acme/tools/a").source_removed_at is None
    world.github.clear_faults()
    assert look_again(world).outcome is Outcome.COMPLETED


def test_a_renamed_repository_is_an_error_and_not_gone(world: World) -> None:
    world.github.put_repository("acme", "new-tools", FILES)
    world.github.put_repository("acme", "tools", {}, {"renamed_to": "acme/new-tools"})
    run = look_again(world)
    assert run.counts.errors == 1 and skill(world, "acme/tools/a").source_removed_at is None
