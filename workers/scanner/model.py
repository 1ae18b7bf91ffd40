"""A job as it comes in and a result as it goes out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

MAX_FINDINGS = 100
MAX_SKIPPED = 100
SEVERITIES = ("critical", "high", "medium", "low", "info")

_FIELDS = ("jobId", "skillName", "repoUrl", "commitSha", "contentHash", "skillPath", "provider", "callbackUrl")
_REPOSITORY = re.compile(r"https://github\.com/([A-Za-z0-9_.-]{1,100})/([A-Za-z0-9_.-]{1,100})", re.ASCII)
_FORMS = {
    "jobId": re.compile(r"[0-9a-f-]{36}", re.ASCII),
    "commitSha": re.compile(r"[0-9a-f]{40}", re.ASCII),
    "contentHash": re.compile(r"[0-9a-f]{64}", re.ASCII),
    "provider": re.compile(r"[a-z]{1,40}", re.ASCII),
    "callbackUrl": re.compile(r"https?://[^\s]{1,500}", re.ASCII),
}


class InvalidJob(Exception):
    """The body is not a job; says what is wrong with it."""


class ScanFailed(Exception):
    """The scan could not be done. It says something about us or the repository's host, nothing about the skill."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Job:
    job_id: str
    provider: str
    owner: str
    repo: str
    commit_sha: str
    content_hash: str
    skill_path: str
    callback_url: str

    @property
    def folder(self) -> str:
        """The skill's folder with a slash at its end; empty for a skill at the root."""
        return self.skill_path.rpartition("/")[0] + "/" if "/" in self.skill_path else ""

    @classmethod
    def parse(cls, body: bytes | str) -> Job:
        try:
            fields = json.loads(body)
        except ValueError:
            raise InvalidJob("The body is not JSON.") from None
        if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in _FIELDS):
            raise InvalidJob(f"A job has the texts {', '.join(_FIELDS)}.")
        wrong = [name for name, form in _FORMS.items() if not form.fullmatch(fields[name])]
        repository = _REPOSITORY.fullmatch(fields["repoUrl"])
        if wrong or repository is None or {repository[1], repository[2]} & {".", ".."}:
            raise InvalidJob(f"These do not fit: {', '.join(wrong or ['repoUrl'])}.")
        return cls(
            job_id=fields["jobId"],
            provider=fields["provider"],
            owner=repository[1],
            repo=repository[2],
            commit_sha=fields["commitSha"],
            content_hash=fields["contentHash"],
            skill_path=fields["skillPath"],
            callback_url=fields["callbackUrl"],
        )


@dataclass(frozen=True)
class Finding:
    """Where and what, without the text itself: a report that quoted a secret would publish it."""

    rule_id: str
    severity: str
    confirmed: bool
    file: str
    line: int
    message: str

    def as_dict(self) -> dict[str, Any]:
        shown = asdict(self)
        return {"ruleId": shown.pop("rule_id"), **shown}


@dataclass(frozen=True)
class Coverage:
    """The receipt: how many files the skill has, how many the scanner read, and what it did not and why.

    `not_applicable` are files of kinds that this scanner is not made for; `skipped` it should have read and did not.
    """

    files_total: int
    files_scanned: int
    bytes_scanned: int
    skipped: Sequence[tuple[str, str]] = ()
    not_applicable: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "filesTotal": self.files_total,
            "filesScanned": self.files_scanned,
            "filesNotApplicable": self.not_applicable,
            "bytesScanned": self.bytes_scanned,
            "skipped": [{"path": path, "reason": reason} for path, reason in self.skipped[:MAX_SKIPPED]],
            "skippedTotal": len(self.skipped),
            "complete": not self.skipped,
        }


@dataclass(frozen=True)
class Scan:
    """What a scanner found, with its own version."""

    version: str
    findings: Sequence[Finding]
    coverage: Coverage


@dataclass(frozen=True)
class Report:
    """What goes back over the wire for one job."""

    job: Job
    status: str
    duration_ms: int = 0
    scan: Scan | None = None
    error: Mapping[str, str] | None = None
    scanner_version: str | None = field(default=None)

    def as_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "jobId": self.job.job_id,
            "contentHash": self.job.content_hash,
            "provider": self.job.provider,
            "status": self.status,
            "durationMs": self.duration_ms,
            "scannerVersion": self.scan.version if self.scan else self.scanner_version,
        }
        if self.error is not None:
            shown["error"] = dict(self.error)
        if self.scan is not None:
            worst = sorted(self.scan.findings, key=lambda each: (SEVERITIES.index(each.severity), not each.confirmed))
            shown["findings"] = [each.as_dict() for each in worst[:MAX_FINDINGS]]
            shown["findingsTotal"] = len(worst)
            shown["severities"] = Counter(each.severity for each in worst)
            shown["coverage"] = self.scan.coverage.as_dict()
        return shown
