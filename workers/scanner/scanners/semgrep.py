"""Semgrep with the rules that are kept in this worker; no rule and no setting comes from the network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workers.scanner.commands import Commands
from workers.scanner.model import SEVERITIES, Coverage, Finding, Scan, ScanFailed
from workers.scanner.staging import Staged

_SEVERITIES = {"CRITICAL": "critical", "ERROR": "high", "HIGH": "high", "WARNING": "medium", "MEDIUM": "medium"}


class Semgrep:
    program = "semgrep"

    def __init__(self, rules: Path, max_file_bytes: int) -> None:
        self._rules, self._max_file_bytes = rules, max_file_bytes

    def scan(self, commands: Commands, staged: Staged, scratch: Path, version: str) -> Scan:
        options = ["--metrics", "off", "--disable-version-check", "--json", "--verbose", "--disable-nosem"]
        options += ["--no-git-ignore", "--max-target-bytes", str(self._max_file_bytes), "--jobs", "1"]
        completed = commands.run(
            [self.program, "scan", "--config", str(self._rules), *options, str(staged.directory)], scratch
        )
        if completed.exit_code not in (0, 1):
            raise ScanFailed("scanner_failed", f"Semgrep ended with {completed.exit_code}.")
        return read(completed.output, staged, version)


def read(output: str, staged: Staged, version: str) -> Scan:
    try:
        report = json.loads(output)
        findings = [_finding(result, staged) for result in report["results"]]
        scanned = {Path(name).name for name in report["paths"]["scanned"]} & set(staged.paths)
        trouble = {Path(each["path"]).name: str(each["type"]) for each in report["errors"] if each.get("path")}
    except (ValueError, KeyError, TypeError) as error:
        raise ScanFailed("output_not_understood", "Semgrep's report could not be read.") from error
    skipped = [*staged.skipped]
    skipped += [(path, "not scanned") for name, path in staged.paths.items() if name not in scanned]
    skipped += [(staged.paths[name], f"partly: {why}"[:100]) for name, why in trouble.items() if name in scanned]
    size = sum(staged.sizes[name] for name in scanned)
    return Scan(report.get("version") or version, findings, Coverage(staged.total, len(scanned), size, skipped))


def _finding(result: Mapping[str, Any], staged: Staged) -> Finding:
    extra = result["extra"]
    metadata = extra.get("metadata", {})
    severity = metadata.get("skillgate-severity")
    if severity not in SEVERITIES:
        severity = _SEVERITIES.get(extra["severity"], "low")
    return Finding(
        rule_id=result["check_id"].rpartition(".")[2],  # Semgrep puts the rules' folders before the id
        severity=severity,
        confirmed=severity == "critical" and metadata.get("confidence") == "HIGH",
        file=staged.original(result["path"]),
        line=int(result["start"]["line"]),
        message=str(extra["message"])[:500],
    )
