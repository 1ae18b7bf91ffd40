"""Publishing what was approved, under the hash of the content that was scanned."""

from __future__ import annotations

from dataclasses import replace

from skillgate.domain.errors import Conflict, PermanentFailure, StoreUnavailable
from skillgate.domain.skill import Published, SkillBundle
from skillgate.domain.submission import Submission
from skillgate.domain.verdict import ScanReport
from skillgate.domain.version import next_version
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.scanning import frontmatter
from skillgate.services.external_scans.outbox import send_planned

_NAME_LENGTH = 100
_DESCRIPTION_LENGTH = 1024


def publish(
    backend: Backend, submission: Submission, bundle: SkillBundle, content_hash: str, report: ScanReport
) -> Published:
    """The skill as it is in the marketplace now. The same content again is the same version.

    With Postgres away the copy is published and caught up later.
    """
    wanted = _described(backend, submission, bundle, content_hash, report)
    try:
        published = backend.skills.publish(wanted)
    except StoreUnavailable as error:
        logger.warning("publishing_without_postgres", skill_id=wanted.skill_id, error=error.message)
        return _publish_in_copy(backend, wanted)
    try:
        backend.live.put_skill(published, synced=True)
    except StoreUnavailable as error:  # the index is rebuilt from Postgres, which has it
        logger.warning("kv_write_failed", skill_id=published.skill_id, error=error.message)
    send_planned(backend, published)
    return published


def _described(
    backend: Backend, submission: Submission, bundle: SkillBundle, content_hash: str, report: ScanReport
) -> Published:
    front = frontmatter.parse(bundle.skill_md)
    by_person = submission.reason is not None and submission.reason.code == "approved_by_operator"
    method = (
        "review"
        if by_person
        else "tier1"
        if submission.reason and submission.reason.code == "fast_approved"
        else "tier2"
    )
    return Published(
        skill_id=bundle.skill_id,
        repo_url=bundle.repo.url,
        skill_path=bundle.skill_path,
        name=(front.name or bundle.slug)[:_NAME_LENGTH],
        description=(front.description or "")[:_DESCRIPTION_LENGTH],
        version=front.version or "",
        commit_sha=bundle.commit_sha,
        content_hash=content_hash,
        submission_id=submission.id,
        cert_tier="CERTIFIED" if method != "tier1" else "VERIFIED",
        cert_method=method,
        cert_score=report.score,
        published_at=backend.now(),
        content=bundle.skill_md,
        license=front.license,
        has_scripts=bundle.has_scripts,
        stars=bundle.stars,
        files=bundle.manifest(),
        report=report.to_dict(),
    )


def _publish_in_copy(backend: Backend, wanted: Published) -> Published:
    current = backend.live.get_skill(wanted.skill_id)
    if current is not None and current.skill_path != wanted.skill_path:
        raise PermanentFailure("Another skill of this repository is published under the same name.", code="name_taken")
    if current is not None and current.content_hash == wanted.content_hash:
        return current
    published = replace(
        wanted,
        version=next_version(current.version if current else None, wanted.version),
        revision=current.revision + 1 if current else 1,
    )
    if not backend.live.put_skill(published, synced=False):
        raise Conflict("Another version of this skill is being published.", code="publish_conflict")
    return published


def replay(backend: Backend, published: Published) -> None:
    """Writes to Postgres what was published while it was away."""
    durable = backend.skills.publish(published)
    backend.live.put_skill(durable, synced=True)
