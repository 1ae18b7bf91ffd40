"""The audit log and the small facts that operators set, in Postgres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.domain.ids import new_id

_Q = sql.queries("operators")


class PostgresOperators:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def record(
        self, *, at: datetime, actor: str, action: str, subjects: Sequence[str], reason: str, detail: Mapping[str, Any]
    ) -> None:
        self._run(
            "record",
            at=at,
            actor=actor,
            action=action,
            subjects=list(subjects),
            reason=reason,
            detail=Jsonb(dict(detail)),
        )

    def block(
        self,
        *,
        repo_key: str | None,
        skill_path: str | None,
        content_hash: str | None,
        reason: str,
        by: str,
        at: datetime,
        threat_type: str = "malicious",
        severity: str = "critical",
    ) -> None:
        scope = {"repo_key": repo_key, "skill_path": skill_path, "content_hash": content_hash}
        threat = {"threat_type": threat_type, "severity": severity}
        self._run("block", id=new_id(), reason=reason, by=by, at=at, **scope, **threat)

    def unblock(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, at: datetime) -> bool:
        return bool(self._run("unblock", repo_key=repo_key, skill_path=skill_path, content_hash=content_hash, at=at))

    def audit_log(self, *, limit: int, before: int | None, subject: str | None) -> list[dict[str, Any]]:
        return self._run("audit_log", limit=limit, before=before, subject=subject)

    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None:
        self._run("set_control", name=name, value=Jsonb(dict(value)), at=at, by=by)

    def control(self, name: str) -> dict[str, Any] | None:
        rows = self._run("control", name=name)
        return rows[0]["value"] if rows else None

    def _run(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.single() as connection:
            cursor = connection.execute(_Q[query], parameters)
            return cursor.fetchall() if cursor.description else []


class PostgresIdempotency:
    """Idempotency keys while DynamoDB is away."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def begin(self, key: str, request_hash: str, expires_at: datetime) -> dict[str, Any] | None:
        """None if the key is now ours; else what is known of it: `request_hash`, and `response` if it has finished."""
        with self._connections.transaction() as connection:
            values = {"key": key, "request_hash": request_hash, "expires_at": expires_at}
            if connection.execute(_Q["begin_idempotent"], values).fetchone():
                return None
            return connection.execute(_Q["idempotent"], {"key": key}).fetchone()

    def finish(self, key: str, response: Mapping[str, Any], expires_at: datetime) -> None:
        values = {"key": key, "response": Jsonb(dict(response)), "expires_at": expires_at}
        with self._connections.transaction() as connection:
            connection.execute(_Q["finish_idempotent"], values)

    def forget(self, key: str) -> None:
        with self._connections.transaction() as connection:
            connection.execute(_Q["forget_idempotent"], {"key": key})
