"""Running a command that must succeed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from tests.support.backends import PROJECT


def run(*command: str, environment: Mapping[str, str] | None = None) -> str:
    """What it printed. Where it fails, the assertion shows all that it said."""
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
