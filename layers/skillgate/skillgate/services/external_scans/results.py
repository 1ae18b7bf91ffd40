"""Taking what a worker reports. Whoever calls has checked the signature; here each report counts once."""

from __future__ import annotations

from skillgate.domain.errors import StoreUnavailable, Unauthenticated
from skillgate.domain.external_scan import ExternalReport
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend, Received
from skillgate.services.blocklist import show_status


def receive(backend: Backend, webhook_id: str, report: ExternalReport) -> Received:
    """What the report changed. Raises Unauthenticated for one taken before, NotFound for a job that is not ours."""
    received = backend.external_scans.receive(webhook_id, report, backend.now())
    if received.replayed:
        raise Unauthenticated("This webhook was received before.", code="webhook_replayed")
    measure(Measure.SCAN_RESULTS)
    if received.not_applied:
        logger.warning("external_report_changes_nothing", job_id=report.job_id, why=received.not_applied)
    else:
        logger.info("external_report", job_id=report.job_id, status=report.status, findings=report.findings_total)
    if received.quarantined_skill:
        logger.error("version_quarantined", skill_id=received.quarantined_skill, reason=report.quarantine_reason)
        refresh_copy(backend, received.quarantined_skill)
    return received


def refresh_copy(backend: Backend, skill_id: str) -> None:
    """Brings the fast copy, and the status beside the index, up to Postgres.

    Where they cannot be written, the index is rebuilt from the truth later.
    """
    try:
        published = backend.skills.get(skill_id)
        if published is not None:
            show_status(backend, [published])
    except StoreUnavailable as error:
        logger.warning("kv_write_failed", skill_id=skill_id, error=error.message)
