"""External scans on the wire: what workers report, and what people are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from skillgate.api.models import ReasonIn, Wire
from skillgate.domain.errors import InvalidInput
from skillgate.domain.external_scan import ExternalFinding, ExternalReport, Scanner, ScanStatus, worst_first
from skillgate.domain.verdict import Severity
from skillgate.services.external_scans.dispatch_state import DispatchState
from skillgate.services.external_scans.findings import findings_in_sarif
from skillgate.services.security_view import ProviderReport, SkillSecurity

_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


class FindingIn(Wire):
    rule_id: str = Field(min_length=1, max_length=200)
    severity: Severity
    confirmed: bool = False
    file: str = Field("", max_length=500)
    line: int = Field(1, ge=1, le=10_000_000)
    message: str = Field("", max_length=500)


class SkippedIn(Wire):
    path: str = Field(max_length=500)
    reason: str = Field(max_length=100)


class CoverageIn(Wire):
    """What the scanner was given and what it read; `complete` is false where something was left out."""

    files_total: int = Field(ge=0)
    files_scanned: int = Field(ge=0)
    files_not_applicable: int = Field(0, ge=0)
    bytes_scanned: int = Field(0, ge=0)
    skipped: list[SkippedIn] = Field(default_factory=list, max_length=100)
    skipped_total: int = Field(0, ge=0)
    complete: bool


class ErrorIn(Wire):
    code: str = Field(min_length=1, max_length=100)
    message: str = Field(max_length=500)


class ScanResultIn(Wire):
    """A worker's report on one job: its findings, as a list or as SARIF, or why the scanner failed."""

    job_id: str = Field(pattern=_ID)
    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    provider: Scanner
    status: Literal["running", "completed", "failed"]
    scanner_version: str | None = Field(None, max_length=200)
    duration_ms: int | None = Field(None, ge=0, le=86_400_000)
    coverage: CoverageIn | None = None
    findings: list[FindingIn] = Field(default_factory=list, max_length=10_000)
    findings_total: int = Field(0, ge=0, description="Where more were found than are sent.")
    sarif: dict[str, Any] | None = Field(None, description="SARIF 2.1.0, instead of `findings`.")
    error: ErrorIn | None = None

    def report(self) -> ExternalReport:
        """Raises InvalidInput where status, findings and error do not go together."""
        if (self.status == "failed") != (self.error is not None):
            raise InvalidInput("A failed scan has an error, and no other has.", code="validation_failed")
        findings, tool = self._findings()
        completed = self.status == "completed"
        return ExternalReport(
            job_id=self.job_id,
            content_hash=self.content_hash,
            scanner=self.provider,
            status=ScanStatus(self.status.upper()),
            scanner_version=self.scanner_version or tool,
            duration_ms=self.duration_ms,
            coverage=self.coverage.model_dump(mode="json", by_alias=True) if self.coverage else None,
            findings=worst_first(findings) if completed else (),
            findings_total=max(self.findings_total, len(findings)) if completed else 0,
            error_code=self.error.code if self.error else None,
            error=self.error.message if self.error else None,
            raw=self.model_dump(mode="json", by_alias=True, exclude_none=True),
        )

    def _findings(self) -> tuple[Sequence[ExternalFinding], str | None]:
        if self.sarif is not None:
            if self.findings:
                raise InvalidInput("Findings come as a list or as SARIF, not as both.", code="validation_failed")
            return findings_in_sarif(self.sarif)
        return [ExternalFinding(**vars(finding)) for finding in self.findings], None


class ReceivedOut(Wire):
    """`applied` is false for a report that was kept and changed nothing, with the reason in `why`."""

    ok: bool = True
    applied: bool
    why: str | None = None


class ProviderOut(Wire):
    """One scanner's report. `verdict` is about the skill, and null as long as there is none; `status` and `errorCode`
    are about the scanner: a scanner that failed says nothing about the skill."""

    provider: str
    status: str
    verdict: str | None
    score: int | None
    scanner_version: str | None
    duration_ms: int | None
    coverage: Mapping[str, Any] | None
    findings: Sequence[Mapping[str, Any]]
    findings_total: int | None
    findings_omitted: int | None = Field(description="Found, and only counted.")
    error_code: str | None
    error: str | None
    dispatched_at: datetime | None
    completed_at: datetime | None

    @classmethod
    def of(cls, report: ProviderReport) -> ProviderOut:
        omitted = None if report.findings_total is None else report.findings_total - len(report.findings)
        return cls(**vars(report), findings_omitted=omitted)


class SecurityOut(Wire):
    skill_id: str
    current_version: str
    content_hash: str
    commit_sha: str
    cert_tier: str
    cert_score: int
    status: str
    status_reason: str | None
    installable: bool
    providers: list[ProviderOut]
    as_of: datetime

    @classmethod
    def of(cls, security: SkillSecurity) -> SecurityOut:
        skill = security.skill
        return cls(
            skill_id=skill.skill_id,
            current_version=skill.version,
            content_hash=skill.content_hash,
            commit_sha=skill.commit_sha,
            cert_tier=skill.cert_tier,
            cert_score=skill.cert_score,
            status=skill.status,
            status_reason=skill.status_reason,
            installable=skill.status == "published",
            providers=[ProviderOut.of(report) for report in security.providers],
            as_of=security.as_of,
        )


class ProviderAnswer(ProviderOut):
    skill_id: str
    current_version: str
    content_hash: str
    as_of: datetime

    @classmethod
    def answer(cls, security: SkillSecurity, report: ProviderReport) -> ProviderAnswer:
        skill = security.skill
        return cls(
            **vars(ProviderOut.of(report)),
            skill_id=skill.skill_id,
            current_version=skill.version,
            content_hash=skill.content_hash,
            as_of=security.as_of,
        )


class ExternalScansOut(Wire):
    state: str = Field(description="`ok`, `no_workers`, or `silent`: work waits for an hour and nothing comes back.")
    workers: list[str]
    per_hour: int
    dispatched_last_hour: int
    unfinished: Mapping[str, Mapping[str, int]]
    ended_last_day: Mapping[str, Mapping[str, int]]
    oldest_unfinished_seconds: float | None
    last_result_at: datetime | None
    queue: Mapping[str, int] | None
    degraded: bool
    as_of: datetime

    @classmethod
    def of(cls, seen: DispatchState) -> ExternalScansOut:
        numbers = seen.statistics
        oldest = numbers.oldest_unfinished
        return cls(
            state=seen.state,
            workers=list(seen.workers),
            per_hour=seen.per_hour,
            dispatched_last_hour=numbers.dispatched_hour,
            unfinished=numbers.unfinished,
            ended_last_day=numbers.ended_day,
            oldest_unfinished_seconds=(seen.as_of - oldest).total_seconds() if oldest else None,
            last_result_at=numbers.last_result,
            queue=seen.queue,
            degraded=seen.queue is None,
            as_of=seen.as_of,
        )


class RestoreIn(ReasonIn):
    skill_id: str = Field(min_length=5, max_length=320, examples=["acme-labs/csv-tools/csv-summary"])
    content_hash: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="Which version; else the current one."
    )


class StartOverIn(ReasonIn):
    limit: int = Field(500, ge=1, le=1000)
