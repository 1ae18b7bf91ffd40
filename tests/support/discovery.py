"""A catalogue of many skills on the GitHub stand-in, sources that run by a clock of the test's, and what was stored."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
from skillgate.adapters.discovery import ConfiguredSources
from skillgate.adapters.github import build_client
from skillgate.ports import Backend

from local.github import GitHubStandIn
from tests.support.backends import World

TOPIC = "agent-skills"


def skill_text(name: str, length: int) -> str:
    head = f"---\nname: {name}\ndescription: Does one thing well, and says what.\n---\n# {name}\n"
    return head + "Do it.\n" * max(1, (length - len(head)) // 7)


def fill(github: GitHubStandIn, *, skills: int, repositories: int, owners: int = 20) -> set[tuple[str, str]]:
    """Spreads skills of many sizes over repositories; returns each skill's repository key and path."""
    made: set[tuple[str, str]] = set()
    for number in range(repositories):
        owner, name = f"owner-{number % owners}", f"tools-{number}"
        mine = range(number, skills, repositories)
        files = {f"skills/s{n}/SKILL.md": skill_text(f"s{n}", 120 + n % 1900) for n in mine}
        github.put_repository(owner, name, {"README.md": "# Tools\n", **files}, {"topics": [TOPIC], "stars": number})
        made |= {(f"{owner}/{name}", path) for path in files}
    return made


class TestClock:
    """Time that passes only when somebody sleeps. It begins now, so that GitHub's times look like GitHub's."""

    __test__ = False

    def __init__(self, start: float) -> None:
        self._now = start
        self._lock = threading.Lock()
        self.slept: list[float] = []

    def __call__(self) -> float:
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._now += seconds
            self.slept.append(seconds)


@contextmanager
def clocked(backend: Backend, clock: TestClock) -> Iterator[Backend]:
    """The backend with sources that go by the clock."""
    with build_client() as client:
        yield replace(
            backend, discovery_sources=ConfiguredSources(backend.settings, client, clock=clock, sleep=clock.sleep)
        )


def rows(world: World, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(world.database_url) as connection:
        return connection.execute(statement.encode()).fetchall()


def submitted(world: World) -> list[tuple[str, str]]:
    """The repository key and path of every submission there is, in order."""
    return rows(world, "SELECT repo_key, skill_path FROM submissions ORDER BY 1, 2")
