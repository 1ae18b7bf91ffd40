"""Versions, installs and the blocklist as the marketplace reads them from Postgres."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.market_ports import BlockEntry, ExternalResult, Rejection, VersionRecord

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

    def external_results(self, version_id: int) -> list[ExternalResult]:
        return [ExternalResult(**row) for row in self._run("external_results", version_id=version_id)]


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

    def matching(self, repo_key: str | None, skill_path: str | None, content_hash: str | None) -> BlockEntry | None:
        scope = {"repo_key": repo_key, "skill_path": skill_path, "content_hash": content_hash}
        rows = self._run("blocklist_matching", **scope)
        return BlockEntry(**rows[0]) if rows else None

    def rejection(self, repo_key: str | None, skill_path: str | None, content_hash: str | None) -> Rejection | None:
        scope = {"repo_key": repo_key, "skill_path": skill_path, "content_hash": content_hash}
        rows = self._run("rejection", **scope)
        return Rejection(**rows[0]) if rows else None


def _version(row: Mapping[str, Any]) -> VersionRecord:
    return VersionRecord(**dict(row) | {"submission_id": str(row["submission_id"])})
