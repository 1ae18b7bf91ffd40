from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from local.github import GitHubStandIn, Limits
from tests.support.backends import Servers, World, world
from tests.support.discovery import fill

SKILLS, REPOSITORIES = 5_000, 600

MakeWorld = Callable[..., World]


@dataclass(frozen=True)
class Catalogue:
    github: GitHubStandIn
    skills: set[tuple[str, str]]


@pytest.fixture(scope="session")
def catalogue() -> Iterator[Catalogue]:
    """5,000 skills in 600 repositories, shared by the tests that only read them."""
    with GitHubStandIn(limits=Limits.generous()) as github:
        yield Catalogue(github, fill(github, skills=SKILLS, repositories=REPOSITORIES))


@pytest.fixture
def make_world(servers: Servers) -> Iterator[MakeWorld]:
    """Fresh stores whose GitHub is the given stand-in."""
    with ExitStack() as stack:

        def make(github: GitHubStandIn, **settings: Any) -> World:
            urls = {"github_api_url": github.url, "github_raw_url": github.raw_url}
            return stack.enter_context(world(servers, **urls | settings))

        yield make
