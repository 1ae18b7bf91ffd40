"""Published skills and their immutable versions in Postgres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres.connections import Connection, Connections
from skillgate.domain.errors import PermanentFailure
from skillgate.domain.external_scan import Scanner
from skillgate.domain.skill import Published
from skillgate.domain.version import next_version

_Q = sql.queries("skills")
_END_OF_TIME = (datetime(9999, 1, 1, tzinfo=UTC), "")
_FIELDS = tuple(Published.__dataclass_fields__)


class PostgresSkills:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def publish(self, published: Published) -> Published:
        """One atomic upsert of skill, version and change. `published.version` is what the author declared, or empty.

        Content that was published before keeps its version. Raises PermanentFailure if the name is another path's.
        """
        with self._connections.transaction() as connection:
            connection.execute(_Q["lock_skill"], {"skill_id": published.skill_id})
            current = _one(connection, "current", skill_id=published.skill_id)
            if current is not None and current["skill_path"] != published.skill_path:
                raise PermanentFailure(
                    f"Another skill of this repository, {current['skill_path']}, is published under the same name.",
                    code="name_taken",
                )
            settled = replace(published, version=_version(connection, published, current))
            row = _one(connection, "publish", **_columns(settled))
            assert row is not None  # an upsert always returns its row
            return replace(settled, **row)

    def get(self, skill_id: str) -> Published | None:
        with self._connections.transaction() as connection:
            row = _one(connection, "current", skill_id=skill_id.lower())
        return None if row is None else _published(row)

    def newest(self, *, limit: int, after: tuple[datetime, str] | None) -> list[Published]:
        after_at, after_id = after or _END_OF_TIME
        with self._connections.transaction() as connection:
            rows = connection.execute(_Q["newest"], {"after_at": after_at, "after_id": after_id, "limit": limit})
            return [_published(row) for row in rows.fetchall()]

    def count(self) -> int:
        with self._connections.transaction() as connection:
            row = _one(connection, "count")
        assert row is not None
        return int(row["skills"])


def _version(connection: Connection, published: Published, current: Mapping[str, Any] | None) -> str:
    known = _one(connection, "version_by_hash", skill_id=published.skill_id, content_hash=published.content_hash)
    if known is not None:
        return str(known["version"])
    candidate = next_version(current["current_version"] if current else None, published.version)
    while _one(connection, "version_exists", skill_id=published.skill_id, version=candidate):
        candidate = next_version(candidate, None)  # a number from before a roll-back
    return candidate


def _one(connection: Connection, name: str, /, **parameters: Any) -> dict[str, Any] | None:
    return connection.execute(_Q[name], parameters).fetchone()


def _columns(published: Published) -> dict[str, Any]:
    return {name: getattr(published, name) for name in _FIELDS} | {
        "owner": published.repo.owner,
        "repo": published.repo.repo,
        "slug": published.slug,
        "repo_key": published.repo.key,
        "labels": list(published.labels),
        "files": Jsonb(list(published.files)),
        "report": Jsonb(dict(published.report)),
        "scanners": list(Scanner),
    }


def _published(row: Mapping[str, Any]) -> Published:
    values = {name: row[name] for name in _FIELDS if name in row}
    return Published(
        **values
        | {
            "skill_id": row["id"],
            "version": row["current_version"],
            "submission_id": str(row["submission_id"]),
            "labels": tuple(row["labels"]),
        }
    )
