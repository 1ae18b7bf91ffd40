"""Postgres as a part: it starts anywhere, keeps what was committed, and comes back after anything."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from local.parts import postgres_host
from local.parts.postgres import Postgres, database_url_of, temporary_postgres
from local.parts.process import Account, PartError, answers_on
from tests.integration.local import processes

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to run Postgres as somebody else")

STACK = """
import sys, time
from pathlib import Path
from local.parts.postgres import Postgres
postgres = Postgres(Path(sys.argv[1]), fast=True).start()
print(postgres.pid, postgres.url(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A folder that every user can enter (pytest's own are for one user alone)."""
    directory = Path(tempfile.mkdtemp(prefix="skillgate-test-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with temporary_postgres() as postgres:
        yield postgres


def remember(url: str, fact: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS memory (fact text)")
        connection.execute("INSERT INTO memory VALUES (%s)", (fact,))


def remembered(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [fact for (fact,) in connection.execute("SELECT fact FROM memory ORDER BY fact")]


def test_it_answers_on_the_loopback_interface_and_on_its_socket(postgres: Postgres) -> None:
    assert postgres.socket_directory is not None
    over_socket = postgres.url().replace("127.0.0.1", str(postgres.socket_directory).replace("/", "%2F"))
    for url in (postgres.url(), over_socket):
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)


def test_nobody_gets_in_without_the_password(postgres: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(f"postgresql://skillgate@127.0.0.1:{postgres.port}/postgres")
    password = postgres.data_directory / "password"
    assert password.stat().st_mode & 0o077 == 0


def test_it_knows_letters_beyond_ascii(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url()) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        assert connection.execute("SELECT lower('ÄÖÜ'), similarity('größe', 'GRÖẞE')").fetchone() == ("äöü", 1.0)


def test_a_database_can_be_copied_from_a_template(postgres: Postgres) -> None:
    remember(postgres.create_database("migrated"), "schema")
    with postgres.scratch_database(template="migrated") as first:
        remember(first, "row")
        with postgres.scratch_database(template="migrated") as second:
            assert remembered(second) == ["schema"]
        assert remembered(first) == ["row", "schema"]
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        remembered(first)


def test_a_scratch_database_goes_even_while_somebody_is_connected(postgres: Postgres) -> None:
    with postgres.scratch_database() as url:
        connection = psycopg.connect(url)
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connection.close()


def test_what_was_committed_outlives_a_kill_and_a_restart(open_directory: Path) -> None:
    with Postgres(open_directory, fast=True) as postgres:
        remember(postgres.url(), "before the kill")
        port = postgres.port
        with psycopg.connect(postgres.url()) as connection:  # a connection that holds the server's memory
            postgres.kill()
            postgres.start()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
            connection.close()
        remember(postgres.url(), "between")
        postgres.restart()
        assert remembered(postgres.url()) == ["before the kill", "between"]
        assert postgres.port == port
    assert not answers_on(port)


def test_the_default_is_safe_and_fast_is_not(open_directory: Path, postgres: Postgres) -> None:
    with Postgres(open_directory) as safe:
        settings = []
        for url in (safe.url(), postgres.url()):
            with psycopg.connect(url) as connection:
                settings.append(
                    [connection.execute(f"SHOW {name}").fetchone() for name in ("fsync", "full_page_writes")]
                )
    assert settings == [[("on",), ("on",)], [("off",), ("off",)]]


def test_a_killed_stack_takes_its_postgres_along_and_the_next_one_finds_the_data(open_directory: Path) -> None:
    with processes.running(STACK, open_directory) as stack:
        pid, url = processes.first_line(stack).split()
        remember(url, "before")
    with Postgres(open_directory, fast=True) as postgres:  # at once, while the guardian may still be at work
        assert remembered(postgres.url()) == ["before"]
        assert not processes.is_alive(int(pid))


def test_a_server_that_lost_its_stack_and_its_guardian_is_ended_by_the_next_start(open_directory: Path) -> None:
    with processes.running(STACK, open_directory) as stack:
        pid, url = processes.first_line(stack).split()
        remember(url, "before")
        (guardian,) = processes.children_of(stack.pid, "guardian.py")
        os.kill(guardian, signal.SIGKILL)
    assert processes.is_alive(int(pid))
    with Postgres(open_directory, fast=True) as postgres:
        assert not processes.is_alive(int(pid))
        assert remembered(postgres.url()) == ["before"]


def test_a_stale_pid_file_with_the_number_of_another_process_is_no_obstacle(open_directory: Path) -> None:
    with Postgres(open_directory, fast=True) as postgres:
        cluster = postgres.data_directory / "cluster"
        lines = (cluster / "postmaster.pid").read_text().split("\n")
        postgres.kill()
        # Of the same user: Postgres itself takes such a process for a server that still runs, and gives up.
        user = cluster.stat().st_uid if os.geteuid() == 0 else None
        with subprocess.Popen(["sleep", "600"], user=user) as other:
            (cluster / "postmaster.pid").write_text("\n".join([str(other.pid), *lines[1:]]))
            postgres.start()
            assert other.poll() is None
            other.kill()
        assert postgres.is_running


def test_a_half_made_cluster_is_made_anew(open_directory: Path) -> None:
    unfinished = open_directory / "cluster.unfinished"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18")
    (open_directory / "password").write_text("old")
    with Postgres(open_directory, fast=True) as postgres:
        remember(postgres.url(), "works")


def test_a_directory_in_use_is_refused_by_name(open_directory: Path) -> None:
    with (
        Postgres(open_directory, fast=True),
        pytest.raises(PartError, match=r"postgres in .* is in use by another process"),
    ):
        Postgres(open_directory, fast=True).start()


def test_data_of_another_version_is_refused_by_name(open_directory: Path) -> None:
    with Postgres(open_directory, fast=True) as postgres:
        cluster = postgres.data_directory / "cluster"
    (cluster / "PG_VERSION").write_text("9\n")
    with pytest.raises(PartError, match="which Postgres 9 made"):
        Postgres(open_directory, fast=True).start()


def test_a_database_of_the_developer_wins() -> None:
    assert database_url_of({"DATABASE_URL": "postgresql://elsewhere/db"}) == "postgresql://elsewhere/db"
    assert database_url_of({"DATABASE_URL": " "}) is None
    assert database_url_of({}) is None


@as_root
def test_binaries_and_data_that_the_servers_user_cannot_reach_are_put_where_it_can(
    open_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a checkout under /root: nobody but root may enter it."""
    shelter = open_directory / "shelter"
    shelter.mkdir(mode=0o755)
    monkeypatch.setattr(postgres_host, "_SHELTER", shelter)
    tmp_path.chmod(0o700)
    hidden = tmp_path / "package" / "pginstall"
    installed = postgres_host.find_binaries().parent
    shutil.copytree(installed, hidden)
    libraries = installed.parent.with_name(f"{installed.parent.name}.libs")
    if libraries.exists():
        # The programs look for their libraries by the package's name.
        hidden = hidden.parent.rename(tmp_path / installed.parent.name) / "pginstall"
        shutil.copytree(libraries, tmp_path / libraries.name)
    monkeypatch.setattr(postgres_host, "find_binaries", lambda: hidden / "bin")
    for _ in range(2):  # the second start finds the copies of the first
        with Postgres(tmp_path / "data", fast=True) as postgres:
            remember(postgres.url(), "reached")
            assert postgres.data_directory.parent == shelter
            assert os.stat(f"/proc/{postgres.pid}").st_uid != 0 if sys.platform == "linux" else True
    with Postgres(tmp_path / "data", fast=True) as postgres:
        assert remembered(postgres.url()) == ["reached", "reached"]
    assert len(list(shelter.iterdir())) == 2


@as_root
def test_a_shelter_that_somebody_else_made_is_refused(
    open_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_host, "_SHELTER", open_directory)
    tmp_path.chmod(0o700)
    account = postgres_host.unprivileged_account(tmp_path)
    stand_in = postgres_host.reachable_directory(tmp_path, account)
    os.chown(stand_in, 12_345, 12_345)
    with pytest.raises(PartError, match="somebody else may write to it"):
        postgres_host.reachable_directory(tmp_path, account)


@as_root
def test_it_runs_without_root(open_directory: Path) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    os.chown(open_directory, nobody, nobody)
    account = Account(nobody, nobody)
    if not all(
        postgres_host.can_reach(path, account) for path in (processes.PROJECT, Path(sys.executable).resolve().parent)
    ):
        pytest.skip("another user cannot enter this checkout or run this Python")
    with processes.running(STACK, open_directory, uid=nobody) as stack:
        pid, url = processes.first_line(stack).split()
        remember(url, "without root")
        assert remembered(url) == ["without root"]
    assert processes.wait_for(lambda: not processes.is_alive(int(pid)))
