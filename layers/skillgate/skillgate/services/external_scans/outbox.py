"""Sending planned scans to the queue. The rows are the outbox: what is not sent now is sent by the sweeper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from skillgate.domain.errors import StoreUnavailable
from skillgate.domain.external_scan import OVERDUE
from skillgate.domain.skill import Published
from skillgate.observability import logger
from skillgate.ports import Backend

LIMIT = 1000  # in one sweep; what is left is found by the next
_KEEP = timedelta(days=30)


@dataclass(frozen=True)
class Swept:
    sent: int = 0
    timed_out: int = 0
    dispatched_again: int = 0


def send_planned(backend: Backend, published: Published) -> None:
    """One message per scanner for a version that has just been published. A failure is logged and made good later."""
    try:
        job_ids = backend.external_scans.unsent_of(published.skill_id, published.content_hash)
        if job_ids:
            _send(backend, job_ids)
    except StoreUnavailable as error:
        logger.warning("external_scans_not_sent", skill_id=published.skill_id, error=error.message)


def sweep(backend: Backend) -> Swept:
    """Times out what had no answer, once to be dispatched again; then sends what is unsent and fits into the hour."""
    now, settings = backend.now(), backend.settings
    overdue = backend.external_scans.time_out(dispatched_before=now - OVERDUE, at=now, limit=LIMIT)
    for job_id in overdue.ended:
        logger.error("external_scan_timed_out", job_id=job_id)
    backend.external_scans.forget(now - _KEEP)
    if not settings.scan_workers:
        return Swept(timed_out=len(overdue.ended), dispatched_again=len(overdue.again))
    used = backend.external_scans.dispatched_since(now - timedelta(hours=1))
    room = min(LIMIT, settings.external_scans_per_hour - used)
    before = now - timedelta(seconds=settings.unsent_after_seconds)
    job_ids = backend.external_scans.unsent(created_before=before, limit=room) if room > 0 else []
    sent = _send(backend, job_ids) if job_ids else 0
    return Swept(sent, len(overdue.ended), len(overdue.again))


def _send(backend: Backend, job_ids: Sequence[str]) -> int:
    """Returns how many reached the queue; only those are marked."""
    sent = backend.external_queue.send(job_ids).sent
    if len(sent) < len(job_ids):
        logger.warning("external_scans_not_sent", scans=len(job_ids) - len(sent))
    if sent:
        backend.external_scans.mark_sent(sent, backend.now())
    return len(sent)
