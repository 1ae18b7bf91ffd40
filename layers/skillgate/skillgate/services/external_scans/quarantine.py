"""What operators do about external scans: bring a quarantined version back, and start scans over."""

from __future__ import annotations

from datetime import timedelta

from skillgate.domain.errors import Conflict, NotFound
from skillgate.ports import Backend
from skillgate.services.external_scans.results import refresh_copy
from skillgate.services.operate import Operator

_LOST_AFTER = timedelta(hours=6)  # its message is a dead letter by now: the queue has tried for less than one


def restore(backend: Backend, skill_id: str, content_hash: str | None, operator: Operator) -> str:
    """Makes a quarantined version (the current one where none is named) installable again; returns its hash.

    Raises NotFound for a skill that is not there, Conflict for a version that is not quarantined.
    """
    skill = backend.skills.get(skill_id)
    if skill is None:
        raise NotFound("There is no skill with this name.", code="skill_not_found")
    wanted = content_hash or skill.content_hash
    if not backend.external_scans.restore(skill.skill_id, wanted, backend.now()):
        raise Conflict("This version is not quarantined.", code="not_quarantined")
    refresh_copy(backend, skill.skill_id)
    _record(backend, operator, "restore", [skill.skill_id], {"contentHash": wanted})
    return wanted


def start_over(backend: Backend, operator: Operator, limit: int) -> int:
    """Queues failed, timed-out and lost scans again; the sweeper sends them. Returns how many."""
    job_ids = backend.external_scans.start_over(idle_since=backend.now() - _LOST_AFTER, limit=limit)
    if job_ids:
        _record(backend, operator, "rescan", ["external-scans"], {"scans": len(job_ids)})
    return len(job_ids)


def _record(backend: Backend, operator: Operator, action: str, subjects: list[str], detail: dict[str, object]) -> None:
    backend.operators.record(
        at=backend.now(), actor=operator.name, action=action, subjects=subjects, reason=operator.reason, detail=detail
    )
