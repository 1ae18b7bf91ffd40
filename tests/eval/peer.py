"""Runs another scanner, `cisco-ai-skill-scanner`, on the same folder, in a virtual environment of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.eval.corpus import Sample
from tests.eval.measure import Outcome

PACKAGE = "cisco-ai-skill-scanner"
ENVIRONMENT = Path(".local/peer-venv")
# One process over many skills: starting an interpreter per skill would be measured instead of the scan.
# What the peer itself prints must not come between the answers, so they go to the real standard output.
_RUNNER = r"""
import json, os, sys, time
from pathlib import Path
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from skill_scanner import SkillScanner
scanner = SkillScanner()
for line in sys.stdin:
    folder = line.rstrip("\n")
    started, worked = time.perf_counter(), time.process_time()
    try:
        result = scanner.scan_skill(Path(folder))
        severities = [str(getattr(f.severity, "value", f.severity)).upper() for f in result.findings]
        error = ""
    except Exception as problem:
        severities, error = [], repr(problem)
    spent = {"s": time.perf_counter() - started, "cpu": time.process_time() - worked}
    print(json.dumps({**spent, "severities": severities, "error": error}), file=answers, flush=True)
"""


def environment() -> Path:
    """The interpreter of the peer's environment, made on demand."""
    python = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    finished = ENVIRONMENT / "installed"  # written last: what was broken off half-way is made again
    if not finished.exists():
        uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
        print(f"Installing {PACKAGE} into {ENVIRONMENT}", file=sys.stderr)
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, ENVIRONMENT], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, PACKAGE], check=True)
        finished.touch()
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
    severities, seconds, cpu = answer["severities"], answer["s"], answer["cpu"]
    assert isinstance(severities, list) and isinstance(seconds, float) and isinstance(cpu, float)
    block = "CRITICAL" in severities
    review = not block and bool({"HIGH", "MEDIUM"} & set(severities))
    return Outcome(sample.id, sample.label, sample.tier, block, review, 0, seconds, str(answer["error"]), cpu)
