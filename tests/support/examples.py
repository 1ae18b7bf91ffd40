"""Submissions and skills for tests that only need some."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from skillgate.domain.ids import new_id
from skillgate.domain.skill import Published
from skillgate.domain.submission import Reason, State, Submission

NOON = datetime(2025, 6, 1, 12, 0, 0, 123456, tzinfo=UTC)
_numbers = count(1)


def submission(*, after: timedelta = timedelta(), **changes: Any) -> Submission:
    """A submission that was received at noon (or `after` it), of a repository that no other one has."""
    number = next(_numbers)
    received = Submission(
        id=new_id(),
        repo_url=f"https://github.com/Acme/tools-{number}",
        skill_path="skills/pdf/SKILL.md",
        skill_name="pdf",
        state=State.RECEIVED,
        created_at=NOON + after,
        updated_at=NOON + after,
    )
    return replace(received, **changes)


def moved(before: Submission, to: State, *, minutes: float = 1, **changes: Any) -> Submission:
    """The same submission after a move, with the event of that move still to be written down."""
    reason = Reason(f"became_{to.lower()}", f"It became {to}.")
    after, event = before.moved(
        to, at=before.updated_at + timedelta(minutes=minutes), actor="test", reason=reason, operator=True, **changes
    )
    return replace(after, pending=(*before.pending, event))


def published(**changes: Any) -> Published:
    skill = Published(
        skill_id="acme/tools/pdf",
        repo_url="https://github.com/Acme/Tools",
        skill_path="skills/pdf/SKILL.md",
        name="pdf",
        description="Reads PDF files.",
        version="1.0.0",
        commit_sha="c" * 40,
        content_hash="a" * 64,
        submission_id=new_id(),
        cert_tier="VERIFIED",
        cert_method="tier1",
        cert_score=96,
        published_at=NOON,
        content="# PDF",
        labels=("documents",),
        files=[{"path": "SKILL.md", "size": 5, "sha256": None}],
        report={"score": 96},
    )
    return replace(skill, **changes)
