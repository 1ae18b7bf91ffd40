"""`skillgate scan PATH|URL`: the engine for authors and continuous integration.

Exit codes: 0 pass, 1 concerns, 2 fail, 3 could not scan.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import Decision, ScanReport, Severity
from skillgate.scanning import RULES, scan
from skillgate.scanning.sarif import to_sarif
from skillgate.skill_folders import skill_files, skill_folders

Fetch = Callable[[str], Sequence[SkillFile]]

EXIT_CODES = {Decision.PASS: 0, Decision.REVIEW: 1, Decision.BLOCK: 2}
CANNOT_SCAN = 3
_BAR = 30


def main(arguments: Sequence[str] | None = None, *, fetch: Fetch | None = None, out: TextIO | None = None) -> int:
    """`fetch` turns a repository's URL into files; without it only paths can be scanned."""
    out = out or sys.stdout
    options = _parser().parse_args(arguments)
    if options.explain:
        return _explain(options.explain, out)
    if not options.target:
        out.write("Nothing to scan: give a path or a URL.\n")
        return CANNOT_SCAN
    try:
        skills = _skills(options.target, fetch)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Cannot scan {options.target}: {error}\n")
        return CANNOT_SCAN
    reports = _scan_all(skills, progress=sys.stderr if len(skills) > 1 and sys.stderr.isatty() else None)
    _WRITERS[options.format](reports, out)
    return max(EXIT_CODES[report.decision] for report in reports.values())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="skillgate", description="Scans AI agent skills.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("scan", help="scan a skill, a folder of skills, or a repository")
    command.add_argument("target", nargs="?", help="a path, or the URL of a repository")
    command.add_argument("--format", choices=sorted(_WRITERS), default="text")
    command.add_argument("--explain", metavar="RULE", help="say what a rule means, and how to fix what it finds")
    return parser


def _skills(target: str, fetch: Fetch | None) -> dict[str, Sequence[SkillFile]]:
    if "://" in target:
        if fetch is None:
            raise ValueError("URLs cannot be fetched here; clone the repository and give its path")
        return {target: list(fetch(target))}
    folders = skill_folders(Path(target))
    if not folders:
        raise ValueError("no SKILL.md found")
    return {str(folder): list(skill_files(folder)) for folder in folders}


def _scan_all(skills: dict[str, Sequence[SkillFile]], progress: TextIO | None) -> dict[str, ScanReport]:
    reports = {}
    for number, (name, files) in enumerate(skills.items(), 1):
        reports[name] = scan(files)
        if progress is not None:
            filled = _BAR * number // len(skills)
            progress.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] {number}/{len(skills)}")
            progress.write("\n" if number == len(skills) else "")
            progress.flush()
    return reports


def _explain(rule_id: str, out: TextIO) -> int:
    rule = next((rule for rule in RULES if rule.id == rule_id.upper()), None)
    if rule is None:
        out.write(f"There is no rule {rule_id}. Rules: {', '.join(rule.id for rule in RULES)}\n")
        return CANNOT_SCAN
    out.write(f"{rule.id} ({rule.severity.value}, {rule.category}, OWASP {rule.owasp})\n{rule.message}\n\n")
    out.write(f"Why: {rule.why}\nFix: {rule.fix}\n")
    return 0


def _write_text(reports: dict[str, ScanReport], out: TextIO) -> None:
    for name, report in reports.items():
        out.write(f"{name}: {report.decision.value.upper()}, score {report.score}\n")
        for finding in report.findings:
            if finding.severity is Severity.INFO:
                continue
            out.write(
                f"  {finding.severity.value:8} {finding.rule_id} {finding.file}:{finding.line} {finding.message}\n"
            )
            out.write(f"           {finding.snippet}\n           Fix: {finding.fix}\n")
        coverage = report.coverage
        out.write(f"  read {coverage.files_read} of {coverage.files_total} files, {coverage.bytes_read} bytes")
        out.write(f"; rules {report.rules_version}, engine {report.engine_version}\n")
        for entry in coverage.skipped:
            out.write(f"  not read: {entry.path} ({entry.reason})\n")


def _write_json(reports: dict[str, ScanReport], out: TextIO) -> None:
    documents: list[dict[str, Any]] = [{"path": name, **report.to_dict()} for name, report in reports.items()]
    json.dump(documents[0] if len(documents) == 1 else documents, out, indent=2, ensure_ascii=False)
    out.write("\n")


def _write_sarif(reports: dict[str, ScanReport], out: TextIO) -> None:
    document: dict[str, Any] = {}
    for name, report in reports.items():
        one = to_sarif(report)
        for result in one["runs"][0]["results"] if len(reports) > 1 else ():
            location = result["locations"][0]["physicalLocation"]["artifactLocation"]
            location["uri"] = f"{name}/{location['uri']}"
        document = document or {**one, "runs": []}
        document["runs"] += one["runs"]
    json.dump(document, out, indent=2, ensure_ascii=False)
    out.write("\n")


_WRITERS: dict[str, Callable[[dict[str, ScanReport], TextIO], None]] = {
    "text": _write_text,
    "json": _write_json,
    "sarif": _write_sarif,
}
