"""What must be true when everything has settled, whatever happened before; and the figures of a scene."""

from __future__ import annotations

import itertools
import time
from collections import Counter, defaultdict
from typing import Any

import psycopg
from psycopg.rows import dict_row
from skillgate.domain.submission import TERMINAL, State
from skillgate.services.queue_view import queue_statistics

from tests.faults.scene import Scene

EXPECTED = {
    "ok": {State.PUBLISHED},
    "review": {State.NEEDS_REVIEW},
    "reject": {State.REJECTED},
    "gone": {State.TIER1_FAILED},
}


def check(scene: Scene, name: str, *, touched: frozenset[str] = frozenset()) -> None:
    """`touched` are ids that an operator acted on: they may end elsewhere than the judge says."""
    with psycopg.connect(scene.world.database_url, row_factory=dict_row) as connection:
        rows = {str(row["id"]): row for row in connection.execute("SELECT * FROM submissions").fetchall()}
        events = connection.execute("SELECT * FROM submission_events ORDER BY submission_id, version").fetchall()
        versions = connection.execute("SELECT skill_id, version, content_hash FROM skill_versions").fetchall()
        changes = connection.execute("SELECT skill_id, skill_version, content_hash FROM changes").fetchall()
    assert scene.given_out <= set(rows), "an id was given out that nobody knows"
    gave_up = _check_ends(scene, rows, touched)
    _check_copies(scene, rows)
    _check_events(rows, events)
    _check_published(rows, versions, changes)
    counted = Counter(State(row["state"]) for row in rows.values())
    assert {s: n for s, n in queue_statistics(scene.backend).states.items() if n} == dict(counted)
    _print(scene, name, rows, events, gave_up)


def _check_ends(scene: Scene, rows: dict[str, dict[str, Any]], touched: frozenset[str]) -> int:
    """Everything has one answer, the right one; how many have none but that they could not be processed."""
    gave_up = 0
    for id_, row in rows.items():
        state = State(row["state"])
        assert state in TERMINAL or state is State.NEEDS_REVIEW, (id_, state)
        assert row["reason_code"] and row["reason"], f"{id_} is {state} without a reason"
        if row["reason_code"] == "processing_failed":
            gave_up += 1
        elif id_ not in touched and row["reason_code"] != "duplicate_submission":
            kind = scene.kinds[row["repo_key"], row["skill_path"]]
            assert state in EXPECTED[kind] or (kind != "gone" and row["reason_code"] == "judge_unavailable"), (
                id_, kind, state, row["reason_code"],
            )  # fmt: skip
    return gave_up


def _check_copies(scene: Scene, rows: dict[str, dict[str, Any]]) -> None:
    copies = scene.backend.live.get_many(list(rows)).submissions
    wrong = {
        id_: (row["state"], row["version"], copies[id_].state.value if id_ in copies else None, copies.get(id_))
        for id_, row in rows.items()
        if id_ not in copies or (copies[id_].state, copies[id_].version) != (State(row["state"]), row["version"])
    }
    assert not wrong, f"the stores disagree: {list(wrong.values())[:3]}"


def _check_events(rows: dict[str, dict[str, Any]], events: list[dict[str, Any]]) -> None:
    by_submission: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        by_submission[str(event["submission_id"])].append(event)
    for id_, row in rows.items():
        told = by_submission[id_]
        assert [event["version"] for event in told] == list(range(1, row["version"] + 1)), f"{id_} has gaps"
        assert told[-1]["to_state"] == row["state"]
        assert all(before["to_state"] == after["from_state"] for before, after in itertools.pairwise(told)), (
            f"{id_} jumps"
        )


def _check_published(
    rows: dict[str, dict[str, Any]], versions: list[dict[str, Any]], changes: list[dict[str, Any]]
) -> None:
    per_content = Counter((row["skill_id"], row["content_hash"]) for row in versions)
    assert all(count == 1 for count in per_content.values()), "a content was published twice"
    told = Counter((row["skill_id"], row["skill_version"], row["content_hash"]) for row in changes)
    assert told == Counter((row["skill_id"], row["version"], row["content_hash"]) for row in versions)
    published = {(row["skill_id"], row["content_hash"]) for row in rows.values() if row["state"] == State.PUBLISHED}
    assert published == set(per_content), "what is published and what says so differ"


def _print(
    scene: Scene, name: str, rows: dict[str, dict[str, Any]], events: list[dict[str, Any]], gave_up: int
) -> None:
    figures = scene.figures
    handed_back = sum("handedBack" in event["detail"] for event in events)
    claims = sum(event["actor"] == "consumer" and event["to_state"] == event["from_state"] for event in events)
    states = ", ".join(
        f"{count} {state}" for state, count in sorted(Counter(r["state"] for r in rows.values()).items())
    )
    repairs = ", ".join(f"{count} {what}" for what, count in sorted(figures.repairs.items())) or "none"
    print(
        f"\n{name}: {figures.accepted} accepted ({figures.refused} refused calls), {len(rows)} answered ({states}),"
        f" {gave_up} given up, {handed_back} handed back, {claims} claimed again, {figures.kills} kills,"
        f" {scene.proxy.hits} DynamoDB faults, {scene.backend.queue.depth()['deadLetters']} dead letters,"
        f" {figures.sweeps} sweeps (repairs: {repairs}), {time.monotonic() - figures.started:.0f} s"
    )
