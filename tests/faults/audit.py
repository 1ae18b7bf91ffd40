"""What must be true when everything has settled, whatever happened before; and the figures of a scene."""

from __future__ import annotations

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.rows import dict_row
from skillgate.domain.submission import TERMINAL, State
from skillgate.services.queue_view import queue_statistics

from tests.faults.scene import Scene

Rows = dict[str, dict[str, Any]]  # submissions by id

EXPECTED = {
    "ok": {State.PUBLISHED},
    "review": {State.NEEDS_REVIEW},
    "reject": {State.REJECTED},
    "gone": {State.TIER1_FAILED},
}


def problems(scene: Scene, name: str, *, touched: frozenset[str] = frozenset()) -> list[str]:
    """Everything that is not as it must be; nothing, where nothing was lost. Prints the scene's figures as well.

    `touched` are ids that an operator acted on: they may end elsewhere than the judge says.
    """
    with psycopg.connect(scene.world.database_url, row_factory=dict_row) as connection:
        rows = {str(row["id"]): row for row in connection.execute("SELECT * FROM submissions").fetchall()}
        events = connection.execute("SELECT * FROM submission_events ORDER BY submission_id, version").fetchall()
        versions = connection.execute("SELECT skill_id, version, content_hash FROM skill_versions").fetchall()
        changes = connection.execute("SELECT skill_id, skill_version, content_hash FROM changes").fetchall()
    _print(scene, name, rows, events)
    return [
        *(f"{id_} was given out, and nobody knows it" for id_ in scene.given_out - set(rows)),
        *_wrong_ends(scene, rows, touched),
        *_wrong_copies(scene, rows),
        *_wrong_events(rows, events),
        *_wrongly_published(rows, versions, changes),
        *_wrong_statistics(scene, rows),
    ]


def _wrong_ends(scene: Scene, rows: Rows, touched: frozenset[str]) -> Iterator[str]:
    """Everything has one answer, and the right one."""
    for id_, row in rows.items():
        state, code = State(row["state"]), row["reason_code"]
        if state not in TERMINAL and state is not State.NEEDS_REVIEW:
            yield f"{id_} is still {state}"
        if not code or not row["reason"]:
            yield f"{id_} is {state} without a reason"
        if id_ in touched or code in ("processing_failed", "duplicate_submission"):
            continue
        kind = scene.kinds[row["repo_key"], row["skill_path"]]
        if state not in EXPECTED[kind] and (kind == "gone" or code != "judge_unavailable"):
            yield f"{id_} of the kind {kind} is {state} ({code})"


def _wrong_copies(scene: Scene, rows: Rows) -> Iterator[str]:
    copies = scene.backend.live.get_many(list(rows)).submissions
    for id_, row in rows.items():
        copy = copies.get(id_)
        if copy is None or (copy.state, copy.version) != (State(row["state"]), row["version"]):
            yield f"{id_} is {row['state']} at {row['version']} in Postgres, and its copy is {copy}"


def _wrong_events(rows: Rows, events: list[dict[str, Any]]) -> Iterator[str]:
    by_submission: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        by_submission[str(event["submission_id"])].append(event)
    for id_, row in rows.items():
        told = by_submission[id_]
        if [event["version"] for event in told] != list(range(1, row["version"] + 1)):
            yield f"{id_} has gaps in its events"
        elif told[-1]["to_state"] != row["state"]:
            yield f"{id_} is {row['state']}, and its last event says {told[-1]['to_state']}"
        elif any(before["to_state"] != after["from_state"] for before, after in itertools.pairwise(told)):
            yield f"{id_} jumps from state to state"


def _wrongly_published(rows: Rows, versions: list[dict[str, Any]], changes: list[dict[str, Any]]) -> Iterator[str]:
    per_content = Counter((row["skill_id"], row["content_hash"]) for row in versions)
    yield from (f"{content} was published {count} times" for content, count in per_content.items() if count != 1)
    told = Counter((row["skill_id"], row["skill_version"], row["content_hash"]) for row in changes)
    if told != Counter((row["skill_id"], row["version"], row["content_hash"]) for row in versions):
        yield "the change feed and the versions differ"
    published = {(row["skill_id"], row["content_hash"]) for row in rows.values() if row["state"] == State.PUBLISHED}
    if published != set(per_content):
        yield "what is published and what says so differ"


def _wrong_statistics(scene: Scene, rows: Rows) -> Iterator[str]:
    counted = Counter(State(row["state"]) for row in rows.values())
    shown = {state: number for state, number in queue_statistics(scene.backend).states.items() if number}
    if shown != dict(counted):
        yield f"the statistics say {shown}, and there are {dict(counted)}"


def _print(scene: Scene, name: str, rows: Rows, events: list[dict[str, Any]]) -> None:
    figures = scene.figures
    gave_up = sum(row["reason_code"] == "processing_failed" for row in rows.values())
    handed_back = sum("handedBack" in event["detail"] for event in events)
    claims = sum(event["actor"] == "consumer" and event["to_state"] == event["from_state"] for event in events)
    states = ", ".join(
        f"{count} {state}" for state, count in sorted(Counter(r["state"] for r in rows.values()).items())
    )
    repairs = ", ".join(f"{count} {what}" for what, count in sorted(figures.repairs.items())) or "none"
    print(
        f"\n{name}: {figures.accepted} accepted ({figures.refused} refused calls), {len(rows)} answered ({states}),"
        f" {gave_up} given up, {handed_back} handed back, {claims} claimed again, {figures.kills} kills,"
        f" {scene.proxy.met.total()} DynamoDB faults, {scene.backend.queue.depth()['deadLetters']} dead letters,"
        f" {figures.sweeps} sweeps (repairs: {repairs}), {time.monotonic() - figures.started:.0f} s"
    )
