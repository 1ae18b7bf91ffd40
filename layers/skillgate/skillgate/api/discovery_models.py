"""What the discovery routes take and give."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field, field_validator

from skillgate.api.models import ItemError, Wire
from skillgate.domain.discovery import Candidate, Counts, RepositoryRow, Run, SourceTotals, TokenState
from skillgate.domain.errors import SkillgateError
from skillgate.services.discovery.invocation import MOST_RESULTS, RUNNABLE
from skillgate.services.discovery.preview import Preview


class DiscoverIn(Wire):
    """`sources` are all that find new skills, if none is named; `published` looks at published ones again."""

    max_results: int | None = Field(None, ge=1, le=MOST_RESULTS, description="Most skills that each source enqueues.")
    sources: list[str] | None = Field(None, min_length=1, max_length=len(RUNNABLE))
    dry_run: bool = False
    reason: str = Field("run now", min_length=3, max_length=500)

    @field_validator("sources")
    @classmethod
    def _known(cls, sources: list[str] | None) -> list[str] | None:
        unknown = [source for source in sources or () if source not in RUNNABLE]
        if unknown:
            raise ValueError(f"a source is one of: {', '.join(RUNNABLE)}")
        return sources


class TokenOut(Wire):
    token: str = Field(description="The token's place in GITHUB_TOKENS; its text is nowhere.")
    retired: bool = Field(description="GitHub refused it.")
    resource: str | None
    remaining: int | None
    resets_at: datetime | None

    @classmethod
    def of(cls, state: TokenState) -> TokenOut:
        return cls.model_validate(vars(state))


class CandidateOut(Wire):
    repo_url: str
    skill_path: str
    commit_sha: str | None

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateOut:
        return cls(repo_url=candidate.repo.url, skill_path=candidate.skill_path, commit_sha=candidate.commit_sha)


class DispatchedOut(Wire):
    source: str
    ok: bool
    code: str | None = None
    error: str | None = None

    @classmethod
    def of(cls, source: str, error: SkillgateError | None) -> DispatchedOut:
        return cls(
            source=source, ok=error is None, code=error.code if error else None, error=error.message if error else None
        )


class PreviewOut(Wire):
    source: str
    would_enqueue: list[CandidateOut]
    known: int
    errors: list[str]
    tokens: list[TokenOut]
    code: str | None = Field(description="Why it ended before there were enough; null if it did not.")
    error: str | None

    @classmethod
    def of(cls, seen: Preview) -> PreviewOut:
        return cls(
            source=seen.source,
            would_enqueue=[CandidateOut.of(candidate) for candidate in seen.new],
            known=seen.known,
            errors=[f"{failure.where}: {failure.message}" for failure in seen.failures],
            tokens=[TokenOut.of(token) for token in seen.tokens],
            code=seen.error.code if seen.error else None,
            error=seen.error.message if seen.error else None,
        )


class DiscoveryAnswer(Wire):
    dry_run: bool
    started: list[DispatchedOut] = Field(default_factory=list)
    previews: list[PreviewOut] = Field(default_factory=list)


class BulkCandidate(Wire):
    repo_url: str = Field(max_length=500)
    skill_path: str | None = Field(None, max_length=400)
    commit_sha: str | None = Field(None, pattern=r"^[0-9a-f]{40}$|^[0-9a-f]{64}$")


class CountsOut(Wire):
    """`candidates` is the sum of the others."""

    candidates: int = 0
    enqueued: int = 0
    skipped_dedup: int = 0
    skipped_blocked: int = 0
    errors: int = 0


class BulkDiscoveryAnswer(CountsOut):
    ok: bool
    run_id: str | None
    message: str | None = None
    item_errors: list[ItemError]

    @classmethod
    def of(cls, run: Run | None, item_errors: Sequence[ItemError]) -> BulkDiscoveryAnswer:
        counts = run.counts if run else Counts()
        values = vars(counts) | {
            "candidates": counts.candidates + len(item_errors),
            "errors": counts.errors + len(item_errors),
        }
        return cls(
            **values,
            ok=values["errors"] == 0,
            run_id=run.id if run else None,
            message=run.message if run else None,
            item_errors=list(item_errors),
        )


class RunOut(CountsOut):
    id: str
    source: str
    started_at: datetime
    ended_at: datetime | None = Field(description="Null while it runs, and for a run that was cut.")
    outcome: str | None
    message: str | None
    max_results: int
    hidden: int = Field(description="Results that the source has and no query can reach.")
    resumes: bool = Field(description="Whether the next run begins where this one ended, and not at the beginning.")

    @classmethod
    def of(cls, run: Run) -> RunOut:
        shown: dict[str, Any] = {name: getattr(run, name) for name in cls.model_fields if hasattr(run, name)}
        return cls.model_validate(shown | vars(run.counts) | {"resumes": run.checkpoint is not None})


class SourceOut(Wire):
    """What one source brought in all of its runs that are still in the log."""

    source: str
    runs: int
    found: int
    new: int
    skipped: int
    blocked: int
    failed: int
    last_started_at: datetime
    last_completed_at: datetime | None
    last_outcome: str | None
    tokens: list[TokenOut] = Field(description="What its tokens had left at the end of its last run.")

    @classmethod
    def of(cls, totals: SourceTotals, last: Run | None) -> SourceOut:
        return cls(
            source=totals.source,
            runs=totals.runs,
            found=totals.candidates,
            new=totals.enqueued,
            skipped=totals.skipped_dedup,
            blocked=totals.skipped_blocked,
            failed=totals.errors,
            last_started_at=totals.last_started_at,
            last_completed_at=totals.last_completed_at,
            last_outcome=last.outcome if last else None,
            tokens=[TokenOut.of(token) for token in last.tokens] if last else [],
        )


class DiscoveryStats(Wire):
    sources: list[SourceOut]
    runs: list[RunOut]
    as_of: datetime

    @classmethod
    def of(
        cls, totals: Sequence[SourceTotals], latest: Sequence[Run], runs: Sequence[Run], *, as_of: datetime
    ) -> DiscoveryStats:
        last = {run.source: run for run in latest}
        return cls(
            sources=[SourceOut.of(each, last.get(each.source)) for each in totals],
            runs=[RunOut.of(run) for run in runs],
            as_of=as_of,
        )


class RepositoryOut(CountsOut):
    repo_url: str
    error: str | None

    @classmethod
    def of(cls, row: RepositoryRow) -> RepositoryOut:
        return cls(**vars(row.counts), repo_url=row.repo_url, error=row.error)


class RunStory(Wire):
    run_id: str
    repositories: list[RepositoryOut]

    @classmethod
    def of(cls, run_id: str, rows: Sequence[RepositoryRow]) -> RunStory:
        return cls(run_id=run_id, repositories=[RepositoryOut.of(row) for row in rows])
