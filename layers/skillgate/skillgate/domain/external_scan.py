"""Scans by the deep scanners on VMs: one per published version and scanner, and what they report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from skillgate.domain.verdict import Severity

OVERDUE = timedelta(minutes=20)  # without a result for so long, a dispatched scan counts as timed out
MAX_DISPATCHES = 2  # the first, and once more after a time-out
MAX_FINDINGS = 100


class Scanner(StrEnum):
    SEMGREP = "semgrep"
    NJSSCAN = "njsscan"
    TRUFFLEHOG = "trufflehog"


class ScanStatus(StrEnum):
    """FAILED and TIMED_OUT say something about the scanner, and nothing about the skill."""

    QUEUED = "QUEUED"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"


DISPATCHED = frozenset({ScanStatus.PENDING, ScanStatus.RUNNING})


@dataclass(frozen=True)
class ExternalScan:
    """One scanner's work on one published version."""

    job_id: str
    version_id: int
    skill_id: str
    skill_name: str
    repo_url: str
    commit_sha: str
    skill_path: str
    content_hash: str
    scanner: Scanner
    status: ScanStatus
    created_at: datetime
    worker: str | None = None
    dispatches: int = 0
    sent_at: datetime | None = None
    dispatched_at: datetime | None = None
    completed_at: datetime | None = None
    error_code: str | None = None
    error: str | None = None
    result: Mapping[str, Any] | None = None

    def shown_status(self, now: datetime) -> ScanStatus:
        """As people see it: what has had no answer for too long is timed out, also before the sweeper has come by."""
        overdue = self.dispatched_at is not None and self.dispatched_at < now - OVERDUE
        return ScanStatus.TIMED_OUT if self.status in DISPATCHED and overdue else self.status


@dataclass(frozen=True)
class ExternalFinding:
    """A concern that a scanner has. `confirmed` is the scanner's word that this is no guess."""

    rule_id: str
    severity: Severity
    confirmed: bool
    file: str
    line: int
    message: str

    @property
    def quarantines(self) -> bool:
        return self.confirmed and self.severity is Severity.CRITICAL

    def to_dict(self) -> dict[str, Any]:
        return {
            "ruleId": self.rule_id,
            "severity": self.severity.value,
            "confirmed": self.confirmed,
            "file": self.file,
            "line": self.line,
            "message": self.message,
        }


@dataclass(frozen=True)
class ExternalReport:
    """What a worker says about one job, at most a hundred findings with the worst first and the rest counted."""

    job_id: str
    content_hash: str
    scanner: Scanner
    status: ScanStatus  # RUNNING, COMPLETED or FAILED
    scanner_version: str | None = None
    duration_ms: int | None = None
    coverage: Mapping[str, Any] | None = None
    findings: Sequence[ExternalFinding] = ()
    findings_total: int = 0
    error_code: str | None = None
    error: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)  # what is kept of a report that changes nothing

    @property
    def quarantine_reason(self) -> str | None:
        for finding in self.findings:
            if finding.quarantines:
                return f"{self.scanner} confirmed {finding.rule_id} in {finding.file}:{finding.line}. {finding.message}"
        return None

    def to_result(self) -> dict[str, Any]:
        return {
            "scannerVersion": self.scanner_version,
            "durationMs": self.duration_ms,
            "coverage": dict(self.coverage) if self.coverage is not None else None,
            "findings": [finding.to_dict() for finding in self.findings],
            "findingsTotal": self.findings_total,
        }


def worst_first(findings: Sequence[ExternalFinding]) -> list[ExternalFinding]:
    """The findings that are kept. A confirmed critical is never among those that are only counted."""
    ordered = sorted(findings, key=lambda each: (each.severity.rank, each.confirmed), reverse=True)
    return ordered[:MAX_FINDINGS]


def why_not_applied(scan: ExternalScan, report: ExternalReport) -> str | None:
    """Why a genuine report changes nothing: it is about other content, or the scan has its result. None: it counts."""
    if report.content_hash != scan.content_hash:
        return "other_content"
    if report.scanner is not scan.scanner:
        return "other_scanner"
    if scan.status is ScanStatus.COMPLETED:
        return "already_completed"
    if report.status is ScanStatus.RUNNING and scan.status is not ScanStatus.PENDING:
        return "out_of_date"
    return None
