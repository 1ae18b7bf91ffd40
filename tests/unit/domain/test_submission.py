"""A submission's moves: every pair of states, and who may make it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from skillgate.domain.errors import Conflict
from skillgate.domain.submission import BUCKETS, IN_FLIGHT, OPEN, TERMINAL, Reason, State

from tests.support.examples import NOON, submission

S = State
# The design's table, written out once more: a change of the rules has to be made in two places, on purpose.
ALLOWED: dict[State, set[State]] = {
    S.RECEIVED: {S.RECEIVED, S.TIER1_SCANNING, S.BLOCKED, S.DEQUEUED, S.REJECTED},
    S.TIER1_SCANNING: {
        *(S.TIER1_SCANNING, S.TIER1_FAILED, S.AUTO_APPROVED, S.TIER2_SCANNING),
        *(S.BLOCKED, S.DEQUEUED, S.REJECTED),
    },
    S.TIER2_SCANNING: {S.TIER2_SCANNING, S.AUTO_APPROVED, S.NEEDS_REVIEW, S.REJECTED, S.DEQUEUED},
    S.AUTO_APPROVED: {S.AUTO_APPROVED, S.PUBLISHED, S.RESCAN_REQUIRED, S.DEQUEUED, S.REJECTED},
    S.RESCAN_REQUIRED: {S.RESCAN_REQUIRED, S.RECEIVED, S.DEQUEUED, S.REJECTED},
    S.NEEDS_REVIEW: {S.NEEDS_REVIEW, S.AUTO_APPROVED, S.REJECTED, S.DEQUEUED},
    S.PUBLISHED: set(),
    S.TIER1_FAILED: set(),
    S.REJECTED: set(),
    S.BLOCKED: set(),
    S.DEQUEUED: set(),
}
STARTED_OVER_BY_AN_OPERATOR = {S.TIER1_FAILED, S.REJECTED, S.BLOCKED, S.DEQUEUED}
PAIRS = [(a, b) for a in State for b in State]
LATER = NOON + timedelta(hours=1)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_a_move_is_made_if_and_only_if_the_design_has_it(before: State, after: State) -> None:
    start = submission(state=before, version=4)
    if after in ALLOWED[before]:
        now, event = start.moved(after, at=LATER, actor="test")
        assert (now.state, now.version, now.updated_at) == (after, 5, LATER)
        assert (event.from_state, event.to_state, event.version) == (before, after, 5)
    else:
        with pytest.raises(Conflict) as refused:
            start.moved(after, at=LATER, actor="test")
        assert refused.value.code == "transition_not_allowed"


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_an_operator_may_start_over_what_ended_and_nothing_else_besides(before: State, after: State) -> None:
    allowed = set(ALLOWED[before])
    if before in STARTED_OVER_BY_AN_OPERATOR:
        allowed.add(S.RECEIVED)
    start = submission(state=before, ended_at=NOON if before in TERMINAL else None)
    if after in allowed:
        now, _ = start.moved(after, at=LATER, actor="ann", operator=True)
        assert now.state is after
    else:
        with pytest.raises(Conflict):
            start.moved(after, at=LATER, actor="ann", operator=True)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_a_terminal_state_is_never_left_without_an_operator(state: State) -> None:
    for after in State:
        with pytest.raises(Conflict):
            submission(state=state).moved(after, at=LATER, actor="consumer")


def test_every_state_is_in_one_bucket_and_on_one_side() -> None:
    assert sorted(state for states in BUCKETS.values() for state in states) == sorted(State)
    assert set(State) == OPEN | TERMINAL and not OPEN & TERMINAL and IN_FLIGHT < OPEN


def test_an_end_is_dated_and_frees_the_lease_and_a_new_start_forgets_it() -> None:
    claimed, _ = submission().moved(S.TIER1_SCANNING, at=NOON, actor="c", lease_until=LATER, attempt=1)
    assert claimed.leased(NOON) and not claimed.leased(LATER) and claimed.ended_at is None

    failed, _ = claimed.moved(S.TIER1_FAILED, at=LATER, actor="c", reason=Reason("low_score", "It scored 12."))
    assert (failed.lease_until, failed.ended_at, failed.reason) == (None, LATER, Reason("low_score", "It scored 12."))

    again, event = failed.moved(S.RECEIVED, at=LATER, actor="ann", operator=True, detail={"why": "fixed"})
    assert (again.ended_at, again.reason, event.detail) == (None, None, {"why": "fixed"})


def test_a_change_within_a_state_keeps_the_lease_and_the_reason() -> None:
    reason = Reason("retry", "Once more.")
    claimed = replace(submission(), state=S.TIER1_SCANNING, lease_until=LATER, reason=reason)
    after, _ = claimed.moved(S.TIER1_SCANNING, at=NOON, actor="c", attempt=2)
    assert (after.lease_until, after.reason, after.attempt) == (LATER, reason, 2)


def test_a_move_changes_nothing_of_the_submission_it_starts_from() -> None:
    start = submission()
    copy = replace(start)
    start.moved(S.TIER1_SCANNING, at=LATER, actor="c")
    assert start == copy


def test_the_open_key_ignores_the_case_of_the_repository_but_not_of_the_path() -> None:
    upper = submission(repo_url="https://github.com/ACME/Tools", skill_path="A/SKILL.md")
    assert upper.open_key == ("acme/tools", "A/SKILL.md")
