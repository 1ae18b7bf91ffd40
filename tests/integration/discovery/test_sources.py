"""What each source finds, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from skillgate.domain.discovery import GITHUB_CODE, GITHUB_TOPICS, NPM, VENDORS, WELL_KNOWN, Outcome
from skillgate.services.discovery.loop import discover

from local.github import GitHubStandIn, Limits
from local.servers.http_server import Response
from tests.integration.discovery.conftest import MakeWorld
from tests.support.discovery import skill_text, submitted
from tests.support.websites import Registry, Site, index_of, running

SKILL = skill_text("pdf", 200)


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with GitHubStandIn(limits=Limits.generous()) as running_github:
        yield running_github


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site()) as started:
        yield started


@pytest.fixture
def registry() -> Iterator[Registry]:
    started = Registry()
    with running(started):
        yield started


def test_vendors_are_looked_into_repository_by_repository_without_forks_and_private_ones(
    make_world: MakeWorld, github: GitHubStandIn
) -> None:
    files = {"SKILL.md": SKILL, "skills/b/SKILL.md": SKILL, "docs/skill.txt": "no"}
    for number in range(130):
        github.put_repository("acme", f"r{number:03}", files if number == 129 else {"README.md": "x"})
    github.put_repository("acme", "fork", files, {"fork": True})
    github.put_repository("acme", "secret", files, {"private": True, "visible_to": ["test-token"]})
    github.put_repository("acme", "nothing-yet", {}, {"empty": True})
    github.put_repository("someone-else", "tools", files)
    github.put_repository("Umbrella", "tools", {"skills/x/SKILL.md": SKILL})
    world = make_world(github, discovery_vendors="acme, nobody-here, umbrella")

    run = discover(world.backend, VENDORS)

    assert submitted(world) == [
        ("acme/r129", "SKILL.md"),
        ("acme/r129", "skills/b/SKILL.md"),
        ("umbrella/tools", "skills/x/SKILL.md"),
    ]
    assert run.outcome is Outcome.COMPLETED and run.counts.errors == 1
    log = {row.repo_url: row.error for row in world.backend.discoveries.repositories(run.id) or ()}
    assert "owner_gone" in (log["https://github.com/nobody-here"] or "")


def test_topics_are_searched_one_after_the_other_and_what_has_two_is_taken_once(
    make_world: MakeWorld, github: GitHubStandIn
) -> None:
    github.put_repository("a", "one", {"SKILL.md": SKILL}, {"topics": ["red"]})
    github.put_repository("b", "two", {"SKILL.md": SKILL}, {"topics": ["red", "blue"], "stars": 40})
    github.put_repository("c", "three", {"SKILL.md": SKILL}, {"topics": ["blue"], "stars": 9_000})
    github.put_repository("d", "four", {"SKILL.md": SKILL}, {"topics": ["green"]})
    world = make_world(github, discovery_topics="red,blue")
    run = discover(world.backend, GITHUB_TOPICS)
    assert submitted(world) == [("a/one", "SKILL.md"), ("b/two", "SKILL.md"), ("c/three", "SKILL.md")]
    assert run.counts.candidates == 4 and run.counts.enqueued == 3 and run.counts.skipped_dedup == 1


def test_results_that_no_query_can_reach_are_counted(make_world: MakeWorld, github: GitHubStandIn) -> None:
    files = {f"skills/{number:04}/SKILL.md": SKILL for number in range(1_010)}  # all of one size
    github.put_repository("acme", "copies", files)
    run = discover(make_world(github).backend, GITHUB_CODE)
    assert run.counts.enqueued == 1_000 and run.hidden == 10


def test_packages_lead_to_the_skills_in_their_part_of_the_repository(
    make_world: MakeWorld, github: GitHubStandIn, registry: Registry
) -> None:
    github.put_repository("acme", "mono", {"packages/a/SKILL.md": SKILL, "packages/b/skills/x/SKILL.md": SKILL})
    github.put_repository("acme", "single", {"skill/SKILL.md": SKILL})
    github.put_repository("acme", "secret", {"SKILL.md": SKILL}, {"private": True, "visible_to": ["test-token"]})
    registry.publish("@acme/b", {"url": "git+https://github.com/acme/mono.git", "directory": "packages/b"})
    registry.publish("single", "github:acme/single")
    registry.publish("secret", "git@github.com:acme/secret.git")
    registry.publish("elsewhere", {"url": "https://gitlab.com/acme/mono"})
    registry.publish("nowhere", None)
    registry.names.append("vanished")
    for number in range(120):
        registry.publish(f"plain-{number}", None)
    world = make_world(github, npm_registry_url=registry.url, npm_searches="skill", discovery_allow_loopback=True)

    run = discover(world.backend, NPM)

    assert submitted(world) == [("acme/mono", "packages/b/skills/x/SKILL.md"), ("acme/single", "skill/SKILL.md")]
    assert run.outcome is Outcome.COMPLETED
    log = {row.repo_url: row.error for row in world.backend.discoveries.repositories(run.id) or () if row.error}
    assert set(log) == {"npm:vanished", "https://github.com/acme/secret"}
    assert run.counts.errors == 2
    assert registry.asked.count("/-/v1/search") == 2


def test_without_a_registry_the_npm_source_says_that_it_is_not_configured(
    make_world: MakeWorld, github: GitHubStandIn
) -> None:
    run = discover(make_world(github).backend, NPM)
    assert run.outcome is Outcome.NOT_CONFIGURED and "NPM_REGISTRY_URL" in (run.message or "")


def test_a_list_of_skills_is_followed_to_github_and_nowhere_else(
    make_world: MakeWorld, github: GitHubStandIn, site: Site
) -> None:
    files = {"skills/a/SKILL.md": SKILL, "skills/b/SKILL.md": SKILL, "skills/c/SKILL.md": SKILL}
    github.put_repository("acme", "tools", files)
    github.put_repository("acme", "whole", {"SKILL.md": SKILL})
    index = index_of(
        {"name": "a", "url": "https://github.com/acme/tools/tree/main/skills/a"},
        {"name": "b", "url": "https://raw.githubusercontent.com/acme/tools/main/skills/b/SKILL.md"},
        {"name": "whole", "repository": {"type": "git", "url": "https://github.com/acme/whole.git"}},
        {"name": "here", "url": f"{site.url}/skills/here/SKILL.md"},
        {"name": "meta", "url": "http://169.254.169.254/latest/meta-data"},
        {"name": "trick", "url": "https://github.com.example.net/acme/tools"},
        {"name": "dots", "repository": "https://github.com/../.."},
    )
    site.put("/.well-known/agent-skills/index.json", {**index, "more": 1})
    world = make_world(github, discovery_well_known_sites=site.url, discovery_allow_loopback=True)

    run = discover(world.backend, WELL_KNOWN)

    assert submitted(world) == [
        ("acme/tools", "skills/a/SKILL.md"),
        ("acme/tools", "skills/b/SKILL.md"),
        ("acme/whole", "SKILL.md"),
    ]
    assert run.outcome is Outcome.COMPLETED and run.counts.errors == 0
    assert site.asked == ["/.well-known/agent-skills/index.json"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Response.of_json({"skills": "none"}), "index_not_understood"),
        (Response(301, b"", {"Location": "https://elsewhere.example/index.json"}), "source_unavailable"),
        (Response(302, b"", {"Location": "http://169.254.169.254/"}), "source_unavailable"),
        (Response(200, b"[" * 5_000_000), "answer_too_large"),
        (Response(200, b"{"), "source_unavailable"),
        (Response(404), "not_found"),
    ],
    ids=["no list", "moved elsewhere", "redirected inside", "endless", "no JSON", "missing"],
)
def test_a_site_that_misbehaves_is_an_error_of_its_own(
    make_world: MakeWorld, github: GitHubStandIn, site: Site, answer: Response, why: str
) -> None:
    github.put_repository("acme", "whole", {"SKILL.md": SKILL})
    site.put("/.well-known/agent-skills/index.json", answer)
    with running(Site()) as good:
        good.put("/.well-known/agent-skills/index.json", index_of({"repository": "https://github.com/acme/whole"}))
        sites = f"{site.url},http://localhost/,{good.url}"
        world = make_world(github, discovery_well_known_sites=sites, discovery_allow_loopback=True)
        run = discover(world.backend, WELL_KNOWN)
    assert submitted(world) == [("acme/whole", "SKILL.md")]
    log = {row.repo_url: row.error or "" for row in world.backend.discoveries.repositories(run.id) or ()}
    assert why in log[site.url.lower()] and "invalid_address" in log["http://localhost/"]
