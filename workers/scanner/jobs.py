"""The jobs of this worker in SQLite: what is to be scanned and what is to be reported, across restarts."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workers.scanner.model import Job

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    job_id            text PRIMARY KEY,
    request           text NOT NULL,
    status            text NOT NULL CHECK (status IN ('queued', 'running', 'scanned', 'reported', 'given_up')),
    attempts          integer NOT NULL DEFAULT 0,
    result            text,
    webhook_id        text,
    deliveries        integer NOT NULL DEFAULT 0,
    deliver_after     real NOT NULL DEFAULT 0,
    created_at        real NOT NULL,
    ended_at          real
);
CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, created_at);
"""


class Added(StrEnum):
    ACCEPTED = "accepted"
    KNOWN = "known"
    FULL = "full"


@dataclass(frozen=True)
class Claimed:
    job: Job
    attempts: int


@dataclass(frozen=True)
class Delivery:
    job: Job
    webhook_id: str
    result: str
    deliveries: int


class JobStore:
    """One connection behind a lock: a worker has few jobs and every step is a small transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def recover(self) -> int:
        """Puts back what was being scanned when the last process ended. Returns how many jobs that were."""
        with self._transaction() as connection:
            return connection.execute("UPDATE jobs SET status = 'queued' WHERE status = 'running'").rowcount

    def add(self, job: Job, request: str, now: float, *, backlog: int) -> Added:
        """A job that is known is not scanned again; one that has its result reports it once more, as a new message."""
        with self._transaction() as connection:
            known = connection.execute("SELECT status FROM jobs WHERE job_id = ?", [job.job_id]).fetchone()
            if known:
                connection.execute(
                    "UPDATE jobs SET status = 'scanned', webhook_id = ?, deliveries = 0, deliver_after = 0, request = ?"
                    " WHERE job_id = ? AND status IN ('reported', 'given_up')",
                    [_webhook_id(), request, job.job_id],
                )
                return Added.KNOWN
            waiting = connection.execute("SELECT count(*) FROM jobs WHERE status = 'queued'").fetchone()[0]
            if waiting >= backlog:
                return Added.FULL
            connection.execute(
                "INSERT INTO jobs (job_id, request, status, created_at) VALUES (?, ?, 'queued', ?)",
                [job.job_id, request, now],
            )
            return Added.ACCEPTED

    def claim(self) -> Claimed | None:
        with self._transaction() as connection:
            row = connection.execute(
                "UPDATE jobs SET status = 'running', attempts = attempts + 1 WHERE job_id ="
                " (SELECT job_id FROM jobs WHERE status = 'queued' ORDER BY created_at LIMIT 1)"
                " RETURNING request, attempts"
            ).fetchone()
        return Claimed(Job.parse(row[0]), row[1]) if row else None

    def put_back(self, job_id: str) -> None:
        """The scan was interrupted by a stop, which is no attempt."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE jobs SET status = 'queued', attempts = attempts - 1 WHERE job_id = ? AND status = 'running'",
                [job_id],
            )

    def finish(self, job_id: str, result: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                "UPDATE jobs SET status = 'scanned', result = ?, webhook_id = ?"
                " WHERE job_id = ? AND status = 'running'",
                [result, _webhook_id(), job_id],
            )

    def due(self, now: float) -> Delivery | None:
        with self._lock:
            row = self._connection.execute(
                "SELECT request, webhook_id, result, deliveries FROM jobs"
                " WHERE status = 'scanned' AND deliver_after <= ? ORDER BY deliver_after LIMIT 1",
                [now],
            ).fetchone()
        return Delivery(Job.parse(row[0]), *row[1:]) if row else None

    def postpone(self, job_id: str, until: float) -> None:
        with self._transaction() as connection:
            connection.execute(
                "UPDATE jobs SET deliveries = deliveries + 1, deliver_after = ? WHERE job_id = ?", [until, job_id]
            )

    def end(self, job_id: str, now: float, *, reported: bool) -> None:
        with self._transaction() as connection:
            status = "reported" if reported else "given_up"
            connection.execute("UPDATE jobs SET status = ?, ended_at = ? WHERE job_id = ?", [status, now, job_id])

    def forget(self, before: float) -> None:
        """Jobs that ended long ago: the sender does not ask for them again."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM jobs WHERE ended_at < ?", [before])

    def counts(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._connection.execute("SELECT status, count(*) FROM jobs GROUP BY status").fetchall())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _webhook_id() -> str:
    return f"msg_{uuid.uuid4().hex}"
