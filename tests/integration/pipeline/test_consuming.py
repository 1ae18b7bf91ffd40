"""The consumer: each record in its own environment, an answer that names only what failed, nothing done twice."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from skillgate import context
from skillgate.concurrency import settle, together
from skillgate.domain.errors import PermanentFailure, SourceUnavailable
from skillgate.domain.message import to_body
from skillgate.domain.skill import SkillBundle
from skillgate.domain.submission import Reason, State, Submission
from skillgate.ports import Backend
from skillgate.services import blocklist, operate
from skillgate.services.consume import consume
from skillgate.services.operate import Operator
from skillgate.services.publish import publish
from skillgate.services.submit import Request
from skillgate.services.sweep import sweep
from skillgate.services.transition import update_state

from tests.integration.pipeline.steps import (
    REPO,
    drain_with,
    now_of,
    one_submitted,
    put_skills,
    records,
    sql,
    state_of,
    submitted,
)
from tests.support.backends import World
from tests.support.outage import later, without_dynamodb, without_postgres
from tests.support.queue import drain

ME = Operator("me", "because of the test")


class Source:
    """The real source, with a hook before each fetch."""

    def __init__(self, real: Any, before: Any) -> None:
        self._real, self._before = real, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def fetch_repo_files(self, repo_url: str, skill_path: str, *rest: Any, **named: Any) -> SkillBundle:
        replaced = self._before(skill_path)
        if isinstance(replaced, SkillBundle):
            return replaced
        return self._real.fetch_repo_files(repo_url, skill_path, *rest, **named)  # type: ignore[no-any-return]


def with_source(backend: Backend, before: Any) -> Backend:
    return replace(backend, source=Source(backend.source, before))


def batch(backend: Backend, wanted: Sequence[dict[str, Any]], seconds_left: float = 60) -> list[str]:
    answer = consume(backend, wanted, request_id="test", seconds_left=seconds_left)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def test_the_answer_names_only_the_failed_records(quick: World) -> None:
    made = submitted(quick.backend, put_skills(quick, ["a", "b", "c", "d"]))

    def fail_some(path: str) -> None:
        if path in ("skills/b/SKILL.md", "skills/d/SKILL.md"):
            raise SourceUnavailable("GitHub is busy.")

    wanted = records(quick)
    bodies = {record["messageId"]: record["body"] for record in wanted}
    failed = batch(with_source(quick.backend, fail_some), wanted)
    assert {bodies[id_] for id_ in failed} == {to_body(made[1].id), to_body(made[3].id)}
    assert [state_of(quick.backend, each) for each in made] == [
        State.PUBLISHED, State.TIER1_SCANNING, State.PUBLISHED, State.TIER1_SCANNING,
    ]  # fmt: skip


def test_a_message_that_is_not_ours_is_let_go_and_stops_nobody(quick: World) -> None:
    made = one_submitted(quick)
    strange = [
        {"messageId": str(n), "receiptHandle": "x", "body": body, "attributes": {}}
        for n, body in enumerate(["", "[]", "{", '{"submissionId": 7}', '{"submissionId": "\'; DROP"}'])
    ]
    assert batch(quick.backend, [*strange, *records(quick)]) == []
    assert state_of(quick.backend, made) is State.PUBLISHED


def test_two_concurrent_batches_with_different_environments_see_only_their_own(quick: World) -> None:
    """And neither's end takes the other's away: the first to end waits for the second to be in the middle."""
    first_is_over, both_inside = threading.Event(), threading.Barrier(2)
    seen: dict[str, set[str]] = {"one": set(), "two": set()}

    def backend_of(name: str) -> Backend:
        settings = quick.settings.model_copy(update={"github_tokens": (type(quick.settings.github_tokens[0])(name),)})

        def before(_: str) -> None:
            both_inside.wait(20)
            if name == "two":
                assert first_is_over.wait(20)
            environment = context.current()
            seen[name].add(f"{environment.github_token} {environment.request_id} {environment.submission_id}")

        return replace(with_source(quick.backend, before), settings=settings)

    made = submitted(quick.backend, put_skills(quick, ["a", "b"]))
    wanted = {record["body"]: record for record in records(quick)}

    def run(name: str) -> None:
        mine = made[0] if name == "one" else made[1]
        consume(backend_of(name), [wanted[to_body(mine.id)]], request_id=f"request {name}", seconds_left=60)
        if name == "one":
            first_is_over.set()

    for outcome in settle(run, ["one", "two"], workers=2):
        outcome.unwrap()
    assert seen == {"one": {f"one request one {made[0].id}"}, "two": {f"two request two {made[1].id}"}}
    assert context.current_or_none() is None


@pytest.mark.parametrize("away", ["nothing", "postgres", "dynamodb"])
def test_a_message_redelivered_after_the_end_changes_nothing(quick: World, away: str) -> None:
    made = one_submitted(quick)
    wanted = records(quick)
    assert batch(quick.backend, wanted) == []
    before = now_of(quick.backend, made)
    assert before.state is State.PUBLISHED
    crippled = {"nothing": quick.backend, "postgres": without_postgres(quick.backend)}.get(
        away, without_dynamodb(quick.backend)
    )

    def fail(_: str) -> None:
        raise PermanentFailure("It is gone.", code="repository_gone")

    assert batch(with_source(crippled, fail), wanted * 3) == []
    assert now_of(quick.backend, made) == before
    assert sql(quick, "SELECT count(*) FROM changes") == [(1,)]


def test_what_is_claimed_waits_for_the_end_of_its_lease(quick: World) -> None:
    made = one_submitted(quick)
    wanted = records(quick)
    inside, go_on = threading.Event(), threading.Event()

    def hold(_: str) -> None:
        inside.set()
        assert go_on.wait(20)

    def late() -> list[str]:
        assert inside.wait(20)
        failed = batch(quick.backend, wanted)
        go_on.set()
        return failed

    first, second = together(lambda: batch(with_source(quick.backend, hold), wanted), late)
    assert first.unwrap() == [] and second.unwrap() == [wanted[0]["messageId"]]
    assert now_of(quick.backend, made).attempt == 1 and state_of(quick.backend, made) is State.PUBLISHED


def test_when_a_store_is_away_and_the_other_does_not_know_it_the_message_is_kept(quick: World) -> None:
    made = submitted(without_dynamodb(quick.backend), put_skills(quick, ["pdf"]))[0]
    wanted = records(quick)
    assert batch(without_postgres(quick.backend), wanted) == [wanted[0]["messageId"]]
    assert batch(quick.backend, wanted) == []
    assert state_of(quick.backend, made) is State.PUBLISHED


def test_when_the_attempts_are_used_up_the_last_error_is_the_reason(quick: World) -> None:
    made = one_submitted(quick)

    def fail(_: str) -> None:
        raise SourceUnavailable("GitHub is on fire.")

    assert drain_with(quick, with_source(quick.backend, fail)) == 5
    ended = now_of(quick.backend, made)
    assert ended.state is State.REJECTED and ended.reason and ended.reason.code == "processing_failed"
    assert "GitHub is on fire." in ended.reason.message and "5 attempts" in ended.reason.message
    assert drain(quick) == 0


def test_a_defect_of_ours_is_retried_and_never_worded_as_a_verdict(quick: World) -> None:
    made = one_submitted(quick)

    def crash(_: str) -> None:
        raise ZeroDivisionError("secret detail")

    drain_with(quick, with_source(quick.backend, crash))
    reason = now_of(quick.backend, made).reason
    assert reason and reason.code == "processing_failed" and "secret" not in reason.message


def test_with_too_little_time_left_the_work_is_handed_back_without_burning_an_attempt(quick: World) -> None:
    made = one_submitted(quick)
    wanted = records(quick)
    assert batch(quick.backend, wanted, seconds_left=4) == [wanted[0]["messageId"]]
    handed_back = now_of(quick.backend, made)
    assert (handed_back.attempt, handed_back.lease_until, handed_back.state) == (0, None, State.TIER1_SCANNING)
    assert drain(quick) == 1  # it is visible again at once
    assert state_of(quick.backend, made) is State.PUBLISHED


@pytest.mark.parametrize("away", [False, True], ids=["both stores", "DynamoDB away when it was set"])
def test_a_pause_stops_claiming_and_loses_or_burns_nothing(
    quick: World, away: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillgate.services.consume.PAUSED_RETRY", timedelta())  # nobody wants to wait a minute here
    made = one_submitted(quick)
    operate.pause(quick.backend, ME, on=False)
    operate.pause(without_dynamodb(quick.backend) if away else quick.backend, ME, on=True)
    wanted = records(quick)
    assert batch(quick.backend, wanted) == []  # this message can go: another one was sent
    assert now_of(quick.backend, made).version == 1
    operate.pause(quick.backend, ME, on=False)
    again = records(quick)
    assert [record["attributes"]["ApproximateReceiveCount"] for record in again] == ["1"]
    assert batch(quick.backend, again) == [] and state_of(quick.backend, made) is State.PUBLISHED


def test_a_claim_that_the_sweeper_crossed_is_made_all_the_same(quick: World) -> None:
    """A move between the look and the claim must not cost the only message."""
    made = one_submitted(quick)
    crossed: list[int] = []

    @dataclass
    class Crossing:
        real: Any

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def screen(self, keys: Any) -> Any:
            if not crossed:
                crossed.append(1)
                update_state(quick.backend, now_of(quick.backend, made), State.RECEIVED, actor="sweeper", sweeps=1)
            return self.real.screen(keys)

    assert batch(replace(quick.backend, store=Crossing(quick.backend.store)), records(quick)) == []
    assert crossed and state_of(quick.backend, made) is State.PUBLISHED


# --- what is published is what was scanned -------------------------------------------------------------------------


def approved(world: World) -> Submission:
    """A submission that an operator approved and that nobody has published yet."""
    world.bedrock.set_script([{"play": "review"}])
    made = submitted(world.backend, put_skills(world, ["pdf"], body="Please be careful."))[0]
    slow = replace(world.backend, settings=world.settings.model_copy(update={"fast_approve": False}))
    drain_with(world, slow)
    assert state_of(world.backend, made) is State.NEEDS_REVIEW
    operate.decide(world.backend, [made.id], ME, approve=True)
    return now_of(world.backend, made)


def test_content_that_changed_between_approval_and_publishing_is_scanned_again(quick: World) -> None:
    made = approved(quick)
    assert made.state is State.AUTO_APPROVED
    bundle = quick.backend.source.fetch_repo_files(made.repo_url, made.skill_path)
    file = replace(bundle.files[0], content=b"---\nname: pdf\ndescription: Something else.\n---\n")
    changed = replace(bundle, files=[file])
    first: list[SkillBundle] = [changed]

    drain_with(quick, with_source(quick.backend, lambda _: first.pop() if first else None))

    states = [event.to_state for event in quick.backend.store.history(made.id)]
    at = states.index(State.RESCAN_REQUIRED)
    assert states[at:] == [
        State.RESCAN_REQUIRED, State.RECEIVED, State.TIER1_SCANNING, State.AUTO_APPROVED, State.PUBLISHED,
    ]  # fmt: skip
    skill = quick.backend.skills.get("acme/tools/pdf")
    assert skill is not None and skill.content_hash == bundle.content_hash()


def test_a_commit_that_is_gone_at_publishing_is_scanned_again_at_the_new_one(quick: World) -> None:
    made = approved(quick)
    gone = [PermanentFailure("There is no such commit.", code="commit_gone")]

    def before(_: str) -> None:
        if gone:
            raise gone.pop()

    drain_with(quick, with_source(quick.backend, before))
    assert State.RESCAN_REQUIRED in [event.to_state for event in quick.backend.store.history(made.id)]
    assert state_of(quick.backend, made) is State.PUBLISHED


def test_publishing_the_same_content_again_is_the_same_version_and_no_change(quick: World) -> None:
    made = one_submitted(quick)
    drain(quick)
    bundle = quick.backend.source.fetch_repo_files(made.repo_url, made.skill_path)
    from skillgate.scanning import scan

    report = scan(bundle.files, skill_path=bundle.skill_path)
    again = publish(quick.backend, now_of(quick.backend, made), bundle, bundle.content_hash(), report)
    assert again.version == "1.0.0"
    assert sql(quick, "SELECT count(*) FROM skill_versions") == sql(quick, "SELECT count(*) FROM changes") == [(1,)]


# --- the blocklist -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("postgres", [True, False], ids=["with Postgres", "without"])
def test_a_source_that_is_blocked_meanwhile_and_a_blocked_content_end_as_blocked(quick: World, postgres: bool) -> None:
    source, content, innocent = submitted(
        quick.backend,
        [
            *put_skills(quick, ["pdf"]),
            *put_skills(quick, ["pdf"], replace(REPO, owner="evil"), body="A known bad text."),
            *put_skills(quick, ["pdf"], replace(REPO, owner="kind"), body="A kind text."),
        ],
    )
    bad = quick.backend.source.fetch_repo_files(content.repo_url, content.skill_path).content_hash()
    blocklist.block(quick.backend, ME, repo=REPO)
    blocklist.block(quick.backend, ME, content_hash=bad)

    drain_with(quick, quick.backend if postgres else without_postgres(quick.backend))

    ends = [now_of(quick.backend, each) for each in (source, content, innocent)]
    assert [(end.state, end.reason.code if end.reason else None) for end in ends] == [
        (State.BLOCKED, "blocklisted_source"),
        (State.BLOCKED, "blocklisted_content"),
        (State.PUBLISHED, "published"),
    ]


# --- when the stores went different ways ---------------------------------------------------------------------------


def test_a_copy_that_went_another_way_never_overwrites_what_postgres_says(quick: World) -> None:
    """DynamoDB missed the end; then, with Postgres away, the work is done again there and ends otherwise."""
    made = one_submitted(quick)
    wanted = records(quick)
    assert batch(without_dynamodb(quick.backend), wanted) == []
    truth = now_of(quick.backend, made)
    assert truth.state is State.PUBLISHED

    astray = later(without_postgres(quick.backend), timedelta(minutes=5))
    stray = quick.backend.live.get_many([made.id]).submissions[made.id]
    for _ in range(truth.version):
        stray = update_state(astray, stray, State.RECEIVED, actor="consumer")
    stray = update_state(astray, stray, State.REJECTED, actor="consumer", reason=Reason("processing_failed", "Late."))
    assert stray.version > truth.version

    for _ in range(2):
        sweep(quick.backend)

    assert quick.backend.store.get_many([made.id])[made.id] == truth
    copy = quick.backend.live.get_many([made.id]).submissions[made.id]
    assert (copy.state, copy.version, copy.pending) == (truth.state, truth.version, ())
    assert not quick.backend.live.unsynced(10).submissions


def test_a_skill_whose_frontmatter_hides_its_name_fails_with_the_parsers_word(quick: World) -> None:
    text = "---\ntitle: [never closed\n---\n# PDF\nSum it up.\n"
    quick.github.put_repository(REPO.owner, REPO.repo, {"skills/pdf/SKILL.md": text})
    (unnamed,) = submitted(quick.backend, [Request(REPO, "skills/pdf/SKILL.md")])
    drain(quick)
    ended = now_of(quick.backend, unnamed)
    assert ended.state is State.TIER1_FAILED and ended.reason is not None
    assert ended.reason.code == "broken_frontmatter" and "not valid YAML" in ended.reason.message
