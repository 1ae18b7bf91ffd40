"""The durable store of published skills in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

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
                versions = {settled.content_hash: settled}
                row = SkillRow(settled, versions, settled.published_at, settled.published_at, settled.revision)
                self.database.skills[settled.skill_id] = row
            else:
                row.versions.setdefault(settled.content_hash, settled)
                row.current, row.updated_at = settled, settled.published_at
                row.revision = max(row.revision + 1, settled.revision)
                row.status = "published" if row.status == "removed" else row.status
            return replace(settled, revision=row.revision)

    def get(self, skill_id: str) -> Published | None:
        with self.database.transaction():
            row = self.database.skills.get(skill_id.lower())
            return None if row is None else _shown(row)

    def newest(self, *, limit: int, after: tuple[datetime, str] | None) -> list[Published]:
        with self.database.transaction():
            rows = [row for row in self.database.skills.values() if row.status in ("published", "blocked")]
        rows.sort(key=lambda row: (row.updated_at, row.current.skill_id), reverse=True)
        if after is not None:
            rows = [row for row in rows if (row.updated_at, row.current.skill_id) < after]
        return [replace(_shown(row), content="", files=[], report={}) for row in rows[:limit]]

    def count(self) -> int:
        with self.database.transaction():
            return sum(row.status == "published" for row in self.database.skills.values())


def _version(row: SkillRow | None, published: Published) -> str:
    if row is not None and published.content_hash in row.versions:
        return row.versions[published.content_hash].version
    taken = {version.version for version in row.versions.values()} if row else set()
    candidate = next_version(row.current.version if row else None, published.version)
    while candidate in taken:
        candidate = next_version(candidate, None)
    return candidate


def _shown(row: SkillRow) -> Published:
    """The skill's own facts are the newest; what belongs to the content is as it was first published."""
    version = row.versions[row.current.content_hash]
    return replace(
        row.current,
        content=version.content,
        files=list(version.files),
        report=dict(version.report),
        submission_id=version.submission_id,
        published_at=version.published_at,
        revision=row.revision,
        status=row.status,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
