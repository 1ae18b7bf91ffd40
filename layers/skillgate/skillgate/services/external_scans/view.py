"""What is known of a skill's security, from every scanner; and how the external scans are doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import NotFound
from skillgate.domain.external_scan import ExternalScan, Scanner, ScanStatus
from skillgate.domain.skill import Published
from skillgate.ports import Backend, ScanRecord, ScanStatistics
from skillgate.services import marketplace

PROVIDERS = ("tier1", "tier2", *Scanner)
NOT_RUN = "NOT_RUN"
UNKNOWN = "UNKNOWN"
_SILENT_AFTER = timedelta(hours=1)


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


def _tier1(skill: Published, record: ScanRecord | None) -> ProviderReport:
    """From the record of the scan, or from the report that the version was published with."""
    report = record.report if record else skill.report
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


@dataclass(frozen=True)
class DispatchState:
    """How external scans are doing. `state` is `no_workers`, `silent` (work waits and nothing comes back) or `ok`."""

    state: str
    workers: Sequence[str]
    per_hour: int
    statistics: ScanStatistics
    queue: Mapping[str, int] | None
    as_of: datetime


def dispatch_state(backend: Backend) -> DispatchState:
    """Raises StoreUnavailable; a queue that cannot be read is None."""
    now, settings = backend.now(), backend.settings
    counted, depth = together(lambda: backend.external_scans.statistics(now), backend.external_queue.depth)
    statistics = counted.unwrap()
    return DispatchState(
        state=_state(statistics, settings.scan_workers, now),
        workers=settings.scan_workers,
        per_hour=settings.external_scans_per_hour,
        statistics=statistics,
        queue=depth.value,
        as_of=now,
    )


def _state(statistics: ScanStatistics, workers: Sequence[str], now: datetime) -> str:
    if not workers:
        return "no_workers"
    long_ago = now - _SILENT_AFTER
    waits = statistics.oldest_unfinished is not None and statistics.oldest_unfinished < long_ago
    heard = statistics.last_result is not None and statistics.last_result >= long_ago
    return "silent" if waits and not heard else "ok"
