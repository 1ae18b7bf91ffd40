"""Scans samples on all cores and adds up recall and false positives per kind."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass

from skillgate.domain.verdict import Decision
from skillgate.scanning import scan
from skillgate.skill_folders import skill_files

from tests.eval.corpus import Sample


@dataclass(frozen=True, slots=True)
class Outcome:
    """`s` and `cpu` are the time of the scan itself, in seconds, without reading the files from disk."""

    id: str
    label: str
    tier: str
    block: bool
    review: bool
    score: int
    s: float
    why: str = ""
    cpu: float = 0.0

    def line(self) -> dict[str, object]:
        wanted = ("id", "block", "review", "score", "s")
        return {key: value for key, value in asdict(self).items() if key in wanted}


def scan_sample(sample: Sample) -> Outcome:
    files = list(skill_files(sample.folder, skip=frozenset()))
    started, worked = time.perf_counter(), time.process_time()
    report = scan(files)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    gravest = "; ".join(dict.fromkeys(f"{f.rule_id} {f.file}:{f.line}" for f in report.findings[:3]))
    unread = "; ".join(f"not read {entry.path} ({entry.reason})" for entry in report.coverage.skipped[:2])
    return Outcome(
        id=sample.id,
        label=sample.label,
        tier=sample.tier,
        block=report.decision is Decision.BLOCK,
        review=report.decision is Decision.REVIEW,
        score=report.score,
        s=round(seconds, 6),
        why="; ".join(part for part in (gravest, unread) if part),
        cpu=cpu,
    )


def scan_all(samples: Sequence[Sample], workers: int | None = None) -> list[Outcome]:
    """In processes of their own, with a bar on a terminal."""
    outcomes = []
    with ProcessPoolExecutor(workers or min(2, os.cpu_count() or 1)) as pool:
        for number, outcome in enumerate(pool.map(scan_sample, samples, chunksize=8), 1):
            outcomes.append(outcome)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{number}/{len(samples)}" + ("\n" if number == len(samples) else ""))
    return outcomes


@dataclass(frozen=True, slots=True)
class Share:
    """Of the samples of one label and tier: how many, and which part was blocked, sent on, approved."""

    label: str
    tier: str
    count: int
    blocked: float
    reviewed: float

    @property
    def caught(self) -> float:
        return self.blocked + self.reviewed


def shares(outcomes: Iterable[Outcome]) -> list[Share]:
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.label, ""].append(outcome)
        if outcome.tier != "all":
            groups[outcome.label, outcome.tier].append(outcome)
    return [
        Share(label, tier or "all", len(group), _part(o.block for o in group), _part(o.review for o in group))
        for (label, tier), group in sorted(groups.items(), reverse=True)
    ]


def _part(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class Timing:
    """By the clock on the wall; `mean_cpu_ms` is what a busy machine does not change."""

    mean_ms: float
    p95_ms: float
    max_ms: float
    mean_cpu_ms: float


def timing(outcomes: Sequence[Outcome]) -> Timing:
    times = sorted(outcome.s * 1000 for outcome in outcomes)
    if not times:
        return Timing(0, 0, 0, 0)
    cpu = sum(outcome.cpu * 1000 for outcome in outcomes) / len(outcomes)
    return Timing(sum(times) / len(times), times[min(len(times) - 1, int(len(times) * 0.95))], times[-1], cpu)


def ready_ms() -> float:
    """From starting to import the engine in a fresh interpreter to its first finished scan."""
    import subprocess

    code = (
        "import time; t = time.perf_counter()\n"
        "from skillgate.scanning import scan\n"
        "from skillgate.domain.skill_files import SkillFile\n"
        "scan([SkillFile.of('SKILL.md', '# x'), SkillFile.of('a.py', 'import os'), SkillFile.of('a.sh', 'curl x')])\n"
        "print((time.perf_counter() - t) * 1000)"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    return float(done.stdout)
