"""External scans in Postgres: the outbox, the claims under the hourly limit, and results that count once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres.connections import Connection, Connections
from skillgate.domain.errors import NotFound
from skillgate.domain.external_scan import (
    MAX_DISPATCHES,
    ExternalReport,
    ExternalScan,
    Scanner,
    ScanStatus,
    why_not_applied,
)
from skillgate.ports import Received, ScanStatistics, TimedOut

_Q = sql.queries("external_scans")
_FIELDS = tuple(ExternalScan.__dataclass_fields__)


class PostgresExternalScans:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def unsent_of(self, skill_id: str, content_hash: str) -> list[str]:
        return self._job_ids("unsent_of", skill_id=skill_id, content_hash=content_hash)

    def unsent(self, *, created_before: datetime, limit: int) -> list[str]:
        return self._job_ids("unsent", created_before=created_before, limit=limit)

    def mark_sent(self, job_ids: Sequence[str], at: datetime) -> None:
        self._run("mark_sent", job_ids=list(job_ids), at=at)

    def mark_unsent(self, job_ids: Sequence[str]) -> None:
        self._run("mark_unsent", job_ids=list(job_ids))

    def claim(self, job_ids: Sequence[str], *, at: datetime, per_hour: int) -> list[ExternalScan]:
        """Takes what is queued and fits into the hour. What does not fit goes back to the outbox."""
        with self._connections.transaction() as connection:
            connection.execute(_Q["one_claim_at_a_time"])
            rows = connection.execute(_Q["claim"], {"job_ids": list(job_ids), "at": at, "per_hour": per_hour})
            claimed = [_scan(row) for row in rows.fetchall()]
            connection.execute(_Q["mark_unsent"], {"job_ids": list(job_ids)})
        return claimed

    def handed_over(self, job_id: str, worker: str) -> None:
        self._run("handed_over", job_id=job_id, worker=worker)

    def release(self, job_id: str, *, claimed_at: datetime, reached: bool) -> None:
        self._run("release", job_id=job_id, claimed_at=claimed_at, reached=reached)

    def fail(self, job_id: str, *, code: str, message: str, at: datetime) -> None:
        self._run("fail", job_id=job_id, code=code, message=message, at=at)

    def time_out(self, *, dispatched_before: datetime, at: datetime, limit: int) -> TimedOut:
        rows = self._run(
            "time_out", dispatched_before=dispatched_before, at=at, limit=limit, max_dispatches=MAX_DISPATCHES
        )
        again = [row["job_id"] for row in rows if row["status"] == ScanStatus.QUEUED]
        return TimedOut(again, [row["job_id"] for row in rows if row["status"] == ScanStatus.TIMED_OUT])

    def dispatched_since(self, since: datetime) -> int:
        return int(self._run("dispatched_since", since=since)[0]["dispatched"])

    def receive(self, webhook_id: str, report: ExternalReport, at: datetime) -> Received:
        """The webhook's id, its effect and the quarantine in one transaction: all of it, once, or nothing.

        Raises NotFound for a job that was never planned; its id is then not remembered either.
        """
        with self._connections.transaction() as connection:
            message = {"webhook_id": webhook_id, "job_id": report.job_id}
            if not connection.execute(_Q["remember_message"], message | {"at": at}).fetchone():
                return Received(replayed=True)
            row = connection.execute(_Q["by_job"], {"job_id": report.job_id}).fetchone()
            if row is None:
                raise NotFound("There is no external scan with this job id.", code="job_unknown")
            scan = _scan(row)
            if why := why_not_applied(scan, report):
                kept = Jsonb(dict(report.raw))
                connection.execute(_Q["keep_message"], {"webhook_id": webhook_id, "why": why, "content": kept})
                return Received(not_applied=why)
            return Received(quarantined_skill=_apply(connection, scan, report, at))

    def of_version(self, skill_id: str, content_hash: str) -> list[ExternalScan]:
        return [_scan(row) for row in self._run("of_version", skill_id=skill_id, content_hash=content_hash)]

    def restore(self, skill_id: str, content_hash: str, at: datetime) -> bool:
        return bool(self._run("restore", skill_id=skill_id, content_hash=content_hash, at=at))

    def start_over(self, *, idle_since: datetime, limit: int) -> list[str]:
        return self._job_ids("start_over", idle_since=idle_since, limit=limit)

    def statistics(self, at: datetime) -> ScanStatistics:
        with self._connections.transaction() as connection:
            unfinished = connection.execute(_Q["unfinished"]).fetchall()
            ended = connection.execute(_Q["ended_since"], {"since": at - timedelta(days=1)}).fetchall()
            hour = connection.execute(_Q["dispatched_since"], {"since": at - timedelta(hours=1)}).fetchone()
            last = connection.execute(_Q["last_result"]).fetchone()
        assert hour is not None and last is not None  # aggregates always have a row
        return ScanStatistics(
            unfinished=_counted(unfinished),
            ended_day=_counted(ended),
            dispatched_hour=int(hour["dispatched"]),
            oldest_unfinished=min((row["oldest"] for row in unfinished), default=None),
            last_result=last["at"],
        )

    def forget(self, before: datetime) -> None:
        self._run("forget_dispatches", before=before)
        self._run("forget_messages", before=before)

    def _job_ids(self, query: str, /, **parameters: Any) -> list[str]:
        return [row["job_id"] for row in self._run(query, **parameters)]

    def _run(self, query: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.transaction() as connection:
            cursor = connection.execute(_Q[query], parameters)
            return cursor.fetchall() if cursor.description else []


def _apply(connection: Connection, scan: ExternalScan, report: ExternalReport, at: datetime) -> str | None:
    """Writes the result down; returns the skill whose version it took out of the marketplace."""
    result = Jsonb(report.to_result()) if report.status is not ScanStatus.RUNNING else None
    values = {"job_id": scan.job_id, "status": report.status, "result": result, "at": at}
    connection.execute(_Q["apply"], values | {"error_code": report.error_code, "error": report.error})
    reason = report.quarantine_reason
    if reason is None:
        return None
    row = connection.execute(_Q["quarantine"], {"version_id": scan.version_id, "reason": reason, "at": at}).fetchone()
    return None if row is None else str(row["skill_id"])


def _counted(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        counts[row["scanner"]][row["status"]] = int(row["scans"])
    return dict(counts)


def _scan(row: Mapping[str, Any]) -> ExternalScan:
    values = {name: row[name] for name in _FIELDS}
    return ExternalScan(
        **values
        | {"job_id": str(row["job_id"]), "scanner": Scanner(row["scanner"]), "status": ScanStatus(row["status"])}
    )
