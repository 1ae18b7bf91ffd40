"""How numbers, times and states read to a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from skillgate.domain.submission import State, Submission

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


@dataclass(frozen=True)
class StateWords:
    """`tone` chooses the colour, `label` the word beside it: colour alone says nothing to many people."""

    label: str
    tone: str
    stage: str


STATES: Mapping[State, StateWords] = {
    State.RECEIVED: StateWords("Waiting", "wait", "In the queue"),
    State.TIER1_SCANNING: StateWords("Scanning", "busy", "Tier 1: rules"),
    State.TIER2_SCANNING: StateWords("Judging", "busy", "Tier 2: judge"),
    State.AUTO_APPROVED: StateWords("Approved", "busy", "Publishing"),
    State.RESCAN_REQUIRED: StateWords("Scanning again", "busy", "Content changed"),
    State.NEEDS_REVIEW: StateWords("In review", "warn", "A person decides"),
    State.PUBLISHED: StateWords("Published", "good", "Done"),
    State.TIER1_FAILED: StateWords("Not passed", "bad", "Ended in tier 1"),
    State.REJECTED: StateWords("Rejected", "bad", "Ended"),
    State.BLOCKED: StateWords("Blocked", "bad", "On the blocklist"),
    State.DEQUEUED: StateWords("Taken out", "idle", "By an operator"),
}

# What the author can do, by the reason that the submission ended with; states speak for the rest.
_NEXT_BY_REASON: Mapping[str, str] = {
    "no_skill_md": "Check the path: it must lead to a SKILL.md in the repository's default branch. Then submit again.",
    "repository_gone": "Check the address, or make the repository public, and submit again.",
    "repository_private": "Only public repositories can be listed. Make it public and submit again.",
    "repository_empty": "Push a first commit with a SKILL.md and submit again.",
    "repository_renamed": "Submit the repository under its new name.",
    "repository_too_large": "Make the skill smaller, or move it into a repository of its own, and submit again.",
    "name_taken": "Rename the skill's folder: another skill of this repository has the same name.",
    "processing_failed": "This says nothing about the skill. Submit it again; if it fails again, tell us the id.",
    "judge_unavailable": "Nothing to do: a person looks at it, because the judge could not.",
}
_NEXT_BY_STATE: Mapping[State, str] = {
    State.RECEIVED: "Nothing to do. Scanning begins as soon as it is its turn; this page follows along.",
    State.TIER1_SCANNING: "Nothing to do. Every file is being read and checked against the rules.",
    State.TIER2_SCANNING: "Nothing to do. The judge weighs what the rules could not decide.",
    State.AUTO_APPROVED: "Nothing to do. It is being published.",
    State.RESCAN_REQUIRED: "Nothing to do. The content changed meanwhile, so it is scanned again.",
    State.NEEDS_REVIEW: "Nothing to do. A person looks at it and decides.",
    State.PUBLISHED: "It is listed. Anybody can install it now.",
    State.TIER1_FAILED: "Read the findings below, fix them in the repository, and submit again.",
    State.REJECTED: "Read the reasons below, fix them in the repository, and submit again.",
    State.BLOCKED: "This source or this content is on the blocklist and cannot be listed.",
    State.DEQUEUED: "An operator took it out of the queue. It can be submitted again.",
}


def next_step(submission: Submission) -> str:
    code = submission.reason.code if submission.reason else ""
    return _NEXT_BY_REASON.get(code) or _NEXT_BY_STATE[submission.state]


def ago(then: datetime, now: datetime) -> str:
    """`4 seconds ago`; what lies slightly ahead (clocks differ) is now."""
    seconds = int((now - then).total_seconds())
    for name, size in _UNITS:
        if seconds >= size:
            return f"{plural(seconds // size, name)} ago" if seconds < 30 * 86_400 else f"{then:%d %b %Y}".lstrip("0")
    return "just now"


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours // 24} days"


def count(number: int | None) -> str:
    """`1,234` up to ten thousand, then `12.3k` and `1.2M`."""
    if number is None:
        return "–"
    if number < 10_000:
        return f"{number:,}"
    scaled, unit = (number / 1_000, "k") if number < 1_000_000 else (number / 1_000_000, "M")
    return f"{scaled:.1f}".removesuffix(".0") + unit


def plural(number: int, word: str, many: str | None = None) -> str:
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def size(number: int) -> str:
    if number < 1_000:
        return f"{number} B"
    return f"{number / 1_000:.1f} kB" if number < 1_000_000 else f"{number / 1_000_000:.1f} MB"
