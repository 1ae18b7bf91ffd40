"""The blocklist: sources and contents that are not let in. An entry never names a bare skill name."""

from __future__ import annotations

from collections.abc import Sequence

from skillgate.domain.errors import NotFound
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import Published
from skillgate.market_ports import Override
from skillgate.ports import Backend
from skillgate.services.operate import Operator


def block(
    backend: Backend, operator: Operator, *, repo: RepoUrl | None = None, skill_path: str | None = None,
    content_hash: str | None = None, threat_type: str = "malicious", severity: str = "critical",
) -> Sequence[str]:  # fmt: skip
    """Blocks a repository, one skill of it, or a content, and what of it is published. Returns the skills it hit.

    Postgres first: the copy never knows more than the truth. A call that was cut off is made whole by the next.
    """
    scope = {"repo_key": repo.key if repo else None, "skill_path": skill_path, "content_hash": content_hash}
    backend.operators.block(
        **scope, reason=operator.reason, by=operator.name, at=backend.now(), threat_type=threat_type, severity=severity
    )
    backend.live.block(**scope, reason=operator.reason)
    blocked = backend.skills.set_status(
        "blocked", "blocked", from_statuses=["published", "quarantined", "blocked"], at=backend.now(),
        reason=operator.reason, threat_type=threat_type, severity=severity, **scope,
    )  # fmt: skip
    show_status(backend, blocked)
    _record(backend, operator, "block", scope)
    return [skill.skill_id for skill in blocked]


def unblock(
    backend: Backend, operator: Operator, *, repo: RepoUrl | None = None, skill_path: str | None = None,
    content_hash: str | None = None,
) -> bool:  # fmt: skip
    """Lifts a block; False if there was none. What another entry still names stays blocked."""
    scope = {"repo_key": repo.key if repo else None, "skill_path": skill_path, "content_hash": content_hash}
    lifted = backend.operators.unblock(**scope, at=backend.now())
    backend.live.unblock(**scope)
    restored = backend.skills.set_status("published", "unblocked", from_statuses=["blocked"], at=backend.now(), **scope)
    show_status(backend, restored)
    if lifted:
        _record(backend, operator, "unblock", scope)
    return lifted


def remove(backend: Backend, operator: Operator, skill_id: str) -> None:
    """Takes a skill off the marketplace; who asks for it is told why. Raises NotFound."""
    _restate(backend, operator, skill_id, "remove", "removed", ["published", "blocked", "quarantined"], operator.reason)


def restore(backend: Backend, operator: Operator, skill_id: str) -> None:
    """Brings back what was removed. Raises NotFound, also for what the blocklist names by now."""
    _restate(backend, operator, skill_id, "restore", "published", ["removed"], None)


def _restate(
    backend: Backend, operator: Operator, skill_id: str, action: str, status: str, before: list[str], reason: str | None
) -> None:
    kind = "removed" if status == "removed" else "restored"
    changed = backend.skills.set_status(
        status, kind, from_statuses=before, at=backend.now(), reason=reason, skill_id=skill_id.lower()
    )
    if not changed:
        raise NotFound(f"There is no skill with this name to {action}.", code="skill_not_found")
    show_status(backend, changed)
    backend.operators.record(
        at=backend.now(), actor=operator.name, action=f"{action}_skill", subjects=[skill_id.lower()],
        reason=operator.reason, detail={},
    )  # fmt: skip


def show_status(backend: Backend, skills: Sequence[Published]) -> None:
    """Copies a changed status to the KV, and beside the index, which is older."""
    for skill in skills:
        backend.live.put_skill(skill, synced=True)
        backend.kv_skills.override(Override(skill.skill_id, skill.status, skill.status_reason, backend.now()))


def _record(backend: Backend, operator: Operator, action: str, scope: dict[str, str | None]) -> None:
    subject = scope["content_hash"] or scope["repo_key"] or ""
    backend.operators.record(
        at=backend.now(), actor=operator.name, action=action, subjects=[subject], reason=operator.reason, detail=scope
    )
