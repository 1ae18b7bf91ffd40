"""`python -m local.newcomer [--tests] [--long]`: prints a table of what was run, and fails if anything did."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local.newcomer import links
from local.newcomer.readme import LEFT_OUT, LONG, STACK, commands, needs_the_stack
from local.parts.part import PROJECT

FIRST_START_SECONDS = 600
COMMAND_SECONDS = {"make test": 3600.0}
_README_PORT = "8080"
_OURS = ("PYTHON", "VIRTUAL_ENV", "XDG_", "MAKE", "MFLAGS", "DATABASE_URL", "GITHUB", "AWS_", "PORT", "WORKER")


@dataclass(frozen=True)
class Row:
    what: str
    seconds: float | None
    result: str
    ok: bool = True


def machine_environment() -> dict[str, str]:
    """The machine's own variables (where proxies and certificates are), without those of this checkout or its user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    folders = kept.get("PATH", os.defpath).split(os.pathsep)
    return kept | {"PATH": os.pathsep.join(each for each in folders if not Path(each).is_relative_to(PROJECT))}


class Newcomer:
    """Somebody with a clone, an empty home, and what the machine has on its PATH."""

    def __init__(self, folder: Path) -> None:
        self._clone, home = folder / "skillgate", folder / "home"
        home.mkdir()
        self._environment = machine_environment() | {"HOME": str(home)}
        self._log = folder / "stack.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = str(free.getsockname()[1])
        _done(["git", "clone", "--quiet", f"file://{PROJECT}", str(self._clone)], folder, self._environment, 120)

    @property
    def readme(self) -> str:
        return (self._clone / "README.md").read_text(encoding="utf-8")

    def links(self) -> Row:
        started = time.monotonic()
        trouble = list(links.broken(self._clone))
        number = len(links.pages(self._clone))
        return _row(f"the links of {number} pages", started, "; ".join(trouble))

    def run(self, command: str) -> Row:
        started = time.monotonic()
        here = command.replace(f":{_README_PORT}/", f":{self._port}/").replace("curl ", "curl --fail-with-body -sS ", 1)
        seconds = COMMAND_SECONDS.get(command, 900.0)
        return _row(command, started, _done(["bash", "-c", here], self._clone, self._environment, seconds))

    @contextmanager
    def stack(self) -> Iterator[Row]:
        """`make run` until it answers; ended as Ctrl-C ends it."""
        started = time.monotonic()
        command = ["make", "run", f"PORT={self._port}"]
        with self._log.open("w") as log:
            process = subprocess.Popen(
                command, cwd=self._clone, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            trouble = self._wait_for_answer(process)
            yield _row(STACK, started, trouble and f"{trouble}: {self._log.read_text()[-400:]}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)

    def _wait_for_answer(self, process: subprocess.Popen[bytes]) -> str:
        deadline = time.monotonic() + FIRST_START_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                return f"it ended with {process.returncode}"
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/api/v1/submissions/stats", timeout=30):
                    return ""
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        return "it did not answer in time"


def _done(command: list[str], folder: Path, environment: dict[str, str], seconds: float) -> str:
    """Nothing, or the end of what it said before it failed."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds:.0f} s"
    said = " ".join((done.stdout[-300:] + " " + done.stderr[-300:]).split())
    return "" if done.returncode == 0 else f"{said} (exit {done.returncode})"


def _row(what: str, started: float, trouble: str) -> Row:
    return Row(what, time.monotonic() - started, f"FAILED: {trouble}" if trouble else "ok", not trouble)


def follow(newcomer: Newcomer, *, tests: bool, long: bool) -> Iterator[Row]:
    left_out = LEFT_OUT | {
        command: why
        for command, why in LONG.items()
        if not (tests and command == "make test") and not (long and command in ("make lint", "make build"))
    }
    shown = commands(newcomer.readme)
    yield newcomer.links()
    with newcomer.stack() as started:
        yield started
        if not started.ok:
            return  # nothing below would say more
        for command in shown:
            if needs_the_stack(command) and command not in left_out:
                yield newcomer.run(command)
    for command in shown:
        if command in left_out:
            yield Row(command, None, f"left out: {left_out[command]}")
        elif command != STACK and not needs_the_stack(command):
            yield newcomer.run(command)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.newcomer", description=__doc__)
    parser.add_argument("--tests", action="store_true", help="run `make test` too")
    parser.add_argument("--long", action="store_true", help="run `make lint` and `make build` too")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="skillgate-newcomer-") as folder:
        print(f"A fresh clone and an empty home in {folder}", flush=True)
        for row in follow(Newcomer(Path(folder)), tests=arguments.tests, long=arguments.long):
            seconds = "" if row.seconds is None else f"{row.seconds:.1f} s"
            print(f"{seconds:>9}  {row.what[:110]:<112}{row.result}", flush=True)
            failed += not row.ok
    print(f"{failed} failed" if failed else "Everything that was run works.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
