"""Disputes and their decisions in Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from skillgate import sql
from skillgate.adapters.postgres.accounts import END_OF_TIME
from skillgate.adapters.postgres.connections import Connections
from skillgate.ports import Dispute, Overturned, OverturnRate, ScanRecord

_Q = sql.queries("disputes")


class PostgresDisputes:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def scanned(self, content_hash: str, *, account_id: str, login: str) -> ScanRecord | None:
        """The newest tier 1 scan of this content among the author's submissions."""
        rows = self._all("scanned", content_hash=content_hash, account_id=account_id, login=login)
        return ScanRecord(**rows[0] | {"submission_id": str(rows[0]["submission_id"])}) if rows else None

    def open(self, dispute: Dispute) -> Dispute:
        """The dispute as it is now: the same finding is disputed once, whoever asks again."""
        values = vars(dispute) | {"finding_ids": list(dispute.finding_ids)}
        with self._connections.transaction() as connection:
            connection.execute(_Q["open"], values)
            row = connection.execute(_Q["by_finding"], values).fetchone()
        assert row is not None  # inserted, or what stood in the way
        return _dispute(row)

    def get(self, dispute_id: str) -> Dispute | None:
        rows = self._all("get", id=dispute_id)
        return _dispute(rows[0]) if rows else None

    def decide(self, dispute_id: str, *, status: str, reason: str, by: str, at: datetime) -> Dispute | None:
        """None if it is not open."""
        rows = self._all("decide", id=dispute_id, status=status, reason=reason, by=by, at=at)
        return _dispute(rows[0]) if rows else None

    def page(
        self, *, statuses: Sequence[str], account_id: str | None, after: tuple[datetime, str] | None, limit: int
    ) -> list[Dispute]:
        at, id_ = after or END_OF_TIME
        rows = self._all("page", statuses=list(statuses), account_id=account_id, after_at=at, after_id=id_, limit=limit)
        return [_dispute(row) for row in rows]

    def overturned(self, repo_key: str, skill_path: str) -> list[Overturned]:
        rows = self._all("overturned", repo_key=repo_key, skill_path=skill_path)
        return [Overturned(row["rule_id"], frozenset(row["finding_ids"])) for row in rows]

    def rates(self) -> list[OverturnRate]:
        return [OverturnRate(**row) for row in self._all("rates")]

    def _all(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.transaction() as connection:
            return connection.execute(_Q[name], parameters).fetchall()


def _dispute(row: dict[str, Any]) -> Dispute:
    return Dispute(
        **row
        | {
            "id": str(row["id"]),
            "account_id": str(row["account_id"]),
            "finding_ids": tuple(row["finding_ids"]),
        }
    )
