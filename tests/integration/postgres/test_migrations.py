"""Migrations: together they are the schema, they give up rather than block, and they are applied once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors
from skillgate import sql
from skillgate.adapters.postgres.migrations import migrate
from skillgate.concurrency import settle
from skillgate.domain.submission import State
from skillgate.sql import Migration

from local.schema import SCHEMA, dump
from tests.support.backends import Servers

ALL = [migration.name for migration in sql.migrations()]


@pytest.fixture
def empty(servers: Servers) -> Iterator[str]:
    with servers.postgres.scratch_database() as url:
        yield url


@pytest.fixture
def migrated(empty: str) -> str:
    migrate(empty)
    return empty


def then(text: str) -> list[Migration]:
    """The product's migrations and one more."""
    known = sql.migrations()
    return [*known, Migration(len(known) + 1, "one_more", text)]


def exists(url: str, table: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT to_regclass(%s)", [table]).fetchone()
        return row is not None and row[0] is not None


def test_the_committed_schema_is_what_the_migrations_make(migrated: str) -> None:
    assert dump(migrated) == SCHEMA.read_text(), "the schema has changed: run `make schema`"


def test_migrating_again_does_nothing(migrated: str) -> None:
    assert migrate(migrated) == []


def test_the_database_knows_the_states_that_the_domain_knows(migrated: str) -> None:
    with psycopg.connect(migrated) as connection:
        states = connection.execute("SELECT unnest(enum_range(NULL::submission_state))::text").fetchall()
    assert [state for (state,) in states] == [state.value for state in State]


def test_every_session_has_limits_and_speaks_utc(migrated: str) -> None:
    with psycopg.connect(migrated) as connection:
        limits = [
            connection.execute(f"SHOW {name}").fetchone()
            for name in ("statement_timeout", "idle_in_transaction_session_timeout", "timezone")
        ]
    assert limits == [("10s",), ("30s",), ("UTC",)]


def test_a_migration_that_is_blocked_by_a_lock_gives_up_and_leaves_nothing(migrated: str) -> None:
    blocked = then("CREATE TABLE half_done (); ALTER TABLE submissions ADD COLUMN extra integer;")
    with psycopg.connect(migrated) as other:
        other.execute("LOCK TABLE submissions IN ACCESS SHARE MODE")
        with pytest.raises(errors.LockNotAvailable):
            migrate(migrated, blocked, lock_timeout="50ms")
        assert not exists(migrated, "half_done")
        other.rollback()

    assert migrate(migrated, blocked) == ["one_more"]
    assert exists(migrated, "half_done")


def test_a_migration_that_runs_away_is_stopped_and_leaves_nothing(migrated: str) -> None:
    endless = then("CREATE TABLE half_done (); SELECT pg_sleep(600);")
    with pytest.raises(errors.QueryCanceled):
        migrate(migrated, endless, statement_timeout="200ms")
    assert not exists(migrated, "half_done")


def test_a_migration_that_fails_leaves_those_before_it_in_place(empty: str) -> None:
    with pytest.raises(errors.UndefinedTable):
        migrate(empty, then("CREATE TABLE half_done (); DROP TABLE no_such_table;"))
    assert exists(empty, "submissions") and not exists(empty, "half_done")
    assert migrate(empty) == []


def test_of_several_migrators_at_once_one_applies_everything_and_all_succeed(empty: str) -> None:
    migrators = 4
    barrier = threading.Barrier(migrators)

    def run(_: int) -> list[str]:
        barrier.wait(30)
        return migrate(empty)

    applied = [outcome.unwrap() for outcome in settle(run, range(migrators), workers=migrators)]

    assert sorted(applied) == [[], [], [], ALL]


def test_a_migrator_waits_for_another_longer_than_a_query_may_take(migrated: str) -> None:
    name = psycopg.conninfo.conninfo_to_dict(migrated)["dbname"]
    with psycopg.connect(migrated, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {name} SET statement_timeout = '100ms'")
        other.execute("SELECT pg_advisory_lock(7216001)")

        def release_when_somebody_has_waited() -> None:
            waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND wait_event = 'advisory'"
            while not other.execute(waiting, [name]).fetchone():
                other.execute("SELECT pg_sleep(0.01)")
            other.execute("SELECT pg_sleep(0.5)")
            other.execute("SELECT pg_advisory_unlock(7216001)")

        releasing = threading.Thread(target=release_when_somebody_has_waited)
        releasing.start()
        try:
            assert migrate(migrated) == []
        finally:
            releasing.join()


def test_numbers_with_a_gap_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "migrations").mkdir()
    for name in ("0001_first.sql", "0003_third.sql"):
        (tmp_path / "migrations" / name).write_text("SELECT 1;")
    monkeypatch.setattr(sql, "files", lambda _: tmp_path)
    with pytest.raises(ValueError, match="without gaps"):
        sql.migrations()
