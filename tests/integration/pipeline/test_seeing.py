"""What people see of the queue: lists without gaps, totals that are right, stories, statistics and the stream."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from skillgate.domain.ids import new_id
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import BUCKETS, State
from skillgate.services.submit import Request
from skillgate.services.transition import update_state

from tests.integration.pipeline.steps import one_submitted, put_skills, sql, submitted
from tests.support.backends import World
from tests.support.http import Client, public_client
from tests.support.outage import Away, without_dynamodb, without_postgres
from tests.support.queue import drain

LIST = "/api/v1/submissions"


def many(world: World, number: int, owner: str = "many") -> list[str]:
    requests = [Request(RepoUrl(owner, f"repo-{n}"), "SKILL.md", f"skill {n}") for n in range(number)]
    return [each.id for each in submitted(world.backend, requests)]


def walk(client: Client, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    page = client.get(LIST, **query).json
    while True:
        rows += page["submissions"]
        if page["nextCursor"] is None:
            return rows
        page = client.get(LIST, cursor=page["nextCursor"], **query).json


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("sort", ["createdAt", "updatedAt"])
def test_a_walk_by_cursor_meets_every_row_once_while_rows_are_added(
    quick: World, public: Client, sort: str, direction: str
) -> None:
    before = set(many(quick, 60))
    over, adding = threading.Event(), threading.Event()

    def add() -> None:
        number = 0
        while not over.is_set():
            many(quick, 5, owner=f"new-{number}")
            number += 1
            adding.set()

    thread = threading.Thread(target=add)
    thread.start()
    try:
        assert adding.wait(20)
        met = Counter(row["id"] for row in walk(public, limit=7, sort=sort, sortDir=direction))
    finally:
        over.set()
        thread.join()
    assert before <= set(met) and max(met.values()) == 1


def test_pages_and_cursors_show_the_same_rows_and_the_total_is_right(quick: World, public: Client) -> None:
    ids = set(many(quick, 25))
    pages = [public.get(LIST, limit=10, page=page).json for page in (1, 2, 3)]
    assert [row["id"] for page in pages for row in page["submissions"]] == [row["id"] for row in walk(public, limit=4)]
    assert {row["id"] for page in pages for row in page["submissions"]} == ids
    assert {(page["total"], page["totalIsExact"]) for page in pages} == {(25, True)}
    assert pages[2]["nextCursor"] is None


def test_filters_find_what_they_say(quick: World, public: Client) -> None:
    submitted(quick.backend, put_skills(quick, ["pdf", "csv"]))
    drain(quick)
    waiting = set(many(quick, 3))

    def found(**query: Any) -> tuple[int, int]:
        answer = public.get(LIST, **query).json
        return len(answer["submissions"]), answer["total"]

    assert found(state="active") == found(state="RECEIVED") == (3, 3)
    assert found(state="published") == (2, 2) and found(state="review") == (0, 0)
    assert found(q="pdf") == (1, 1) and found(q="ACME/TOOLS") == (2, 2) and found(q="100%") == (0, 0)
    assert found(q=min(waiting)) == (1, 1)
    assert found(repoUrl="https://github.com/Acme/Tools") == (2, 2)
    assert found(state="active", repoUrl="https://github.com/acme/tools") == (0, 0)
    assert found(state="active", sort="updatedAt", sortDir="asc", limit=2) == (2, 3)


def test_a_row_in_flight_is_shown_as_its_copy_if_that_is_newer(quick: World) -> None:
    made = one_submitted(quick)
    update_state(without_postgres(quick.backend), made, State.TIER1_SCANNING, actor="consumer", attempt=1)
    row = public_client(quick.backend).get(LIST).json["submissions"][0]
    assert (row["state"], row["status"]) == ("TIER1_SCANNING", "TIER1_SCANNING")
    degraded = public_client(without_dynamodb(quick.backend)).get(LIST).json
    assert degraded["degraded"] and degraded["submissions"][0]["state"] == "RECEIVED"


def test_a_list_that_cannot_be_read_is_not_an_empty_one(quick: World) -> None:
    client = public_client(without_postgres(quick.backend))
    for path in (LIST, f"{LIST}/stats", f"{LIST}/stream"):
        answer = client.get(path)
        assert (answer.status, answer.code) == (503, "store_unavailable") and answer.headers["retry-after"]


def test_the_statistics_are_a_real_count_and_every_total_is_theirs(quick: World, public: Client) -> None:
    submitted(quick.backend, put_skills(quick, ["pdf", "csv"]))
    one_submitted(quick, "gone")
    quick.github.put_repository("acme", "tools", {f"skills/{n}/SKILL.md": f"---\nname: {n}\ndescription: x\n---\nHi"
                                                 for n in ("pdf", "csv")})  # fmt: skip
    drain(quick)
    many(quick, 4)
    told = public.get(f"{LIST}/stats").json
    counted = dict(sql(quick, "SELECT state::text, count(*) FROM submissions GROUP BY 1"))
    assert {state: count for state, count in told["states"].items() if count} == counted
    assert set(told["states"]) == set(State) and set(told["buckets"]) == set(BUCKETS)
    assert told["buckets"]["active"] == told["inFlight"] == public.get(LIST, state="active").json["total"] == 4
    assert told["total"] == public.get(LIST).json["total"] == sum(counted.values())
    assert told["throughput"]["lastHour"] == told["throughput"]["lastDay"] == 3
    assert told["throughput"]["publishedLastDay"] == counted["PUBLISHED"]
    assert 0 < told["medianSeconds"] <= told["p95Seconds"] and told["oldestInFlightSeconds"] >= 0 and told["asOf"]


def test_a_submissions_story_has_every_event_and_how_long_each_stage_took(quick: World, public: Client) -> None:
    made = one_submitted(quick)
    drain(quick)
    story = public.get(f"{LIST}/{made.id}").json
    assert [event["toState"] for event in story["events"]] == [
        "RECEIVED", "TIER1_SCANNING", "AUTO_APPROVED", "PUBLISHED",
    ]  # fmt: skip
    assert all(event["seconds"] >= 0 and event["at"] for event in story["events"])
    assert story["reasonCode"] == "published" and story["reason"] and story["durable"] and not story["degraded"]
    assert story["position"] is None and story["scans"][0]["tier"] == 1 and "email" not in story


def test_a_waiting_submission_knows_its_place_and_when_its_turn_may_be(quick: World, public: Client) -> None:
    submitted(quick.backend, put_skills(quick, ["a", "b", "c"]))
    drain(quick)
    for number in range(3):
        ids = many(quick, 1, owner=f"queue-{number}")
    story = public.get(f"{LIST}/{ids[0]}").json
    assert story["position"] == 3 and story["etaSeconds"] > 0 and story["events"][-1]["seconds"] is None


def test_with_postgres_away_a_story_is_told_from_the_copy_and_an_unknown_id_is_not_called_unknown(quick: World) -> None:
    made = one_submitted(quick)
    client = public_client(without_postgres(quick.backend))
    story = client.get(f"{LIST}/{made.id}").json
    assert story["state"] == "RECEIVED" and story["degraded"] and story["position"] is None
    assert client.get(f"{LIST}/{new_id()}").status == 503
    whole = public_client(quick.backend).get(f"{LIST}/{new_id()}")
    assert (whole.status, whole.code) == (404, "submission_not_found")


# --- the stream ----------------------------------------------------------------------------------------------------


def read(client: Client, last: str | None) -> tuple[list[tuple[str, int]], str]:
    """The events of one answer, and the id to go on from."""
    headers = {"last-event-id": last} if last else {}
    answer = client.call("GET", f"{LIST}/stream", headers=headers)
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.startswith("retry: ")
    found = [json.loads(data) for data in re.findall(r"^event: submission\ndata: (.*)$", answer.text, re.M)]
    return [(event["submissionId"], event["version"]) for event in found], re.findall(r"^id: (.*)$", answer.text, re.M)[
        -1
    ]


def test_the_stream_starts_at_now_and_goes_on_from_the_last_event(quick: World, public: Client) -> None:
    one_submitted(quick, "earlier")
    drain(quick)
    first, last = read(public, None)
    assert first == []
    made = one_submitted(quick)
    drain(quick)
    events, last = read(public, last)
    assert events == [(made.id, version) for version in (1, 2, 3, 4)]
    assert read(public, last) == ([], last)


def test_no_event_is_missed_when_commits_overtake_each_other(quick: World, public: Client) -> None:
    """A transaction that began first and commits last: a reader that went past its number would never see it."""
    _, last = read(public, None)
    slow, quicker = many(quick, 2, owner="events")
    insert = (
        "INSERT INTO submission_events (submission_id, version, to_state, at, actor)"
        " VALUES (%s, 9, 'RECEIVED', now(), 'test')"
    )
    seen: list[tuple[str, int]] = []
    with psycopg.connect(quick.database_url) as first, psycopg.connect(quick.database_url) as second:
        first.execute(insert, [slow])
        second.execute(insert, [quicker])
        second.commit()
        events, last = read(public, last)
        seen += events
        assert (quicker, 9) not in seen  # it waits, because one before it may still come
        first.commit()
    events, last = read(public, last)
    seen += events
    assert seen[-2:] == [(slow, 9), (quicker, 9)] and len(seen) == len(set(seen)) == 4


def test_no_event_is_missed_or_repeated_under_concurrent_commits(quick: World, public: Client) -> None:
    _, last = read(public, None)
    over = threading.Event()

    def move(number: int) -> None:
        for each in submitted(quick.backend, [Request(RepoUrl(f"w{number}", f"r{n}"), "SKILL.md") for n in range(8)]):
            for _ in range(4):
                each = update_state(quick.backend, each, State.RECEIVED, actor="test")

    def run() -> None:
        from skillgate.concurrency import settle

        for outcome in settle(move, range(4), workers=4):
            outcome.unwrap()
        over.set()

    thread = threading.Thread(target=run)
    thread.start()
    seen: list[tuple[str, int]] = []
    while True:
        finished = over.is_set()
        events, last = read(public, last)
        seen += events
        if finished and not events:
            break
    thread.join()
    assert len(seen) == len(set(seen))
    assert set(seen) == {(str(id_), v) for id_, v in sql(quick, "SELECT submission_id, version FROM submission_events")}


def test_a_store_that_fails_half_way_is_no_reason_to_show_less_than_is_known(quick: World) -> None:
    made = one_submitted(quick)
    drain(quick)

    class NoScans:
        def __getattr__(self, name: str) -> Any:
            return Away().scans if name == "scans" else getattr(quick.backend.store, name)

    story = public_client(replace(quick.backend, store=NoScans())).get(f"{LIST}/{made.id}").json
    assert story["degraded"] and len(story["events"]) == 4 and story["scans"] == []
