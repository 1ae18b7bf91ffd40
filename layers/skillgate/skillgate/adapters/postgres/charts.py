"""What the operators' charts are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from skillgate import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.ports import AnsweredHour

_Q = sql.queries("charts")


class PostgresCharts:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def answered_by_hour(self, now: datetime, hours: int) -> Sequence[AnsweredHour]:
        with self._connections.transaction() as connection:
            rows = connection.execute(_Q["answered_by_hour"], {"now": now, "hours": hours}).fetchall()
        return [AnsweredHour(**row) for row in rows]
