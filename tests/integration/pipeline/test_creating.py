"""Taking submissions: exactly once each, whoever asks and whichever store is away."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from skillgate.concurrency import settle
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State
from skillgate.services import blocklist, catch_up
from skillgate.services.operate import Operator
from skillgate.services.queue_view import queue_statistics
from skillgate.services.submit import Outcome, Request, create_submissions_batch
from skillgate.services.sweep import sweep

from tests.integration.pipeline.steps import REPO, drain_with, now_of, put_skills, sql, state_of, submitted
from tests.support.backends import World
from tests.support.http import Client, admin_client, public_client
from tests.support.outage import without_dynamodb, without_postgres
from tests.support.queue import drain

ENQUEUE = "/api/v1/admin/queue/bulk-enqueue"
SUBMIT = "/api/v1/submissions"


def test_56_skills_submitted_at_once_by_concurrent_callers_are_56_rows_and_the_statistics_say_so(quick: World) -> None:
    requests = [Request(REPO, f"skills/s{n}/SKILL.md") for n in range(56)]
    ready = threading.Barrier(8)

    def call(_: int) -> list[Outcome]:
        ready.wait()
        return [answer.outcome for answer in create_submissions_batch(quick.backend, requests)]

    outcomes = [outcome for each in settle(call, range(8), workers=8) for outcome in each.unwrap()]

    assert outcomes.count(Outcome.CREATED) == 56 and outcomes.count(Outcome.DUPLICATE) == 7 * 56
    assert sql(quick, "SELECT count(*) FROM submissions") == [(56,)]
    assert queue_statistics(quick.backend).states[State.RECEIVED] == 56
    assert len(set(quick.queued_ids())) == 56


def test_a_new_submission_is_accepted_with_its_location_and_a_second_one_is_told_its_id(public: Client) -> None:
    first = public.post(SUBMIT, {"repoUrl": "https://github.com/Acme/Tools/tree/main/skills/pdf"})
    assert first.status == 202
    told = first.json
    assert first.headers["location"] == f"/api/v1/submissions/{told['id']}"
    assert (told["state"], told["status"], told["skillPath"]) == ("RECEIVED", "RECEIVED", "skills/pdf/SKILL.md")
    again = public.post(SUBMIT, {"repoUrl": "https://github.com/acme/tools", "skillPath": "skills/pdf"})
    assert again.status == 200
    assert again.json | {"duplicate": True, "id": told["id"], "submissionId": told["id"]} == again.json


def test_content_that_is_published_already_is_said_to_be(quick: World, public: Client) -> None:
    submitted(quick.backend, put_skills(quick, ["pdf"]))
    drain(quick)
    body = {"repoUrl": REPO.url, "skillPath": "skills/pdf/SKILL.md"}
    told = public.post(SUBMIT, body).json
    assert told | {"alreadyVerified": True, "skillId": "acme/tools/pdf", "skillName": "pdf", "id": None} == told
    put_skills(quick, ["pdf"], body="Something new.")
    assert public.post(SUBMIT, body).status == 202


def test_a_blocked_source_is_refused_with_its_reason_and_the_same_name_elsewhere_is_not(
    quick: World, public: Client
) -> None:
    blocklist.block(quick.backend, Operator("me", "it steals keys"), repo=REPO)
    told = public.post(SUBMIT, {"repoUrl": REPO.url, "skillName": "pdf"})
    assert told.status == 200 and told.json["blocked"] and told.json["reason"] == "it steals keys"
    assert public.post(SUBMIT, {"repoUrl": "https://github.com/other/tools", "skillName": "pdf"}).status == 202
    assert sql(quick, "SELECT repo_key FROM submissions") == [("other/tools",)]


# --- idempotency ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "other"),
    [
        (SUBMIT, {"repoUrl": "https://github.com/acme/a"}, {"repoUrl": "https://github.com/acme/b"}),
        (SUBMIT + "/bulk", {"repoUrls": ["https://github.com/acme/a"]}, {"repoUrls": ["https://github.com/acme/b"]}),
        (ENQUEUE, [{"repoUrl": "https://github.com/acme/a", "skillName": "aa"}], [{"repoUrl": "x", "skillName": "y"}]),
    ],
    ids=["one", "bulk", "bulk-enqueue"],
)
def test_the_same_key_and_body_get_the_same_answer_and_another_body_is_refused(
    quick: World, path: str, body: Any, other: Any
) -> None:
    client = admin_client(quick.backend) if path == ENQUEUE else public_client(quick.backend)
    quick.github.put_repository("acme", "a", {"SKILL.md": "---\nname: a\ndescription: b\n---\n"})
    first = client.post(path, body, idempotency_key="k1")
    again = client.post(path, body, idempotency_key="k1")
    assert (again.status, again.json) == (first.status, first.json)
    refused = client.post(path, other, idempotency_key="k1")
    assert (refused.status, refused.code) == (422, "idempotency_mismatch")
    assert sql(quick, "SELECT count(*) FROM submissions") == [(1,)]


@pytest.mark.parametrize("away", [False, True], ids=["in DynamoDB", "in Postgres while that is away"])
def test_while_the_first_call_with_a_key_runs_the_others_are_told_to_wait(quick: World, away: bool) -> None:
    from skillgate.domain.errors import Conflict
    from skillgate.services.idempotency import once

    backend = without_dynamodb(quick.backend) if away else quick.backend
    calls: list[int] = []
    ready, over = threading.Barrier(6), threading.Event()

    def call() -> dict[str, Any]:
        calls.append(1)
        over.wait(20)
        return {"made": True}

    def one(_: int) -> Any:
        ready.wait()
        try:
            return once(backend, scope="s", key="k", body={"a": 1}, call=call)
        except Conflict as error:
            over_if_all_waited()
            return error.code

    waited: list[int] = []

    def over_if_all_waited() -> None:
        waited.append(1)
        if len(waited) == 5:
            over.set()

    answers = [outcome.unwrap() for outcome in settle(one, range(6), workers=6)]
    assert len(calls) == 1
    assert sorted(map(str, answers)) == sorted([str({"made": True}), *["still_running"] * 5])


def test_a_call_that_fails_leaves_its_key_free(quick: World, public: Client) -> None:
    body = {"repoUrl": "https://github.com/acme/a"}
    broken = public_client(without_postgres(without_dynamodb(quick.backend)))
    assert broken.post(SUBMIT, body, idempotency_key="k").status == 503
    from skillgate.services.idempotency import once

    with pytest.raises(ZeroDivisionError):
        once(quick.backend, scope="submissions", key="k", body=body, call=lambda: {"x": 1 // 0})
    assert public.post(SUBMIT, body, idempotency_key="k").status == 202


# --- crawlers and people with many ---------------------------------------------------------------------------------


def test_bulk_enqueue_reports_bad_items_skips_what_is_open_and_takes_the_rest(quick: World, admin: Client) -> None:
    good = [{"repoUrl": f"https://github.com/acme/r{n}", "skillName": f"s-{n}"} for n in range(3)]
    bad: list[Any] = [
        "text", {}, {"repoUrl": "https://gitlab.com/a/b", "skillName": "xx"},
        {"repoUrl": "https://github.com/a/b", "skillName": "x"},
        {"repoUrl": "https://github.com/a/b", "skillName": "xx", "skillPath": "../SKILL.md"},
        {"repoUrl": "https://github.com/a/..", "skillName": "xx"},
    ]  # fmt: skip
    assert admin.post(ENQUEUE, good[:1]).json == {"ok": True, "enqueued": 1, "skipped": 0, "errors": []}
    answer = admin.post(ENQUEUE, [*good, *bad, good[2]]).json
    assert (answer["ok"], answer["enqueued"], answer["skipped"]) == (False, 2, 2)
    assert [error["index"] for error in answer["errors"]] == [3, 4, 5, 6, 7, 8]
    assert all(error["code"] and error["message"] for error in answer["errors"])
    assert sql(quick, "SELECT count(*), min(skill_path), min(source) FROM submissions") == [(3, "SKILL.md", "crawler")]
    assert sql(quick, "SELECT count(*) FROM submission_events") == [(0,)]


@pytest.mark.parametrize(
    "body", [[], {}, "text", None, [{"repoUrl": "x"}] * 1001], ids=["empty", "{}", "text", "null", "1001"]
)
def test_bulk_enqueue_refuses_what_is_no_list_of_up_to_a_thousand(quick: World, admin: Client, body: Any) -> None:
    answer = admin.post(ENQUEUE, body)
    assert answer.status == 400 and answer.code
    assert sql(quick, "SELECT count(*) FROM submissions") == [(0,)]


@pytest.mark.parametrize("key", [None, "", "wrong"])
def test_bulk_enqueue_needs_a_key(quick: World, key: str | None) -> None:
    answer = admin_client(quick.backend, key).post(ENQUEUE, [{"repoUrl": REPO.url, "skillName": "pdf"}])
    assert (answer.status, answer.code) == (401, "unauthenticated")
    assert sql(quick, "SELECT count(*) FROM submissions") == [(0,)]


def test_bulk_finds_every_skill_of_each_repository_and_answers_per_item(quick: World, public: Client) -> None:
    put_skills(quick, ["a", "b"])
    put_skills(quick, ["c"], RepoUrl("acme", "more"))
    quick.github.put_repository("acme", "docs", {"README.md": "# Nothing"})
    urls = [
        REPO.url,
        "https://github.com/acme/more",
        "https://github.com/acme/docs",
        "https://github.com/acme/gone",
        "x",
    ]
    answer = public.post(SUBMIT + "/bulk", {"repoUrls": urls})
    told = answer.json
    assert answer.status == 202 and told["created"] == 3
    paths = sorted((result["repoUrl"], result["skillPath"]) for result in told["results"])
    assert [path for _, path in paths] == ["skills/c/SKILL.md", "skills/a/SKILL.md", "skills/b/SKILL.md"]
    codes = {error["index"]: error["code"] for error in told["errors"]}
    assert codes == {2: "no_skill_md", 3: "repository_gone", 4: "invalid_repo_url"}
    again = public.post(SUBMIT + "/bulk", {"repoUrls": urls[:1]})
    assert again.status == 200 and again.json["skipped"] == 2


# --- with a store away ---------------------------------------------------------------------------------------------


def test_with_postgres_away_submissions_are_accepted_processed_and_replayed_in_order(quick: World) -> None:
    crippled = without_postgres(quick.backend)
    requests = put_skills(quick, ["a", "b", "c"])
    answers = create_submissions_batch(crippled, requests)
    assert [(answer.outcome, answer.durable) for answer in answers] == [(Outcome.CREATED, False)] * 3
    again = create_submissions_batch(crippled, requests[:1])[0]
    assert again.outcome is Outcome.DUPLICATE and again.submission and answers[0].submission
    assert again.submission.id == answers[0].submission.id

    assert drain_with(quick, crippled) == 3

    ids = [answer.submission.id for answer in answers if answer.submission]
    assert sql(quick, "SELECT count(*) FROM submissions") == [(0,)]
    report = sweep(quick.backend)
    assert (report.replayed, report.skills_replayed, report.errors) == (3, 3, 0)
    for id_ in ids:
        assert state_of(quick.backend, id_) is State.PUBLISHED
        versions = [(event.version, event.to_state) for event in quick.backend.store.history(id_)]
        assert versions == list(enumerate(
            [State.RECEIVED, State.TIER1_SCANNING, State.AUTO_APPROVED, State.PUBLISHED], start=1
        ))  # fmt: skip
        assert quick.backend.live.get_many([id_]).submissions[id_].pending == ()
    assert sql(quick, "SELECT count(*) FROM changes") == [(3,)]
    assert sweep(quick.backend).replayed == 0


def test_what_ended_while_postgres_was_away_makes_room_for_what_came_after_it(quick: World) -> None:
    first = submitted(quick.backend, put_skills(quick, ["pdf"]))[0]
    crippled = without_postgres(quick.backend)
    drain_with(quick, crippled)
    put_skills(quick, ["pdf"], body="Something new.")
    second = submitted(crippled, [Request(REPO, "skills/pdf/SKILL.md")])[0]

    catch_up.replay(quick.backend, second)  # also if it is the first that the sweeper comes to
    sweep(quick.backend)

    assert state_of(quick.backend, first) is State.PUBLISHED
    assert state_of(quick.backend, second) is State.RECEIVED
    drain(quick)
    assert state_of(quick.backend, second) is State.PUBLISHED


def test_of_two_accepted_by_different_stores_the_durable_one_goes_on(quick: World) -> None:
    requests = put_skills(quick, ["pdf"])
    durable = submitted(without_dynamodb(quick.backend), requests)[0]
    in_copy = submitted(without_postgres(quick.backend), requests)[0]
    sweep(quick.backend)
    withdrawn = now_of(quick.backend, in_copy)
    assert withdrawn.state is State.DEQUEUED and withdrawn.reason and withdrawn.reason.code == "duplicate_submission"
    assert state_of(quick.backend, durable) is State.RECEIVED


def test_with_dynamodb_away_everything_works_and_the_copies_follow(quick: World) -> None:
    crippled = without_dynamodb(quick.backend)
    made = submitted(crippled, put_skills(quick, ["a", "b"]))
    drain_with(quick, crippled)
    assert {state_of(crippled, each) for each in made} == {State.PUBLISHED}
    ids = [each.id for each in made]
    assert quick.backend.live.get_many(ids).submissions == {}

    assert sweep(quick.backend).copies_repaired == 2

    copies = quick.backend.live.get_many(ids).submissions
    rows = quick.backend.store.get_many(ids)
    assert {id_: (c.state, c.version) for id_, c in copies.items()} == {
        id_: (row.state, row.version) for id_, row in rows.items()
    }
    assert sweep(quick.backend).copies_repaired == 0


def test_with_both_stores_away_nothing_is_accepted_and_the_answer_says_when_to_come_back(quick: World) -> None:
    answer = public_client(without_postgres(without_dynamodb(quick.backend))).post(SUBMIT, {"repoUrl": REPO.url})
    assert (answer.status, answer.code) == (503, "store_unavailable") and int(answer.headers["retry-after"]) > 0
    assert quick.queued_ids() == []
