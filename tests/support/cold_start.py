"""A handler imported as Lambda imports it: a fresh interpreter that sees the layers and the functions, nothing else.

The built layer of dependencies is for arm64. Where that cannot be imported, the same pinned list is installed for the
machine at hand.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.backends import PROJECT
from tests.support.commands import run

FUNCTIONS = tuple(sorted(path.parent.name for path in (PROJECT / "functions").glob("*/app.py")))
_SETTINGS = {
    "TABLE_NAME": "cold-start",
    "SUBMISSIONS_QUEUE_URL": "http://sqs.invalid/submissions",
    "SUBMISSIONS_DEAD_LETTERS_URL": "http://sqs.invalid/submissions-dead-letters",
    "EXTERNAL_SCANS_QUEUE_URL": "http://sqs.invalid/external-scans",
    "EXTERNAL_SCANS_DEAD_LETTERS_URL": "http://sqs.invalid/external-scans-dead-letters",
    "INTERNAL_KEYS": "cold-start",
    "JWT_SECRETS": "a-signing-key-that-is-long-enough-0123456789",
    "DATABASE_URL": "postgresql://database.invalid/skillgate",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
}
_MEASURED = """
import json, sys, time
started, worked = time.perf_counter(), time.process_time()
{statement}
times = [time.perf_counter() - started, time.process_time() - worked]
files = {{name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}}
print(json.dumps([*times, files]))
"""


@dataclass(frozen=True)
class Import:
    seconds: float
    cpu_seconds: float
    files: dict[str, str | None]

    def packages_from(self, folder: Path) -> set[str]:
        """The top-level packages that came out of this folder."""
        inside = (name for name, file in self.files.items() if file and Path(file).is_relative_to(folder))
        return {name.partition(".")[0] for name in inside}


def native_layer(folder: Path) -> Path:
    """The pinned dependencies for this machine and this interpreter, compiled as the built layer is."""
    uv, version = PROJECT / ".venv" / "bin" / "uv", f"{sys.version_info.major}.{sys.version_info.minor}"
    run(str(uv), "pip", "install", "--quiet", "--target", str(folder), "--python", sys.executable,
        "--python-version", version, "--only-binary", ":all:", "--require-hashes", "--no-deps",
        "-r", str(PROJECT / "layers" / "dependencies" / "requirements.txt"))  # fmt: skip
    _compile(folder)
    return folder


def compiled_copy(folder: Path, *sources: Path) -> list[Path]:
    """The sources with their bytecode, outside of the checkout."""
    copies = []
    for source in sources:
        run("cp", "-R", str(source), str(folder / source.name))
        copies.append(folder / source.name)
    _compile(folder)
    return copies


def fresh_import(statement: str, path: Sequence[Path]) -> Import:
    """Runs the statement in an interpreter of its own, without the packages of this one."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), **_SETTINGS}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    output = run(sys.executable, "-S", "-c", _MEASURED.format(statement=statement), environment=environment)
    return Import(*json.loads(output.splitlines()[-1]))


def _compile(folder: Path) -> None:
    run(sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(folder))
