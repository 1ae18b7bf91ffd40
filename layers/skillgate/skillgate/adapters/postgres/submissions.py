"""Submissions, their events and their scans in Postgres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from psycopg.errors import UniqueViolation
from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres import submission_list
from skillgate.adapters.postgres.connections import Connection, Connections
from skillgate.domain.errors import DuplicateSubmission
from skillgate.domain.submission import Event, Reason, State, Submission
from skillgate.ports import ListQuery, OpenKey, Page, ScanRecord, Screening, Statistics, StreamEvent

_Q = sql.queries("submissions")
_NOT_IN_A_SUBMISSION = ("repo_key", "reason_code", "reason", "uncopied")


class PostgresSubmissions:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # --- creating and moving ------------------------------------------------------------------------------------

    def insert_many(self, submissions: Sequence[Submission], *, with_events: bool) -> set[str]:
        """Inserts what is not open yet, in one statement; returns the ids that are new."""
        rows = [_columns(submission) for submission in submissions]
        for row in rows:
            row |= {name: row[name].isoformat() for name in ("created_at", "updated_at")}
        return {str(row["id"]) for row in self._all("insert_many", rows=Jsonb(rows), with_events=with_events)}

    def find_open(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Submission]:
        rows = self._all("find_open", **_unzipped(keys))
        return {submission.open_key: submission for submission in map(_submission, rows)}

    def screen(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Screening]:
        return {
            (row["repo_key"], row["skill_path"]): Screening(
                row["blocked_reason"], row["skill_id"], row["skill_name"], row["commit_sha"]
            )
            for row in self._all("screen", **_unzipped(keys))
        }

    def blocked_content(self, content_hash: str) -> str | None:
        rows = self._all("blocked_content", content_hash=content_hash)
        return str(rows[0]["reason"]) if rows else None

    def move(self, before: Submission, after: Submission, event: Event) -> bool:
        """The conditional transition with its event. False if the row is no longer what `before` says."""
        parameters = _columns(after) | {
            "from_state": before.state,
            "actor": event.actor,
            "event_reason_code": event.reason.code if event.reason else None,
            "event_reason": event.reason.message if event.reason else None,
            "detail": Jsonb(event.detail),
        }
        try:
            return bool(self._all("move", **parameters))
        except UniqueViolation as error:
            raise DuplicateSubmission("Another submission of this skill is open.") from error

    def replay(self, submission: Submission) -> bool:
        """Brings the row and its events up to a newer copy.

        False, and nothing written, if it is not newer, or if it went another way than the row: then the row is the
        truth. Raises DuplicateSubmission if another submission of the skill is open.
        """
        try:
            with self._connections.transaction() as connection:
                if not _continues(connection, submission):
                    return False
                if connection.execute(_Q["replay"], _columns(submission)).rowcount == 0:
                    return False
                for event in submission.pending:
                    connection.execute(_Q["replay_event"], _event_columns(event))
                return True
        except UniqueViolation as error:
            raise DuplicateSubmission("Another submission of this skill is open.") from error

    def mark_uncopied(self, ids: Sequence[str]) -> None:
        self._run("mark_uncopied", ids=list(ids))

    def uncopied(self, limit: int) -> list[Submission]:
        """What DynamoDB lacks because it was away; the oldest first."""
        return [_submission(row) for row in self._all("uncopied", limit=limit)]

    def mark_copied(self, submissions: Sequence[Submission]) -> None:
        versions = [submission.version for submission in submissions]
        self._run("mark_copied", ids=[submission.id for submission in submissions], versions=versions)

    def mark_sent(self, ids: Sequence[str], at: datetime) -> None:
        self._run("mark_sent", ids=list(ids), at=at)

    # --- reading ------------------------------------------------------------------------------------------------

    def get_many(self, ids: Sequence[str]) -> dict[str, Submission]:
        return {str(row["id"]): _submission(row) for row in self._all("get_many", ids=list(ids))}

    def history(self, submission_id: str) -> list[Event]:
        return [_event(row) for row in self._all("history", id=submission_id)]

    def stuck(self, *, idle_since: datetime, now: datetime, limit: int) -> list[Submission]:
        return [_submission(row) for row in self._all("stuck", idle_since=idle_since, now=now, limit=limit)]

    def unsent(self, *, created_before: datetime, limit: int) -> list[Submission]:
        return [_submission(row) for row in self._all("unsent", created_before=created_before, limit=limit)]

    def waiting_before(self, created_at: datetime) -> int:
        return int(self._all("waiting_before", created_at=created_at)[0]["ahead"])

    def page(self, query: ListQuery) -> Page:
        """One page, newest (or oldest) first. Costs what the page holds, whatever the table's size."""
        statement, parameters = submission_list.page(query)
        with self._connections.transaction() as connection:
            rows = connection.execute(statement, parameters).fetchall()
            total, exact = _total(connection, query)
        found = [_submission(row) for row in rows[: query.limit]]
        last = found[-1] if len(rows) > query.limit else None
        return Page(found, total, exact, (getattr(last, query.sort), last.id) if last else None)

    def statistics(self, now: datetime) -> Statistics:
        with self._connections.transaction() as connection:
            counts = connection.execute(_Q["counts"]).fetchall()
            throughput = connection.execute(_Q["throughput"], {"now": now}).fetchall()
            times = connection.execute(_Q["stage_times"], {"since": now - timedelta(days=1)}).fetchone() or {}
            oldest = connection.execute(_Q["oldest_in_flight"]).fetchone() or {}
        states = dict.fromkeys(State, 0) | {State(row["state"]): int(row["submissions"]) for row in counts}
        span = float(times["span"] or 0)
        return Statistics(
            as_of=now,
            states=states,
            answered_hour=sum(int(row["hour"]) for row in throughput),
            answered_six_hours=sum(int(row["six_hours"]) for row in throughput),
            answered_day=sum(int(row["day"]) for row in throughput),
            published_day=sum(int(row["day"]) for row in throughput if row["state"] == State.PUBLISHED),
            median_seconds=None if times["p50"] is None else float(times["p50"]),
            p95_seconds=None if times["p95"] is None else float(times["p95"]),
            answers_per_second=times["answers"] / span if span > 0 else None,
            oldest_in_flight=oldest["created_at"],
        )

    def events_after(self, cursor: tuple[str, int] | None, limit: int) -> list[StreamEvent]:
        xact, seq = cursor or ("0", 0)
        return [
            StreamEvent(
                (str(row["xact"]), row["seq"]), _event(row), row["repo_url"], row["skill_name"], row["skill_path"]
            )
            for row in self._all("events_after", xact=xact, seq=seq, limit=limit)
        ]

    def newest_event(self) -> tuple[str, int]:
        rows = self._all("newest_event")
        return (rows[0]["xact"], rows[0]["seq"]) if rows else ("0", 0)

    # --- scans --------------------------------------------------------------------------------------------------

    def save_scan(self, scan: ScanRecord) -> None:
        self._run("save_scan", **(vars(scan) | {"report": Jsonb(dict(scan.report))}))

    def scans(self, submission_id: str) -> list[ScanRecord]:
        rows = self._all("scans", submission_id=submission_id)
        return [ScanRecord(**(row | {"submission_id": str(row["submission_id"])})) for row in rows]

    def _all(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.single() as connection:
            return connection.execute(_Q[name], parameters).fetchall()

    def _run(self, name: str, /, **parameters: Any) -> None:
        with self._connections.single() as connection:
            connection.execute(_Q[name], parameters)


def _continues(connection: Connection, submission: Submission) -> bool:
    """Whether the copy's events go on from the row's: none is missing in between, and those that both have agree."""
    told = {event.version: event for event in submission.pending}
    first = min(told, default=submission.version)
    rows = connection.execute(_Q["branch"], {"id": submission.id, "from_version": first}).fetchall()
    if not rows:
        return True
    agree = all(
        (told[row["version"]].to_state, told[row["version"]].at) == (State(row["to_state"]), row["at"])
        for row in rows
        if row["version"] in told
    )
    return agree and first <= rows[0]["row_version"] + 1


def _total(connection: Connection, query: ListQuery) -> tuple[int, bool]:
    """How many there are in all, and whether that is exact."""
    if submission_list.counted_by_state(query):
        counts = {State(row["state"]): int(row["submissions"]) for row in connection.execute(_Q["counts"]).fetchall()}
        return sum(counts.get(state, 0) for state in (query.states or tuple(State))), True
    statement, parameters = submission_list.total(query)
    row = connection.execute(statement, parameters).fetchone() or {}
    return min(row["found"], submission_list.EXACT_UP_TO), row["found"] <= submission_list.EXACT_UP_TO


def _unzipped(keys: Sequence[OpenKey]) -> dict[str, list[str]]:
    return {"repo_keys": [repo for repo, _ in keys], "skill_paths": [path for _, path in keys]}


def _columns(submission: Submission) -> dict[str, Any]:
    values = dict(vars(submission))
    reason, _ = values.pop("reason"), values.pop("pending")
    return values | {
        "repo_key": submission.repo_key,
        "reason_code": reason.code if reason else None,
        "reason": reason.message if reason else None,
    }


def _event_columns(event: Event) -> dict[str, Any]:
    values = dict(vars(event))
    reason = values.pop("reason")
    return values | {
        "detail": Jsonb(event.detail),
        "reason_code": reason.code if reason else None,
        "reason": reason.message if reason else None,
    }


def _submission(row: Mapping[str, Any]) -> Submission:
    values = {name: value for name, value in row.items() if name not in _NOT_IN_A_SUBMISSION}
    return Submission(**values | {"id": str(row["id"]), "state": State(row["state"]), "reason": _reason(row)})


def _event(row: Mapping[str, Any]) -> Event:
    return Event(
        submission_id=str(row["submission_id"]),
        version=row["version"],
        from_state=State(row["from_state"]) if row["from_state"] else None,
        to_state=State(row["to_state"]),
        at=row["at"],
        actor=row["actor"],
        reason=_reason(row),
        detail=row["detail"],
    )


def _reason(row: Mapping[str, Any]) -> Reason | None:
    return Reason(row["reason_code"], row["reason"] or "") if row["reason_code"] else None
