"""A submission's life: its states, the moves between them, and the value that both stores hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from skillgate.domain.errors import Conflict
from skillgate.domain.repo_url import RepoUrl


class State(StrEnum):
    RECEIVED = "RECEIVED"
    TIER1_SCANNING = "TIER1_SCANNING"
    TIER2_SCANNING = "TIER2_SCANNING"
    AUTO_APPROVED = "AUTO_APPROVED"
    RESCAN_REQUIRED = "RESCAN_REQUIRED"
    NEEDS_REVIEW = "NEEDS_REVIEW"
    PUBLISHED = "PUBLISHED"
    TIER1_FAILED = "TIER1_FAILED"
    REJECTED = "REJECTED"
    BLOCKED = "BLOCKED"
    DEQUEUED = "DEQUEUED"


IN_FLIGHT = frozenset(
    {State.RECEIVED, State.TIER1_SCANNING, State.TIER2_SCANNING, State.AUTO_APPROVED, State.RESCAN_REQUIRED}
)
OPEN = IN_FLIGHT | {State.NEEDS_REVIEW}
TERMINAL = frozenset(State) - OPEN

_WAYS_OUT = {State.DEQUEUED, State.REJECTED}
TRANSITIONS: dict[State, frozenset[State]] = {
    State.RECEIVED: frozenset({State.BLOCKED, State.TIER1_SCANNING} | _WAYS_OUT),
    State.TIER1_SCANNING: frozenset(
        {State.BLOCKED, State.TIER1_FAILED, State.AUTO_APPROVED, State.TIER2_SCANNING} | _WAYS_OUT
    ),
    State.TIER2_SCANNING: frozenset({State.AUTO_APPROVED, State.NEEDS_REVIEW} | _WAYS_OUT),
    State.AUTO_APPROVED: frozenset({State.PUBLISHED, State.RESCAN_REQUIRED} | _WAYS_OUT),
    State.RESCAN_REQUIRED: frozenset({State.RECEIVED} | _WAYS_OUT),
    State.NEEDS_REVIEW: frozenset({State.AUTO_APPROVED} | _WAYS_OUT),
}
# A terminal state is only left by an operator, who starts the submission over.
OPERATOR_TRANSITIONS: dict[State, frozenset[State]] = {
    state: frozenset({State.RECEIVED}) for state in TERMINAL - {State.PUBLISHED}
}

BUCKETS: dict[str, frozenset[State]] = {
    "active": IN_FLIGHT,
    "review": frozenset({State.NEEDS_REVIEW}),
    "published": frozenset({State.PUBLISHED}),
    "rejected": frozenset({State.TIER1_FAILED, State.REJECTED}),
    "blocked": frozenset({State.BLOCKED}),
    "dequeued": frozenset({State.DEQUEUED}),
}


@dataclass(frozen=True)
class Reason:
    """Why a submission is where it is: a code for programs and a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True)
class Event:
    """One move of a submission. `version` is the submission's version after it, so events are unique and ordered."""

    submission_id: str
    version: int
    from_state: State | None
    to_state: State
    at: datetime
    actor: str
    reason: Reason | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """What both stores hold of a submission. `version` grows by one with every change; the higher one is the truth.

    `pending` are the events that the durable store may not have; they travel with the fast copy so that they can be
    replayed. A copy that was read from the durable store has none.
    """

    id: str
    repo_url: str
    skill_path: str
    skill_name: str
    state: State
    created_at: datetime
    updated_at: datetime
    source: str = "api"
    email: str | None = None
    submitted_by: str | None = None
    version: int = 1
    attempt: int = 0
    sweeps: int = 0
    lease_until: datetime | None = None
    sent_at: datetime | None = None
    ended_at: datetime | None = None
    reason: Reason | None = None
    commit_sha: str | None = None
    content_hash: str | None = None
    score: int | None = None
    skill_id: str | None = None
    pending: tuple[Event, ...] = ()

    @property
    def repo_key(self) -> str:
        return RepoUrl.parse(self.repo_url).key

    @property
    def open_key(self) -> tuple[str, str]:
        """What only one open submission may have."""
        return self.repo_key, self.skill_path

    @property
    def in_flight(self) -> bool:
        return self.state in IN_FLIGHT

    @property
    def terminal(self) -> bool:
        return self.state in TERMINAL

    def leased(self, now: datetime) -> bool:
        return self.lease_until is not None and self.lease_until > now

    def received_event(self) -> Event:
        """The event that begins a submission's history."""
        return Event(self.id, self.version, None, self.state, self.created_at, self.source, self.reason)

    def moved(
        self,
        to: State,
        *,
        at: datetime,
        actor: str,
        reason: Reason | None = None,
        detail: dict[str, Any] | None = None,
        operator: bool = False,
        **changes: Any,
    ) -> tuple[Submission, Event]:
        """The submission after a move, and the event that records it. Raises Conflict if the move is not allowed.

        A move to the same state is a change within it (a renewed lease, another attempt), allowed while open.
        """
        allowed = TRANSITIONS.get(self.state, frozenset()) | ({self.state} if self.state in OPEN else frozenset())
        if operator:
            allowed |= OPERATOR_TRANSITIONS.get(self.state, frozenset())
        if to not in allowed:
            raise Conflict(f"A submission that is {self.state} cannot become {to}.", code="transition_not_allowed")
        event = Event(self.id, self.version + 1, self.state, to, at, actor, reason, detail or {})
        changes.setdefault("lease_until", None if to not in IN_FLIGHT else self.lease_until)
        after = replace(
            self,
            state=to,
            version=event.version,
            updated_at=at,
            ended_at=at if to in TERMINAL else None,
            reason=reason if reason is not None or to != self.state else self.reason,
            **changes,
        )
        return after, event
