"""The blocklist: sources and contents that are not let in. An entry never names a bare skill name."""

from __future__ import annotations

from skillgate.domain.repo_url import RepoUrl
from skillgate.ports import Backend
from skillgate.services.operate import Operator


def block(
    backend: Backend, operator: Operator, *, repo: RepoUrl | None = None, skill_path: str | None = None,
    content_hash: str | None = None,
) -> None:  # fmt: skip
    """Blocks a repository, one skill of it, or a content. Postgres first: the copy never knows more than the truth."""
    scope = {"repo_key": repo.key if repo else None, "skill_path": skill_path, "content_hash": content_hash}
    backend.operators.block(**scope, reason=operator.reason, by=operator.name, at=backend.now())
    backend.live.block(**scope, reason=operator.reason)
    _record(backend, operator, "block", scope)


def unblock(
    backend: Backend, operator: Operator, *, repo: RepoUrl | None = None, skill_path: str | None = None,
    content_hash: str | None = None,
) -> bool:  # fmt: skip
    """Lifts a block; False if there was none."""
    scope = {"repo_key": repo.key if repo else None, "skill_path": skill_path, "content_hash": content_hash}
    lifted = backend.operators.unblock(**scope, at=backend.now())
    backend.live.unblock(**scope)
    if lifted:
        _record(backend, operator, "unblock", scope)
    return lifted


def _record(backend: Backend, operator: Operator, action: str, scope: dict[str, str | None]) -> None:
    subject = scope["content_hash"] or scope["repo_key"] or ""
    backend.operators.record(
        at=backend.now(), actor=operator.name, action=action, subjects=[subject], reason=operator.reason, detail=scope
    )
