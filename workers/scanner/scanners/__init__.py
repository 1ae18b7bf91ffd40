"""The scanners that a worker can run, by the provider's name. Each is a command line and a reader of its output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from workers.scanner.commands import Commands
from workers.scanner.model import Scan
from workers.scanner.scanners.njsscan import NjsScan
from workers.scanner.scanners.semgrep import Semgrep
from workers.scanner.scanners.trufflehog import TruffleHog
from workers.scanner.staging import Staged

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


class Scanner(Protocol):
    program: str

    def scan(self, commands: Commands, staged: Staged, scratch: Path, version: str) -> Scan:
        """Raises ScanFailed where the scanner did not do its work, whatever the cause."""


def scanners(rules: Path, max_file_bytes: int) -> dict[str, Scanner]:
    return {"semgrep": Semgrep(rules, max_file_bytes), "njsscan": NjsScan(), "trufflehog": TruffleHog()}


def installed_version(commands: Commands, scanner: Scanner, scratch: Path) -> str | None:
    """The version that the program itself states; None where it is not installed."""
    if commands.find(scanner.program) is None:
        return None
    completed = commands.run([scanner.program, "--version"], scratch)
    found = _VERSION.search(completed.output) or _VERSION.search(completed.errors)
    return found[0] if found else "unknown"
