"""What there may be only one of: each rule proven by trying to have two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors
from skillgate.domain.ids import new_id
from skillgate.domain.submission import OPEN, TERMINAL, State

from tests.support.backends import TEMPLATE_DATABASE, Servers

Insert = Callable[..., None]


@pytest.fixture
def insert(servers: Servers) -> Iterator[Insert]:
    """Inserts a row of a table. What is not given is filled with something that fits."""
    with (
        servers.postgres.scratch_database(template=TEMPLATE_DATABASE) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):

        def row(table: str, **values: Any) -> None:
            given = DEFAULTS[table]() | values
            columns, holes = ", ".join(given), ", ".join(["%s"] * len(given))
            connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({holes})".encode(), list(given.values()))

        yield row


NOW = "2025-06-01T12:00:00Z"
DEFAULTS: dict[str, Callable[[], dict[str, Any]]] = {
    "submissions": lambda: {
        "id": new_id(),
        "repo_url": "https://github.com/Acme/Tools",
        "repo_key": "acme/tools",
        "skill_path": "SKILL.md",
        "skill_name": "tools",
        "source": "api",
        "state": State.RECEIVED,
        "version": 1,
        "created_at": NOW,
        "updated_at": NOW,
    },
    "submission_events": lambda: {"version": 1, "to_state": State.RECEIVED, "at": NOW, "actor": "test"},
    "skills": lambda: {
        "name_key": "pdf",
        "slug_key": "pdf",
        "id": "acme/tools/pdf",
        "owner": "Acme",
        "repo": "Tools",
        "slug": "pdf",
        "repo_url": "https://github.com/Acme/Tools",
        "repo_key": "acme/tools",
        "skill_path": "pdf/SKILL.md",
        "name": "pdf",
        "current_version": "1.0.0",
        "commit_sha": "c",
        "content_hash": "a",
        "cert_tier": "VERIFIED",
        "cert_method": "tier1",
        "cert_score": 90,
        "certified_at": NOW,
        "created_at": NOW,
        "updated_at": NOW,
    },
    "skill_versions": lambda: {
        "skill_id": "acme/tools/pdf",
        "version": "1.0.0",
        "content_hash": "a",
        "commit_sha": "c",
        "submission_id": new_id(),
        "content": "",
        "published_at": NOW,
    },
    "external_scans": lambda: {
        "job_id": new_id(),
        "version_id": 1,
        "scanner": "semgrep",
        "content_hash": "a",
        "status": "QUEUED",
        "created_at": NOW,
    },
    "discoveries": lambda: {
        "repo_key": "acme/tools",
        "skill_path": "SKILL.md",
        "repo_url": "https://github.com/Acme/Tools",
        "source": "npm",
        "first_seen_at": NOW,
        "last_seen_at": NOW,
    },
    "blocklist": lambda: {"id": new_id(), "reason": "malware", "created_by": "ann", "created_at": NOW},
}


@pytest.mark.parametrize("state", sorted(OPEN))
def test_one_open_submission_per_repository_and_skill_path(insert: Insert, state: State) -> None:
    insert("submissions", state=state)
    with pytest.raises(errors.UniqueViolation):
        insert("submissions")
    insert("submissions", skill_path="other/SKILL.md")
    insert("submissions", repo_key="acme/other")


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_an_ended_submission_stands_in_nobodys_way(insert: Insert, state: State) -> None:
    insert("submissions", state=state)
    insert("submissions", state=state)
    insert("submissions")


def test_one_event_per_submission_and_version(insert: Insert) -> None:
    id_ = new_id()
    insert("submissions", id=id_)
    insert("submission_events", submission_id=id_)
    insert("submission_events", submission_id=id_, version=2)
    with pytest.raises(errors.UniqueViolation):
        insert("submission_events", submission_id=id_, version=2)


def test_one_skill_per_owner_repository_and_name(insert: Insert) -> None:
    insert("skills")
    with pytest.raises(errors.UniqueViolation):
        insert("skills", skill_path="elsewhere/pdf/SKILL.md")


def test_one_skill_per_repository_and_path(insert: Insert) -> None:
    insert("skills")
    with pytest.raises(errors.UniqueViolation):
        insert("skills", id="acme/tools/other-name")


def test_one_version_per_skill_and_content_and_one_per_number(insert: Insert) -> None:
    insert("skills")
    insert("skill_versions")
    with pytest.raises(errors.UniqueViolation):
        insert("skill_versions", version="1.0.1")
    with pytest.raises(errors.UniqueViolation):
        insert("skill_versions", content_hash="b")
    insert("skill_versions", version="1.0.1", content_hash="b")


def test_one_discovery_per_repository_and_skill_path(insert: Insert) -> None:
    insert("discoveries")
    with pytest.raises(errors.UniqueViolation):
        insert("discoveries", source="github-code")
    insert("discoveries", skill_path="other/SKILL.md")


def test_one_external_result_per_version_and_scanner(insert: Insert) -> None:
    insert("skills")
    insert("skill_versions")
    insert("external_scans")
    with pytest.raises(errors.UniqueViolation):
        insert("external_scans")
    insert("external_scans", scanner="njsscan")


def test_one_block_per_source_and_per_content_until_it_is_lifted(insert: Insert) -> None:
    insert("blocklist", repo_key="a/b", removed_at=NOW)
    insert("blocklist", repo_key="a/b")
    insert("blocklist", repo_key="a/b", skill_path="x/SKILL.md")
    insert("blocklist", content_hash="f")
    for same in ({"repo_key": "a/b"}, {"repo_key": "a/b", "skill_path": "x/SKILL.md"}, {"content_hash": "f"}):
        with pytest.raises(errors.UniqueViolation):
            insert("blocklist", **same)


@pytest.mark.parametrize(
    "scope", [{}, {"skill_path": "pdf/SKILL.md"}, {"repo_key": "a/b", "content_hash": "f"}], ids=str
)
def test_a_block_names_a_source_or_a_content_and_never_a_bare_skill(insert: Insert, scope: dict[str, str]) -> None:
    with pytest.raises(errors.CheckViolation):
        insert("blocklist", **scope)
