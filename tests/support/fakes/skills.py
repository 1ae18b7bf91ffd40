"""The durable store of published skills in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from skillgate.domain.errors import PermanentFailure
from skillgate.domain.skill import Published
from skillgate.domain.version import next_version

from tests.support.fakes.database import FakeDatabase, SkillRow


class FakeSkillStore:
    def __init__(self, database: FakeDatabase | None = None) -> None:
        self.database = database or FakeDatabase()

    def publish(self, published: Published) -> Published:
        with self.database.transaction():
            row = self.database.skills.get(published.skill_id)
            if row is not None and row.current.skill_path != published.skill_path:
                raise PermanentFailure(
                    f"Another skill of this repository, {row.current.skill_path}, is published under the same name.",
                    code="name_taken",
                )
            settled = replace(published, version=_version(row, published))
            if row is None:
                created = settled.created_at or settled.published_at
                row = SkillRow(settled, {}, created, settled.published_at, settled.revision)
                self.database.skills[settled.skill_id] = row
            else:
                row.current, row.updated_at = settled, settled.published_at
                row.revision = max(row.revision + 1, settled.revision)
                if row.status != "blocked":
                    row.status, row.status_reason = "published", None
            if settled.content_hash not in row.versions:
                row.versions[settled.content_hash] = settled
                self.database.plan_scans(settled)
            return replace(settled, **_facts(row))

    def get(self, skill_id: str) -> Published | None:
        with self.database.transaction():
            row = self.database.skills.get(skill_id.lower())
            return None if row is None else shown(row)

    def set_status(
        self,
        status: str,
        kind: str,
        *,
        from_statuses: Sequence[str],
        at: datetime,
        reason: str | None = None,
        threat_type: str | None = None,
        severity: str | None = None,
        skill_id: str | None = None,
        repo_key: str | None = None,
        skill_path: str | None = None,
        content_hash: str | None = None,
    ) -> list[Published]:
        def changes(row: SkillRow) -> bool:
            skill = row.current
            in_repository = skill.repo.key == repo_key and skill_path in (None, skill.skill_path)
            is_meant = skill.skill_id == skill_id or skill.content_hash == content_hash or in_repository
            stays_blocked = status == "published" and any(entry.names(skill) for entry in self.database.blocklist)
            return is_meant and row.status in from_statuses and not stays_blocked

        with self.database.transaction():
            changed = [row for _, row in sorted(self.database.skills.items()) if changes(row)]
            for row in changed:
                row.status, row.status_reason = status, reason
                row.threat_type, row.severity = threat_type, severity
                row.revision += 1
            return [shown(row) for row in changed]


def _version(row: SkillRow | None, published: Published) -> str:
    if row is not None and published.content_hash in row.versions:
        return row.versions[published.content_hash].version
    taken = {version.version for version in row.versions.values()} if row else set()
    candidate = next_version(row.current.version if row else None, published.version)
    while candidate in taken:
        candidate = next_version(candidate, None)
    return candidate


def shown(row: SkillRow) -> Published:
    """The skill's own facts are the newest; what belongs to the content is as it was first published."""
    version = row.versions[row.current.content_hash]
    return replace(
        row.current,
        content=version.content,
        files=list(version.files),
        report=dict(version.report),
        submission_id=version.submission_id,
        published_at=version.published_at,
        source_removed_at=None,
        **_facts(row),
    )


def _facts(row: SkillRow) -> dict[str, Any]:
    """What is the skill's own, whichever version is the newest."""
    return {
        "revision": row.revision,
        "status": row.status,
        "status_reason": row.status_reason,
        "threat_type": row.threat_type,
        "severity": row.severity,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
