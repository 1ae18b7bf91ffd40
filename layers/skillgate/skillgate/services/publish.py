"""Publishing what was approved, under the hash of the content that was scanned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from skillgate.concurrency import together
from skillgate.domain.archive import StoredFile, artifact_of, installed_path
from skillgate.domain.categories import category_of
from skillgate.domain.errors import Conflict, PermanentFailure, StoreUnavailable
from skillgate.domain.skill import Published, SkillBundle
from skillgate.domain.submission import Submission
from skillgate.domain.verdict import CAPABILITY_LABEL, ScanReport
from skillgate.domain.version import next_version
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.scanning import frontmatter
from skillgate.services.external_scans.outbox import send_planned

_NAME_LENGTH = 100
_DESCRIPTION_LENGTH = 1024
_LABELS = 20
_LABEL_LENGTH = 40


def publish(
    backend: Backend, submission: Submission, bundle: SkillBundle, content_hash: str, report: ScanReport
) -> Published:
    """The skill as it is in the marketplace now. The same content again is the same version.

    Its files go first, to both stores: what is announced can be installed. With Postgres away the copy is published
    and caught up later.
    """
    installed = installed_files(bundle)
    wanted = _described(backend, submission, bundle, content_hash, report, installed)
    stored = together(
        lambda: backend.contents.put(installed.values()), lambda: backend.contents_copy.put(installed.values())
    )
    if not stored[0].ok and not stored[1].ok:
        stored[0].unwrap()
    try:
        stored[0].unwrap()
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


def installed_files(bundle: SkillBundle) -> dict[str, StoredFile]:
    """What was read of the skill, by where an installer puts it."""
    files: dict[str, StoredFile] = {}
    for file in bundle.files:
        path = installed_path(file.path, bundle.skill_path)
        if path is not None and file.content is not None:
            files[path] = StoredFile.of(file.content)
    return files


def _described(
    backend: Backend,
    submission: Submission,
    bundle: SkillBundle,
    content_hash: str,
    report: ScanReport,
    installed: Mapping[str, StoredFile],
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
    artifact, digest = artifact_of(installed)
    description = (front.description or "")[:_DESCRIPTION_LENGTH]
    return Published(
        skill_id=bundle.skill_id,
        repo_url=bundle.repo.url,
        skill_path=bundle.skill_path,
        name=(front.name or bundle.slug)[:_NAME_LENGTH],
        description=description,
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
        category=category_of(f"{front.name} {bundle.slug}", description, _declared(front, "category")),
        labels=_labels(front, report),
        agents=tuple(_list(front, "agents", "compatible-agents"))[:_LABELS],
        trust_tier="T2" if method == "tier1" else "T3",
        trust_score=report.score,
        artifact=artifact,
        digest=digest,
    )


def _labels(front: frontmatter.Frontmatter, report: ScanReport) -> tuple[str, ...]:
    """The author's own, after what the skill was seen to do: that is not for its author to say."""
    own = [label for label in _list(front, "labels", "tags", "keywords") if not label.startswith(CAPABILITY_LABEL)]
    return (*report.capabilities.labels, *own)[:_LABELS]


def _declared(front: frontmatter.Frontmatter, name: str) -> str:
    """A field of the frontmatter, or of its `metadata`."""
    metadata = front.fields.get("metadata")
    value = front.fields.get(name, metadata.get(name) if isinstance(metadata, dict) else None)
    return value if isinstance(value, str) else ""


def _list(front: frontmatter.Frontmatter, *names: str) -> list[str]:
    """The first of these fields that is there, as short lower-case words; a list, or text with commas."""
    metadata = front.fields.get("metadata")
    sources = [front.fields, metadata if isinstance(metadata, dict) else {}]
    value: object = next((source[name] for source in sources for name in names if source.get(name)), [])
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    words = (" ".join(str(part).split()).lower()[:_LABEL_LENGTH] for part in parts)
    return sorted({word for word in words if word and word.isprintable()})


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
    """Writes to Postgres what was published while it was away: its files, then the skill itself."""
    hashes = [file["sha256"] for file in published.files if file.get("sha256")]
    backend.contents.put(backend.contents_copy.get(hashes).values())
    durable = backend.skills.publish(published)
    backend.live.put_skill(durable, synced=True)
