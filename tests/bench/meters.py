"""What a piece of work asks of the parts around it: units, requests, bytes, and the database's own work."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import psycopg
from skillgate.observability import logger

from tests.support.backends import World

_READS = {"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"}


class Meters:
    """Counts from the moment it is made. DynamoDB's units are those that the emulator says it would bill."""

    def __init__(self, made: World) -> None:
        self._made = made
        self.read_units = self.write_units = 0.0
        self.sqs_requests = self.github_requests = self.github_bytes = 0
        backend: Any = made.backend  # the adapters' own clients: the only place that sees every call
        dynamodb, sqs = backend.live._table._client, backend.queue._client
        dynamodb.meta.events.register("provide-client-params.dynamodb.*", _ask_for_units)
        dynamodb.meta.events.register("after-call.dynamodb.*", self._count_units)
        sqs.meta.events.register("after-call.sqs.*", self._count_sqs)
        backend.source._requests._client.event_hooks["response"].append(self._count_github)
        self._kilobytes, self._transactions = self._database()
        self._cpu = self._postgres_cpu()

    def _count_units(self, parsed: dict[str, Any], model: Any, **_: Any) -> None:
        consumed = parsed.get("ConsumedCapacity") or []
        units = sum(each["CapacityUnits"] for each in (consumed if isinstance(consumed, list) else [consumed]))
        if model.name in _READS:
            self.read_units += units
        else:
            self.write_units += units

    def _count_sqs(self, **_: Any) -> None:
        self.sqs_requests += 1

    def _count_github(self, response: Any) -> None:
        self.github_requests += 1
        self.github_bytes += int(response.headers.get("content-length", 0))

    @property
    def postgres_kilobytes(self) -> float:
        return self._database()[0] - self._kilobytes

    @property
    def postgres_transactions(self) -> int:
        return self._database()[1] - self._transactions

    @property
    def postgres_cpu_seconds(self) -> float:
        return self._postgres_cpu() - self._cpu

    def _database(self) -> tuple[float, int]:
        with psycopg.connect(self._made.database_url) as connection:
            connection.execute("SELECT pg_stat_force_next_flush()")
            row = connection.execute(
                "SELECT pg_database_size(datname), xact_commit FROM pg_stat_database WHERE datname = current_database()"
            ).fetchone()
        assert row is not None
        return row[0] / 1000, row[1]

    def _postgres_cpu(self) -> float:
        """Of the server's process and of every child it has, or had."""
        with psycopg.connect(self._made.database_url) as connection:
            postmaster = int(_stat(connection.info.backend_pid)[1])
        children = (_ticks(pid) for pid in _children(postmaster))
        return (_ticks(postmaster, reaped=True) + sum(children)) / os.sysconf("SC_CLK_TCK")


def _ask_for_units(params: dict[str, Any], **_: Any) -> None:
    params["ReturnConsumedCapacity"] = "TOTAL"


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on; the second, a name in brackets, may hold blanks."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return ["Z", "0", *["0"] * 15]


def _ticks(pid: int, *, reaped: bool = False) -> int:
    user, system, children_user, children_system = map(int, _stat(pid)[11:15])
    return user + system + (children_user + children_system if reaped else 0)


def _children(parent: int) -> list[int]:
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if _stat(pid)[1] == str(parent)]


@contextmanager
def captured_logs() -> Iterator[io.StringIO]:
    """Everything that the functions print: log lines, and metrics in their embedded format."""
    printed = io.StringIO()
    handler: Any = logger.registered_handler
    before = handler.setStream(printed)
    try:
        with redirect_stdout(printed):
            yield printed
    finally:
        handler.setStream(before)
