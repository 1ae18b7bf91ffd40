"""Versions, installs and the blocklist as the marketplace reads them from Postgres."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.ports import BlockEntry, Rejection, Scope, VersionRecord

_Q = sql.queries("skill_versions")
_KEEP_MARKS = timedelta(days=1)  # a day is over everywhere on earth within the next


class _Reader:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def _run(self, query: str, /, **values: Any) -> list[dict[str, Any]]:
        with self._connections.transaction() as connection:
            return connection.execute(_Q[query], values).fetchall()


class PostgresVersions(_Reader):
    def all(self, skill_id: str) -> list[VersionRecord]:
        return [_version(row) for row in self._run("all", skill_id=skill_id)]

    def get(self, skill_id: str, version: str) -> VersionRecord | None:
        rows = self._run("get", skill_id=skill_id, version=version)
        return _version(rows[0]) if rows else None

    def manifests(self, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], VersionRecord]:
        ids, versions = [id_ for id_, _ in wanted], [version for _, version in wanted]
        found = map(_version, self._run("manifests", ids=ids, versions=versions))
        return {(version.skill_id, version.version): version for version in found}


class PostgresInstalls(_Reader):
    def salt(self, day: date) -> bytes:
        """The day's salt; whoever comes first makes it, and throws away those of the days before."""
        with self._connections.transaction() as connection:
            row = connection.execute(_Q["known_salt"], {"day": day}).fetchone()
            if row is None:
                row = connection.execute(_Q["salt"], {"day": day, "salt": secrets.token_bytes(32)}).fetchone()
                connection.execute(_Q["forget_days"], {"before": day - _KEEP_MARKS})
            if row is None:  # another was first
                row = connection.execute(_Q["known_salt"], {"day": day}).fetchone()
        assert row is not None
        return bytes(row["salt"])

    def count(self, day: date, marks: Sequence[tuple[str, bytes]]) -> set[str]:
        """Counts what this machine has not yet installed today. Returns the skills that were counted."""
        ids, machines = [id_ for id_, _ in marks], [machine for _, machine in marks]
        return {row["skill_id"] for row in self._run("count_installs", day=day, ids=ids, machines=machines)}

    def by_day(self, skill_id: str, since: date) -> dict[date, int]:
        rows = self._run("installs_by_day", skill_id=skill_id, since=since)
        return {row["day"]: row["installs"] for row in rows}


class PostgresBlocklist(_Reader):
    def entries(self) -> list[BlockEntry]:
        return [BlockEntry(**row) for row in self._run("blocklist")]

    def matching(self, scope: Scope) -> BlockEntry | None:
        rows = self._run("blocklist_matching", **_scope(scope))
        return BlockEntry(**rows[0]) if rows else None

    def rejection(self, scope: Scope) -> Rejection | None:
        rows = self._run("rejection", **_scope(scope))
        return Rejection(**rows[0]) if rows else None


def _scope(scope: Scope) -> dict[str, str | None]:
    """A skill is looked for by its folder's name; a skill at the root has none and is there with its repository's."""
    folder = None
    if scope.slug is not None and scope.repo_key is not None:
        escaped = scope.slug.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        folder = "/skill.md" if scope.repo_key.endswith(f"/{scope.slug.lower()}") else f"%/{escaped}/skill.md"
    return {"repo_key": scope.repo_key, "folder": folder, "content_hash": scope.content_hash}


def _version(row: Mapping[str, Any]) -> VersionRecord:
    return VersionRecord(**dict(row) | {"submission_id": str(row["submission_id"])})
