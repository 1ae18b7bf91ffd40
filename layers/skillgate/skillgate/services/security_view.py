"""What the scans of a published skill found: both tiers, and the scanners outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import NotFound
from skillgate.market_ports import ExternalResult
from skillgate.ports import Backend, ScanRecord
from skillgate.services import marketplace
from skillgate.services.marketplace import Skill


@dataclass(frozen=True)
class Security:
    """`incomplete` names the parts that could not be read: they are unknown, not clean."""

    skill: Skill
    report: Mapping[str, Any]
    tiers: Mapping[int, ScanRecord]
    external: Sequence[ExternalResult]
    incomplete: Sequence[str]


def security(backend: Backend, skill_id: str) -> Security:
    """Raises NotFound, also for a skill that was never scanned here."""
    skill = marketplace.get_skill_by_name(backend, skill_id)
    published = skill.published
    if published is None:
        raise NotFound("This skill was not scanned here.", code="not_scanned")
    scans, external = together(
        lambda: [scan for scan in backend.store.scans(published.submission_id) if _of(scan, published.content_hash)],
        lambda: _external(backend, published.skill_id, published.version),
    )
    incomplete = [name for name, part in (("tiers", scans), ("external", external)) if not part.ok]
    tiers = {scan.tier: scan for scan in scans.unwrap()} if scans.ok else {}
    return Security(skill, published.report, tiers, external.unwrap() if external.ok else (), incomplete)


def report_of(backend: Backend, skill_id: str) -> tuple[Skill, Mapping[str, Any]]:
    """The tier 1 report that let the current version pass. Raises NotFound."""
    skill = marketplace.get_skill_by_name(backend, skill_id)
    if skill.published is None or not skill.published.report:
        raise NotFound("There is no report of this skill.", code="not_scanned")
    return skill, skill.published.report


def _of(scan: ScanRecord, content_hash: str) -> bool:
    return scan.content_hash == content_hash


def _external(backend: Backend, skill_id: str, version: str) -> Sequence[ExternalResult]:
    record = backend.versions.get(skill_id, version)
    return backend.versions.external_results(record.id) if record is not None else ()
