"""What operators see and do: every action with a reason, every action in the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from skillgate.domain.ids import new_id
from skillgate.domain.submission import State
from skillgate.services.transition import update_state

from tests.integration.pipeline.steps import now_of, one_submitted, put_skills, records, sql, state_of, submitted
from tests.support.backends import World
from tests.support.http import Client, admin_client
from tests.support.outage import later, without_dynamodb, without_postgres
from tests.support.queue import drain

QUEUE = "/api/v1/admin/queue"
WHY = "because of the test"
LONG = timedelta(minutes=16)


def audited(world: World) -> list[tuple[Any, ...]]:
    return sql(world, "SELECT action, subject, reason, actor FROM audit_log ORDER BY id")


def act(client: Client, action: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"{QUEUE}/{action}", {"reason": WHY, **body})
    assert answer.status == 200, answer
    assert answer.headers["cache-control"] == "no-store"
    return dict(answer.json)


def test_the_stuck_are_listed_and_requeued_one_many_or_all(quick: World) -> None:
    made = submitted(quick.backend, put_skills(quick, ["a", "b", "c", "d"]))
    ids = [each.id for each in made]
    quick.queued_ids()
    client = admin_client(later(quick.backend, LONG))
    assert {row["id"] for row in client.get(f"{QUEUE}/stuck").json["submissions"]} == set(ids)
    assert act(client, "requeue", ids=ids[:1])["done"] == 1
    assert act(client, "requeue", ids=ids[1:3])["done"] == 2
    assert sorted(quick.queued_ids()) == sorted(ids[:3])
    rest = act(client, "requeue", allStuck=True)
    assert [result["id"] for result in rest["results"]] == [ids[3]]
    assert client.get(f"{QUEUE}/stuck").json["submissions"] == []
    assert [(action, subject) for action, subject, *_ in audited(quick)] == [("requeue", id_) for id_ in ids]


def test_an_ended_submission_starts_over_and_a_published_one_does_not(quick: World, admin: Client) -> None:
    gone, published = one_submitted(quick, "gone"), one_submitted(quick, "pdf")
    quick.github.put_repository("acme", "tools", {"skills/pdf/SKILL.md": "---\nname: pdf\ndescription: x\n---\nRead."})
    drain(quick)
    assert [state_of(quick.backend, each) for each in (gone, published)] == [State.TIER1_FAILED, State.PUBLISHED]
    told = act(admin, "requeue", ids=[gone.id, published.id])
    assert not told["ok"] and told["done"] == 1
    assert told["results"][1]["code"] == "transition_not_allowed"
    assert state_of(quick.backend, gone) is State.RECEIVED and state_of(quick.backend, published) is State.PUBLISHED
    assert drain(quick) == 1 and state_of(quick.backend, gone) is State.TIER1_FAILED


def test_what_is_taken_out_is_not_worked_on_and_what_is_being_published_is_not_taken_out(
    quick: World, admin: Client
) -> None:
    out, publishing = submitted(quick.backend, put_skills(quick, ["a", "b"]))
    until = quick.backend.now() + timedelta(minutes=1)
    claimed = update_state(quick.backend, publishing, State.TIER1_SCANNING, actor="consumer", lease_until=until)
    update_state(quick.backend, claimed, State.AUTO_APPROVED, actor="consumer")
    told = act(admin, "dequeue", ids=[out.id, publishing.id])
    assert [(r["state"], r["code"]) for r in told["results"]] == [
        ("DEQUEUED", None), ("AUTO_APPROVED", "being_published"),
    ]  # fmt: skip
    drain(quick)
    ended = now_of(quick.backend, out)
    assert ended.state is State.DEQUEUED and ended.reason and ended.reason.message == WHY
    assert audited(quick) == [("dequeue", out.id, WHY, "internal")]


@pytest.mark.parametrize(("decision", "end"), [("approve", State.PUBLISHED), ("reject", State.REJECTED)])
def test_what_waits_in_review_is_approved_or_rejected(quick: World, admin: Client, decision: str, end: State) -> None:
    made = one_submitted(quick)
    claimed = update_state(quick.backend, made, State.TIER1_SCANNING, actor="consumer", attempt=1)
    judged = update_state(quick.backend, claimed, State.TIER2_SCANNING, actor="consumer")
    update_state(quick.backend, judged, State.NEEDS_REVIEW, actor="consumer", lease_until=None)
    assert act(admin, "requeue", ids=[made.id])["results"][0]["code"] == "needs_decision"
    assert act(admin, "decide", ids=[made.id], decision=decision)["done"] == 1
    drain(quick)
    assert state_of(quick.backend, made) is end
    assert act(admin, "decide", ids=[made.id], decision=decision)["results"][0]["code"] == "not_in_review"
    copy = quick.backend.live.get_many([made.id]).submissions[made.id]
    assert copy.version == now_of(quick.backend, made).version
    assert [action for action, *_ in audited(quick)] == [decision]


@pytest.mark.parametrize("action", ["requeue", "dequeue", "pause", "dead-letters/redrive"])
def test_while_the_audit_log_is_out_of_reach_nothing_is_done(quick: World, action: str) -> None:
    made = one_submitted(quick)
    client = admin_client(without_postgres(quick.backend))
    answer = client.post(
        f"{QUEUE}/{action}", {"reason": WHY, "ids": [made.id]} if "queue" in action else {"reason": WHY}
    )
    assert (answer.status, answer.code) == (503, "store_unavailable")
    assert now_of(quick.backend, made).version == 1 and quick.backend.live.control("queue-pause") is None


def test_an_unknown_id_is_said_to_be_unknown_and_stops_nobody(quick: World, admin: Client) -> None:
    made, unknown = one_submitted(quick), new_id()
    told = act(admin, "dequeue", ids=[unknown, made.id])
    assert [(r["id"], r["code"]) for r in told["results"]] == [(unknown, "submission_not_found"), (made.id, None)]
    away = admin_client(without_dynamodb(quick.backend)).post(f"{QUEUE}/dequeue", {"reason": WHY, "ids": [unknown]})
    assert (away.status, away.code) == (503, "store_unavailable")  # the other store may well know it


def test_dead_letters_are_looked_at_sent_back_and_discarded_with_a_reason(quick: World, admin: Client) -> None:
    made = submitted(quick.backend, put_skills(quick, ["a", "b"]))
    url = quick.settings.submissions_queue_url
    for _ in range(6):
        for record in records(quick):
            quick.sqs.change_message_visibility(
                QueueUrl=url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
            )
    assert admin.get(f"{QUEUE}/health").json["queue"]["deadLetters"] == 2
    seen = admin.get(f"{QUEUE}/dead-letters").json["deadLetters"]
    assert {letter["submissionId"] for letter in seen} == {each.id for each in made}
    gone = [letter["receiptHandle"] for letter in seen if letter["submissionId"] == made[0].id]
    assert act(admin, "dead-letters/discard", receiptHandles=gone)["detail"] == {"discarded": 1}
    kept = next(letter["receiptHandle"] for letter in seen if letter["submissionId"] == made[1].id)
    dead = quick.settings.submissions_dead_letters_url
    quick.sqs.change_message_visibility(QueueUrl=dead, ReceiptHandle=kept, VisibilityTimeout=0)
    assert act(admin, "dead-letters/redrive")["detail"]["task"]
    assert _eventually(lambda: drain(quick) == 1)
    assert [state_of(quick.backend, each) for each in made] == [State.RECEIVED, State.PUBLISHED]
    assert [(action, subject) for action, subject, *_ in audited(quick)] == [
        ("discard", "dead-letters"), ("redrive", "dead-letters"),
    ]  # fmt: skip


def _eventually(happened: Any) -> bool:
    import time

    deadline = time.monotonic() + 20
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_health_says_what_is_known_and_null_for_what_is_not(quick: World, admin: Client) -> None:
    one_submitted(quick)
    whole = admin.get(f"{QUEUE}/health").json
    assert not whole["degraded"] and whole["inFlight"] == 1 and whole["queue"]["visible"] == 1
    assert whole["oldestInFlightSeconds"] >= 0 and whole["orphans"] == 0 and whole["paused"] is False
    degraded = admin_client(without_postgres(quick.backend)).get(f"{QUEUE}/health").json
    assert degraded["degraded"]
    unknown = ("inFlight", "oldestInFlightSeconds", "orphans", "drainedLastHour", "drainedLastSixHours")
    assert [degraded[name] for name in unknown] == [None] * 5
    both = admin_client(without_dynamodb(without_postgres(quick.backend))).get(f"{QUEUE}/health").json
    assert both["stuck"] is None and both["paused"] is None and both["queue"] is not None


def test_pause_and_resume_are_in_the_audit_log_which_pages(quick: World, admin: Client) -> None:
    act(admin, "pause")
    assert admin.get(f"{QUEUE}/health").json["paused"] is True
    act(admin, "resume")
    assert admin.get(f"{QUEUE}/health").json["paused"] is False
    first = admin.get("/api/v1/admin/audit-log", limit=1).json
    second = admin.get("/api/v1/admin/audit-log", limit=1, before=first["nextBefore"]).json
    assert [entry["action"] for page in (first, second) for entry in page["entries"]] == ["resume", "pause"]
    assert all(entry["reason"] == WHY for page in (first, second) for entry in page["entries"])


@pytest.mark.parametrize("action", ["requeue", "dequeue", "decide", "pause", "resume", "dead-letters/redrive"])
def test_no_action_without_a_reason(quick: World, admin: Client, action: str) -> None:
    made = one_submitted(quick)
    answer = admin.post(f"{QUEUE}/{action}", {"ids": [made.id], "decision": "approve"})
    assert answer.status == 400 and answer.code == "validation_failed"
    assert now_of(quick.backend, made).version == 1 and audited(quick) == []
