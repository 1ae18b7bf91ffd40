"""Versions, updates and installs on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field

from skillgate.api.models import Wire
from skillgate.api.skill_models import FileOut
from skillgate.market_ports import VersionRecord
from skillgate.services.updates import Update
from skillgate.services.versions import FileChange


class VersionOut(Wire):
    version: str
    content_hash: str
    sha: str
    artifact: str | None
    digest: str | None
    status: str
    status_reason: str | None
    cert_score: int | None
    published_at: datetime

    @classmethod
    def values_of(cls, record: VersionRecord) -> dict[str, Any]:
        return {
            "version": record.version,
            "content_hash": record.content_hash,
            "sha": record.commit_sha,
            "artifact": record.artifact or None,
            "digest": record.digest or None,
            "status": record.status,
            "status_reason": record.status_reason,
            "cert_score": record.report.get("score"),
            "published_at": record.published_at,
        }

    @classmethod
    def of(cls, record: VersionRecord) -> VersionOut:
        return cls(**cls.values_of(record))


class VersionDetail(VersionOut):
    content: str
    files: list[FileOut]

    @classmethod
    def of_record(cls, record: VersionRecord) -> VersionDetail:
        files = [FileOut.model_validate(file) for file in record.files]
        return cls(**cls.values_of(record), content=record.content, files=files)


class VersionList(Wire):
    versions: list[VersionOut]


class VersionAnswer(Wire):
    version: VersionDetail


class DiffAnswer(Wire):
    from_: str = Field(alias="from")
    to: str
    diff_summary: str
    content_diff: str


class ChangedFile(Wire):
    path: str
    status: str
    additions: int | None
    deletions: int | None
    patch: str | None

    @classmethod
    def of(cls, change: FileChange) -> ChangedFile:
        return cls(**vars(change))


class CompareAnswer(Wire):
    from_: str = Field(alias="from")
    to: str
    diff_summary: str
    files: list[ChangedFile]


class InstalledSkill(Wire):
    name: str = Field(min_length=1, max_length=320)
    current_version: str | None = Field(None, max_length=40)
    sha: str | None = Field(None, max_length=80)


class UpdatesIn(Wire):
    skills: list[InstalledSkill] = Field(min_length=1, max_length=100)


class UpdateOut(Wire):
    name: str
    installed: str | None
    latest: str | None
    update_available: bool
    version_bump: str | None
    diff_summary: str | None
    cert_tier: str | None
    cert_score: int | None
    error: str | None

    @classmethod
    def of(cls, update: Update) -> UpdateOut:
        listing = update.listing
        return cls(
            name=update.installed.name,
            installed=update.installed.version,
            latest=listing.version if listing else None,
            update_available=update.available,
            version_bump=update.bump,
            diff_summary=update.summary,
            cert_tier=listing.cert_tier if listing else None,
            cert_score=listing.cert_score if listing else None,
            error=update.error,
        )


class UpdatesAnswer(Wire):
    results: list[UpdateOut]


class InstallIn(Wire):
    """`machineId` is any text that stays the same on one machine; it is hashed and never kept."""

    model_config = ConfigDict(**Wire.model_config | {"extra": "ignore"})
    machine_id: str | None = Field(None, min_length=1, max_length=200)


class InstallsIn(InstallIn):
    skills: list[str] = Field(min_length=1, max_length=100)


class InstallsAnswer(Wire):
    ok: bool = True
    counted: int
    skills: list[str] = Field(description="Those whose count went up.")
