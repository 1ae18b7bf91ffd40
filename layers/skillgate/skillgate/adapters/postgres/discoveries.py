"""What was discovered, and the log of the runs, in Postgres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from skillgate import sql
from skillgate.adapters.postgres.connections import Connection, Connections
from skillgate.domain.discovery import (
    Candidate,
    Counts,
    Mark,
    Outcome,
    PublishedAtSource,
    RepositoryRow,
    Run,
    SourceTotals,
    TokenState,
)
from skillgate.ports import DiscoveryBatch, OpenKey

_Q = sql.queries("discoveries")


class PostgresDiscoveries:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    @contextmanager
    def exclusively(
        self, candidates: Sequence[Candidate], *, source: str, at: datetime, again_since: datetime
    ) -> Iterator[DiscoveryBatch]:
        """Waits for whoever looks at one of these, and holds a connection until the batch ends.

        What was marked is kept only if the batch ends well.
        """
        with self._connections.transaction() as connection:
            keys = _arrays(candidates)
            del keys["commits"]
            connection.execute(_Q["take_turns"], keys)
            yield _Batch(connection, candidates, source, at, again_since)

    def has_been_discovered(self, candidates: Sequence[Candidate], *, again_since: datetime) -> set[OpenKey]:
        with self._connections.single() as connection:
            return _known(connection, candidates, again_since)

    def begin(self, run: Run, *, forget_before: datetime) -> Mapping[str, Any] | None:
        """Opens the log of the run, and returns the checkpoint of the last one of its source."""
        with self._connections.transaction() as connection:
            connection.execute(_Q["forget_runs"], {"forget_before": forget_before})
            row = connection.execute(_Q["begin"], vars(run) | {"counts": None, "tokens": None, "checkpoint": None})
            begun = row.fetchone()
        assert begun is not None  # an insert returns its row
        checkpoint: Mapping[str, Any] | None = begun["checkpoint"]
        return checkpoint

    def save(self, run: Run, rows: Mapping[str, RepositoryRow]) -> None:
        """Brings the log up to the run. `rows` are what was added since the last time, by repository key."""
        written = [
            {"repo_key": key, "repo_url": row.repo_url, **asdict(row.counts), "error": row.error}
            for key, row in sorted(rows.items())
        ]
        values = {
            "id": run.id,
            "ended_at": run.ended_at,
            "counts": Jsonb(asdict(run.counts)),
            "hidden": run.hidden,
            "tokens": Jsonb([_token_to_json(token) for token in run.tokens]),
            "checkpoint": None if run.checkpoint is None else Jsonb(dict(run.checkpoint)),
            "outcome": run.outcome,
            "message": run.message,
        }
        with self._connections.transaction() as connection:
            connection.execute(_Q["save"], values)
            if written:
                connection.execute(_Q["save_repositories"], {"run_id": run.id, "rows": Jsonb(written)})

    def runs(self, *, source: str | None, limit: int) -> list[Run]:
        return [_run(row) for row in self._all("runs", source=source, limit=limit)]

    def latest(self) -> list[Run]:
        """The last run of each source."""
        return [_run(row) for row in self._all("latest")]

    def repositories(self, run_id: str) -> list[RepositoryRow] | None:
        """A row for each repository of the run; None if there is no such run."""
        if not self._all("run_exists", run_id=run_id):
            return None
        return [
            RepositoryRow(row.pop("repo_url"), error=row.pop("error"), counts=Counts(**row))
            for row in self._all("repositories", run_id=run_id)
        ]

    def totals(self) -> list[SourceTotals]:
        numbers = ("runs", "candidates", "enqueued", "skipped_dedup", "skipped_blocked", "errors")
        return [SourceTotals(**row | {name: int(row[name]) for name in numbers}) for row in self._all("totals")]

    # --- published skills, looked at again ----------------------------------------------------------------------

    def due(self, *, checked_before: datetime, limit: int) -> list[PublishedAtSource]:
        """The skills of so many repositories that were not looked at since then."""
        return [PublishedAtSource(**row) for row in self._all("due", checked_before=checked_before, limit=limit)]

    def checked(self, skill_ids: Sequence[str], *, head: str | None, at: datetime) -> None:
        """These were looked at; `head` is None where the newest commit is not known or not dealt with."""
        with self._connections.single() as connection:
            connection.execute(_Q["checked"], {"skill_ids": list(skill_ids), "head": head, "at": at})

    def set_removed(self, skill_ids: Sequence[str], *, removed_at: datetime | None, at: datetime) -> list[str]:
        """Marks skills as removed at their source, or as back; returns those for which that is news."""
        rows = self._all("set_removed", skill_ids=list(skill_ids), removed_at=removed_at, at=at)
        return [str(row["id"]) for row in rows]

    def _all(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        with self._connections.single() as connection:
            return connection.execute(_Q[name], parameters).fetchall()


@dataclass(frozen=True)
class _Batch:
    connection: Connection
    candidates: Sequence[Candidate]
    source: str
    at: datetime
    again_since: datetime

    def has_been_discovered(self) -> set[OpenKey]:
        return _known(self.connection, self.candidates, self.again_since)

    def mark_discovered(self, marks: Sequence[Mark]) -> None:
        # One row cannot be written twice by one statement; the last word on a candidate counts.
        rows = {
            mark.candidate.key: {
                "repo_key": mark.candidate.repo.key,
                "skill_path": mark.candidate.skill_path,
                "repo_url": mark.candidate.repo.url,
                "commit_sha": mark.candidate.commit_sha,
                "submission_id": mark.submission_id,
                "settled": mark.settled,
            }
            for mark in sorted(marks, key=lambda mark: mark.settled)
        }
        values = {"marks": Jsonb(list(rows.values())), "source": self.source, "at": self.at}
        self.connection.execute(_Q["mark_discovered"], values)


def _known(connection: Connection, candidates: Sequence[Candidate], again_since: datetime) -> set[OpenKey]:
    rows = connection.execute(_Q["has_been_discovered"], {**_arrays(candidates), "again_since": again_since})
    return {(row["repo_key"], row["skill_path"]) for row in rows.fetchall()}


def _arrays(candidates: Sequence[Candidate]) -> dict[str, list[Any]]:
    return {
        "repo_keys": [candidate.repo.key for candidate in candidates],
        "skill_paths": [candidate.skill_path for candidate in candidates],
        "commits": [candidate.commit_sha for candidate in candidates],
    }


def _run(row: Mapping[str, Any]) -> Run:
    return Run(
        **dict(row)
        | {
            "id": str(row["id"]),
            "counts": Counts(**row["counts"]),
            "tokens": [_token_from_json(token) for token in row["tokens"]],
            "outcome": Outcome(row["outcome"]) if row["outcome"] else None,
        }
    )


def _token_to_json(token: TokenState) -> dict[str, Any]:
    return asdict(token) | {"resets_at": token.resets_at.isoformat() if token.resets_at else None}


def _token_from_json(stored: Mapping[str, Any]) -> TokenState:
    resets_at = stored["resets_at"]
    return TokenState(**dict(stored) | {"resets_at": datetime.fromisoformat(resets_at) if resets_at else None})
