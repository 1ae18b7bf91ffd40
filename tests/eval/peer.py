"""Runs another scanner, `cisco-ai-skill-scanner`, on the same folder, in a virtual environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path

from tests.eval.corpus import Sample
from tests.eval.measure import Outcome

PACKAGE = "cisco-ai-skill-scanner"
ENVIRONMENT = Path(".cache/peer-venv")
# One process over many skills: starting an interpreter per skill would be measured instead of the scan.
_RUNNER = r"""
import json, sys, time
from pathlib import Path
from skill_scanner import SkillScanner
scanner = SkillScanner()
for line in sys.stdin:
    folder = line.rstrip("\n")
    started = time.perf_counter()
    try:
        result = scanner.scan_skill(Path(folder))
        severities = [str(getattr(f.severity, "value", f.severity)).upper() for f in result.findings]
        error = ""
    except Exception as problem:
        severities, error = [], repr(problem)
    print(json.dumps({"s": time.perf_counter() - started, "severities": severities, "error": error}), flush=True)
"""


def environment() -> Path:
    """The interpreter of the peer's environment, made on demand."""
    python = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True)
    return python.absolute()


def scan_with_peer(samples: Sequence[Sample]) -> list[Outcome]:
    """Critical counts as blocked, high and medium as sent on: how its findings are meant to be used."""
    python = environment()
    outcomes = []
    started = time.perf_counter()
    with subprocess.Popen(
        [python, "-c", _RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for sample in samples:
            process.stdin.write(f"{sample.folder}\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"the peer ended after {time.perf_counter() - started:.0f} s, at {sample.id}")
            outcomes.append(_outcome(sample, json.loads(line)))
        process.stdin.close()
    return outcomes


def _outcome(sample: Sample, answer: dict[str, object]) -> Outcome:
    severities = answer["severities"]
    assert isinstance(severities, list)
    block = "CRITICAL" in severities
    review = not block and bool({"HIGH", "MEDIUM"} & set(severities))
    seconds = answer["s"]
    assert isinstance(seconds, float)
    return Outcome(sample.id, sample.label, sample.tier, block, review, 0, seconds, str(answer["error"]))
