"""A small pool of Postgres connections, made for functions that are frozen between invocations.

It has no threads and no timers: a connection is opened when one is needed and none is idle, and checked before use if
it has been idle long enough to have died while the environment was frozen. A server that is away fails the call with
StoreUnavailable, and the calls of the next second at once: a record makes several, and has no time to wait for each.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import dict_row

from skillgate.domain.errors import StoreUnavailable

Connection = psycopg.Connection[dict[str, Any]]

_CONNECT_TIMEOUT_SECONDS = 3
_CHECK_AFTER_IDLE_SECONDS = 5.0
_AWAY_SECONDS = 1.0
_RENEW_SECONDS = 30.0


class Connections:
    """`renew` tells address and password anew: a connection may be refused because its password was rotated."""

    def __init__(
        self, dsn: str, *, size: int, application: str = "skillgate", renew: Callable[[], str] | None = None
    ) -> None:
        self._dsn = dsn
        self._renew = renew
        self._renewed_at = float("-inf")
        self._application = application
        self._idle: list[tuple[Connection, float]] = []
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._away_until = 0.0

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside a transaction: committed at the end, rolled back on an error."""
        with self.single() as connection, connection.transaction():
            yield connection

    @contextmanager
    def single(self) -> Iterator[Connection]:
        """A connection for a single statement, which is its own transaction and so one round trip.

        Raises StoreUnavailable if Postgres cannot be reached or goes away; errors of the statement itself pass through.
        """
        with self._slots:
            connection = self._take()
            healthy = False
            try:
                yield connection
                healthy = True
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                raise StoreUnavailable("Postgres did not answer.", retry_after=5) from error
            except Exception:
                healthy = not connection.closed
                raise
            finally:
                self._give_back(connection, healthy=healthy)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self) -> Connection:
        while True:
            with self._lock:
                connection, since = self._idle.pop() if self._idle else (None, 0.0)
            if connection is None:
                return self._open()
            if time.monotonic() - since < _CHECK_AFTER_IDLE_SECONDS or _alive(connection):
                return connection
            connection.close()

    def _give_back(self, connection: Connection, *, healthy: bool) -> None:
        if not healthy or connection.closed:
            connection.close()
            with self._lock:  # its siblings were opened to the same server and have likely died with it
                stale, self._idle = self._idle, []
            for other, _ in stale:
                other.close()
            return
        with self._lock:
            self._idle.append((connection, time.monotonic()))

    def _open(self) -> Connection:
        if time.monotonic() < self._away_until:
            raise StoreUnavailable("Postgres could not be reached a moment ago.", retry_after=5)
        try:
            try:
                return self._connect()
            except psycopg.OperationalError:
                if not self._has_new_dsn():
                    raise
                return self._connect()
        except psycopg.OperationalError as error:
            self._away_until = time.monotonic() + _AWAY_SECONDS
            raise StoreUnavailable("Postgres cannot be reached.", retry_after=5) from error

    def _connect(self) -> Connection:
        return psycopg.connect(
            self._dsn,
            autocommit=True,
            row_factory=dict_row,
            prepare_threshold=None,  # RDS Proxy pins a session that prepares statements
            connect_timeout=_CONNECT_TIMEOUT_SECONDS,
            application_name=self._application,
        )

    def _has_new_dsn(self) -> bool:
        """Asks for it, now and then: a server that is away would be asked about in vain with every call."""
        with self._lock:
            if self._renew is None or time.monotonic() - self._renewed_at < _RENEW_SECONDS:
                return False
            self._renewed_at = time.monotonic()
        before, self._dsn = self._dsn, self._renew()
        return self._dsn != before


def _alive(connection: Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True
