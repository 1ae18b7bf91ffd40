"""Applies the migrations, one transaction each, one migrator at a time."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from skillgate import sql
from skillgate.sql import Migration

# A migration that cannot get its lock, or runs away, must fail instead of taking the product down with it.
LOCK_TIMEOUT = "5s"
STATEMENT_TIMEOUT = "5min"
_ONE_AT_A_TIME = 7_216_001  # any number, the same for every migrator


def migrate(
    dsn: str,
    migrations: Sequence[Migration] | None = None,
    *,
    lock_timeout: str = LOCK_TIMEOUT,
    statement_timeout: str = STATEMENT_TIMEOUT,
) -> list[str]:
    """Brings the schema up to date and returns the names of the migrations that were applied now.

    Raises psycopg.Error and leaves the schema as it was before the migration that failed.
    """
    applied: list[str] = []
    with psycopg.connect(dsn, autocommit=True) as connection:
        # Waiting for another migrator takes as long as its migrations may; the database's own limit is for queries.
        connection.execute("SELECT set_config('statement_timeout', %s, false)", [statement_timeout])
        connection.execute("SELECT pg_advisory_lock(%s)", [_ONE_AT_A_TIME])
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations (number int PRIMARY KEY, name text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT now())"
        )
        done = {row[0] for row in connection.execute("SELECT number FROM schema_migrations")}
        for migration in sql.migrations() if migrations is None else migrations:
            if migration.number in done:
                continue
            with connection.transaction():
                connection.execute("SELECT set_config('lock_timeout', %s, true)", [lock_timeout])
                connection.execute(migration.text.encode())
                connection.execute(
                    "INSERT INTO schema_migrations (number, name) VALUES (%s, %s)", [migration.number, migration.name]
                )
            applied.append(migration.name)
    return applied
