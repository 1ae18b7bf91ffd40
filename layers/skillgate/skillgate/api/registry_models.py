"""Security results, the blocklist, the feed and the marketplace's operators on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ConfigDict, Field

from skillgate.api.models import Wire
from skillgate.ports import BlockEntry, Change, Rejection
from skillgate.services.rebuild import Rebuild
from skillgate.services.skill_health import Drift, SkillHealth


class BlockEntryOut(Wire):
    id: str
    repo_url: str | None
    skill_path: str | None
    content_hash: str | None
    reason: str
    threat_type: str
    severity: str
    created_at: datetime

    @classmethod
    def of(cls, entry: BlockEntry) -> BlockEntryOut:
        url = f"https://github.com/{entry.repo_key}" if entry.repo_key else None
        return cls(**{name: value for name, value in vars(entry).items() if name != "repo_key"}, repo_url=url)


class BlocklistAnswer(Wire):
    entries: list[BlockEntryOut]
    count: int


class RejectionOut(Wire):
    submission_id: str
    state: str
    reason_code: str | None
    reason: str | None
    at: datetime

    @classmethod
    def of(cls, rejection: Rejection) -> RejectionOut:
        return cls(**vars(rejection))


class CheckAnswer(Wire):
    blocked: bool
    entry: BlockEntryOut | None = None
    rejected: bool
    rejection: RejectionOut | None = None
    candidates: Sequence[str] = Field((), description="Skills that the name alone may mean; nothing was decided.")


class ChangeOut(Wire):
    seq: str = Field(description="Give the last one seen as `after`.")
    kind: str
    name: str
    version: str | None
    content_hash: str | None
    at: datetime

    @classmethod
    def of(cls, change: Change) -> ChangeOut:
        return cls(
            seq=f"{change.cursor[0]}-{change.cursor[1]}",
            kind=change.kind,
            name=change.skill_id,
            version=change.version,
            content_hash=change.content_hash,
            at=change.at,
        )


class ChangeFeed(Wire):
    changes: list[ChangeOut]
    next_after: str
    has_more: bool


# --- operators ----------------------------------------------------------------------------------------------------


class BlockIn(Wire):
    repo_url: str | None = Field(None, max_length=500)
    skill_path: str | None = Field(None, max_length=400)
    content_hash: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    reason: str = Field(min_length=3, max_length=500)
    threat_type: str = Field("malicious", pattern=r"^[a-z][a-z0-9-]{1,39}$")
    severity: str = Field("critical", pattern=r"^(critical|high|medium|low)$")


class RebuildAnswer(Wire):
    """`prismaBackfilled` and `backfilled` are the same: what was written back to Postgres."""

    ok: bool
    complete: bool = Field(description="False: time ran out; call again to go on.")
    rebuilt: int
    index_built: bool
    errors: int
    error_details: list[str]
    orphaned_aliases: int
    orphans: list[str]
    prisma_backfilled: int
    backfilled: int

    @classmethod
    def of(cls, done: Rebuild) -> RebuildAnswer:
        return cls(
            ok=done.complete and not done.errors,
            complete=done.complete,
            rebuilt=done.rebuilt,
            index_built=done.index_built,
            errors=done.errors,
            error_details=done.details,
            orphaned_aliases=len(done.orphans),
            orphans=[f"{alias} → {skill_id}" for alias, skill_id in done.orphans[:100]],
            prisma_backfilled=done.backfilled,
            backfilled=done.backfilled,
        )


class DriftOut(Wire):
    kind: str
    count: int
    examples: Sequence[str]
    explanation: str

    @classmethod
    def of(cls, drift: Drift) -> DriftOut:
        return cls(kind=drift.kind, count=drift.count, examples=drift.examples, explanation=drift.explanation)


class SkillHealthOut(Wire):
    """Snake case here: the tools that read this expect it. A count is null where its store could not be read."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True, frozen=True)
    kv_index_count: int | None
    kv_enumerated_count: int | None
    prisma_count: int | None
    postgres_count: int | None
    seed_count: int
    drift_detected: bool
    drifts: list[DriftOut]
    recommendations: list[str]
    as_of: datetime

    @classmethod
    def of(cls, health: SkillHealth) -> SkillHealthOut:
        return cls(
            kv_index_count=health.index_count,
            kv_enumerated_count=health.enumerated_count,
            prisma_count=health.postgres_count,
            postgres_count=health.postgres_count,
            seed_count=health.seed_count,
            drift_detected=bool(health.drifts),
            drifts=[DriftOut.of(drift) for drift in health.drifts],
            recommendations=list(health.recommendations),
            as_of=health.as_of,
        )
