"""Published skills and their immutable versions in Postgres."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres.connections import Connection, Connections
from skillgate.domain.archive import StoredFile
from skillgate.domain.errors import PermanentFailure
from skillgate.domain.external_scan import Scanner
from skillgate.domain.skill import Published
from skillgate.domain.version import next_version
from skillgate.search.text import key

_Q = sql.queries("skills")
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
            was_removed = current is not None and current["status"] == "removed"
            row = _one(connection, "publish", **_columns(settled), was_removed=was_removed)
            assert row is not None  # an upsert always returns its row
            return replace(settled, **row)

    def get(self, skill_id: str) -> Published | None:
        with self._connections.transaction() as connection:
            row = _one(connection, "current", skill_id=skill_id.lower())
        return None if row is None else _published(row)

    def set_status(
        self,
        status: str,
        kind: str,
        *,
        from_statuses: Sequence[str],
        at: datetime,
        reason: str | None = None,
        threat_type: str | None = None,
        severity: str | None = None,
        skill_id: str | None = None,
        repo_key: str | None = None,
        skill_path: str | None = None,
        content_hash: str | None = None,
    ) -> list[Published]:
        """Changes what a scope (one skill, a repository, a path in it, a content) is shown as. Returns what changed."""
        values = {
            "status": status, "kind": kind, "from_statuses": list(from_statuses), "at": at, "reason": reason,
            "threat_type": threat_type, "severity": severity, "skill_id": skill_id, "repo_key": repo_key,
            "skill_path": skill_path, "content_hash": content_hash,
        }  # fmt: skip
        with self._connections.transaction() as connection:
            ids = [row["id"] for row in connection.execute(_Q["set_status"], values).fetchall()]
            rows = [_one(connection, "current", skill_id=id_) for id_ in ids]
        return [_published(row) for row in rows if row is not None]


class PostgresContents:
    """Contents of published files, by hash."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put(self, files: Iterable[StoredFile]) -> None:
        wanted = sorted({file.sha256: file for file in files}.values(), key=lambda file: file.sha256)
        values = {
            "hashes": [file.sha256 for file in wanted],
            "sizes": [file.size for file in wanted],
            "checksums": [file.crc32 for file in wanted],
            "contents": [file.deflated for file in wanted],
        }
        with self._connections.transaction() as connection:
            connection.execute(_Q["put_contents"], values)

    def get(self, hashes: Sequence[str]) -> dict[str, StoredFile]:
        with self._connections.transaction() as connection:
            rows = connection.execute(_Q["contents"], {"hashes": list(hashes)}).fetchall()
        return {row["sha256"]: StoredFile(**row) for row in rows}


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
        "name_key": key(published.name),
        "slug_key": key(published.slug),
        "labels": list(published.labels),
        "agents": list(published.agents),
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
            "agents": tuple(row["agents"]),
        }
    )
