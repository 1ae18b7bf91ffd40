"""What is known of a published skill's security, from every scanner: the one place that answers it.

The API's security routes, its report files and the security page all read it here, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import NotFound
from skillgate.domain.external_scan import ExternalScan, Scanner, ScanStatus
from skillgate.domain.skill import Published
from skillgate.domain.verdict import ScanReport
from skillgate.ports import Backend, ScanRecord
from skillgate.scanning.sarif import to_sarif
from skillgate.services import marketplace
from skillgate.services.marketplace import Skill

PROVIDERS = ("tier1", "tier2", *Scanner)
NOT_RUN = "NOT_RUN"
UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class ProviderReport:
    """One scanner's word on one version. `verdict` is None as long as it has not spoken, also where it failed."""

    provider: str
    status: str
    verdict: str | None = None
    score: int | None = None
    scanner_version: str | None = None
    duration_ms: int | None = None
    coverage: Mapping[str, Any] | None = None
    findings: Sequence[Mapping[str, Any]] = ()
    findings_total: int | None = None
    error_code: str | None = None
    error: str | None = None
    dispatched_at: datetime | None = None
    completed_at: datetime | None = None


@dataclass(frozen=True)
class SkillSecurity:
    skill: Published
    providers: Sequence[ProviderReport]
    as_of: datetime


def skill_security(backend: Backend, skill_id: str) -> SkillSecurity:
    """Every provider's report on the skill's current version; one that could not be read is UNKNOWN, not clean.

    Raises NotFound, also for a skill that was never scanned here, and Gone for one that was removed.
    """
    skill = marketplace.get_skill_by_name(backend, skill_id).published
    if skill is None:
        raise NotFound("This skill was not scanned here.", code="not_scanned")
    tiers, external = together(
        lambda: backend.store.scans(skill.submission_id),
        lambda: backend.external_scans.of_version(skill.skill_id, skill.content_hash),
    )
    now = backend.now()
    recorded = tiers.unwrap() if tiers.ok else ()
    records = {record.tier: record for record in recorded if record.content_hash == skill.content_hash}
    reports = [_tier1(skill, records.get(1)), _tier2(records.get(2)) if tiers.ok else ProviderReport("tier2", UNKNOWN)]
    if external.ok:
        scans = {scan.scanner: scan for scan in external.unwrap()}
        reports += [_external(scanner, scans.get(scanner), now) for scanner in Scanner]
    else:
        reports += [ProviderReport(scanner, UNKNOWN) for scanner in Scanner]
    return SkillSecurity(skill, reports, now)


def provider_report(security: SkillSecurity, provider: str) -> ProviderReport:
    for report in security.providers:
        if report.provider == provider:
            return report
    raise NotFound(f"There is no such provider; there are: {', '.join(PROVIDERS)}.", code="provider_unknown")


def report_of(backend: Backend, skill_id: str) -> tuple[Skill, Mapping[str, Any]]:
    """The tier 1 report that let the current version pass. Raises NotFound, and Gone for one that was removed."""
    skill = marketplace.get_skill_by_name(backend, skill_id)
    if skill.published is None or not skill.published.report:
        raise NotFound("There is no report of this skill.", code="not_scanned")
    return skill, skill.published.report


def sarif_of(backend: Backend, skill_id: str) -> tuple[Skill, dict[str, Any]]:
    """The same report as SARIF 2.1.0, which code hosts and editors read. Raises as `report_of` does."""
    skill, report = report_of(backend, skill_id)
    return skill, to_sarif(ScanReport.from_dict(report))


def _tier1(skill: Published, record: ScanRecord | None) -> ProviderReport:
    """The report that the version was published with, as `report_of` answers it; the record adds how it was made."""
    report = skill.report or (record.report if record else {})
    if not report:
        return ProviderReport("tier1", NOT_RUN)
    version = f"skillgate {report.get('engineVersion', '')} rules {report.get('rulesVersion', '')}"
    return ProviderReport(
        provider="tier1",
        status=ScanStatus.COMPLETED,
        verdict=report.get("decision"),
        score=report.get("score"),
        scanner_version=record.scanner if record else version,
        duration_ms=record.duration_ms if record else int(report.get("durationMs", 0)),
        coverage=report.get("coverage"),
        findings=report.get("findings", ()),
        findings_total=len(report.get("findings", ())),
        completed_at=record.created_at if record else skill.published_at,
    )


def _tier2(record: ScanRecord | None) -> ProviderReport:
    if record is None:
        return ProviderReport("tier2", NOT_RUN)
    findings = record.report.get("findings") or ()
    return ProviderReport(
        provider="tier2",
        status=ScanStatus.COMPLETED,
        verdict=record.decision,
        score=record.score,
        scanner_version=record.scanner,
        duration_ms=record.duration_ms,
        coverage=record.report.get("coverage"),
        findings=findings,
        findings_total=len(findings),
        completed_at=record.created_at,
    )


def _external(scanner: Scanner, scan: ExternalScan | None, now: datetime) -> ProviderReport:
    if scan is None:
        return ProviderReport(scanner, NOT_RUN)
    result = scan.result or {}
    total = result.get("findingsTotal") if scan.status is ScanStatus.COMPLETED else None
    verdict = None if total is None else "findings" if total else "clean"
    return ProviderReport(
        provider=scanner,
        status=scan.shown_status(now),
        verdict=verdict,
        scanner_version=result.get("scannerVersion"),
        duration_ms=result.get("durationMs"),
        coverage=result.get("coverage"),
        findings=result.get("findings", ()),
        findings_total=total,
        error_code=scan.error_code,
        error=scan.error,
        dispatched_at=scan.dispatched_at,
        completed_at=scan.completed_at,
    )
