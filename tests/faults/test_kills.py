"""Consumers and sweepers that die by SIGKILL: at every step in turn, and at any moment."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import psycopg
import pytest
from skillgate.domain.submission import State
from skillgate.services import operate
from skillgate.services.operate import Operator

from tests.faults import audit
from tests.faults.scene import Scene, in_background, scene
from tests.support.backends import PROJECT, Servers

SUBMISSIONS = 300
MOST_CALLS = 80
VISIBLE_AGAIN = 4  # seconds until the message of a consumer that was killed comes back

pytestmark = [pytest.mark.slow, pytest.mark.timeout(150)]


class Doomed:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._orders: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def die(self, work: str, call: int, moment: str) -> dict[str, Any]:
        self._orders.write(f"{work} {call} {moment}\n")
        self._orders.flush()
        while not (line := self._answers.readline()).startswith('{"handle"'):  # what it logs comes before
            assert line, "the process that forks consumers has ended"
        return dict(json.loads(line))


@contextmanager
def doomed(play: Scene) -> Iterator[Doomed]:
    with play.log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.doomed"],
            cwd=PROJECT, env=play.environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    try:
        yield Doomed(process)
    finally:
        process.communicate(timeout=30)


@pytest.mark.parametrize("fast_approve", [True, False], ids=["fast approval", "with the judge"])
def test_a_consumer_may_die_before_and_after_each_of_its_steps(servers: Servers, log: Path, fast_approve: bool) -> None:
    with scene(servers, log, consumers=0, fast_approve=fast_approve) as play:
        play.submit([r for r in play.prepare(120) if play.kinds[r.key] == "ok"])
        url = play.world.settings.submissions_queue_url
        with doomed(play) as consumers:
            for moment in ("before", "after"):
                for call in range(1, MOST_CALLS):
                    answer = consumers.die("consume", call, moment)
                    assert answer["ended"] in ("killed", "completed"), play.log.read_text()[-2000:]
                    if answer["ended"] == "completed":
                        break
                    play.figures.kills += 1
                    play.world.sqs.change_message_visibility(
                        QueueUrl=url, ReceiptHandle=answer["handle"], VisibilityTimeout=VISIBLE_AGAIN
                    )
                else:
                    pytest.fail(f"more than {MOST_CALLS} calls for one submission")
        assert play.figures.kills > 20
        for _ in range(2):
            play.start_consumer()
        with play.sweepers():
            play.wait_until_settled()
        play.stop_consumers()
        way = "fast approval" if fast_approve else "with the judge"
        assert audit.problems(play, f"Killed at every step ({way})") == []


def test_a_sweeper_may_die_before_and_after_each_of_its_steps(servers: Servers, log: Path) -> None:
    with scene(servers, log, consumers=0, stuck_after_seconds=1) as play:
        play.submit(play.prepare(40))
        play.world.queued_ids()  # every message is lost
        time.sleep(1.2)
        with doomed(play) as sweepers:
            for moment in ("before", "after"):
                for call in range(1, 40):
                    if sweepers.die("sweep", call, moment)["ended"] == "completed":
                        break
                    play.figures.kills += 1
        for _ in range(2):
            play.start_consumer()
        with play.sweepers():
            play.wait_until_settled()
        play.stop_consumers()
        assert audit.problems(play, "Sweepers killed at every step") == []


def test_consumers_may_die_at_any_moment_while_operators_are_at_work(servers: Servers, log: Path) -> None:
    with scene(servers, log, consumers=3) as play:
        requests = play.prepare(SUBMISSIONS)
        touched: set[str] = set()
        with play.sweepers(2):
            submitted = in_background(lambda: play.submit(requests, over_seconds=6))
            for _ in range(8):
                time.sleep(1.0)
                play.kill_consumer()
                touched |= act_as_operators(play)
            submitted()
            play.wait_until_settled()
        play.stop_consumers()
        assert audit.problems(play, "Consumers killed at random, operators at work", touched=frozenset(touched)) == []


def act_as_operators(play: Scene) -> set[str]:
    """Takes some out, starts some over, approves what waits in review; what has moved on meanwhile is refused."""
    operator = Operator("somebody", "to see what happens")
    with psycopg.connect(play.world.database_url) as connection:
        rows = connection.execute("SELECT id, state FROM submissions ORDER BY random() LIMIT 60").fetchall()
    by_state: dict[State, list[str]] = {}
    for id_, state in rows:
        by_state.setdefault(State(state), []).append(str(id_))
    waiting = by_state.get(State.RECEIVED, [])[:3] + by_state.get(State.TIER2_SCANNING, [])[:3]
    ended = by_state.get(State.REJECTED, [])[:2] + by_state.get(State.DEQUEUED, [])[:2]
    acted = operate.dequeue(play.backend, waiting, operator) if waiting else []
    acted += operate.requeue(play.backend, ended, operator) if ended else []
    reviewed = by_state.get(State.NEEDS_REVIEW, [])[:3]
    acted += operate.decide(play.backend, reviewed, operator, approve=True) if reviewed else []
    return {each.submission_id for each in acted if each.error is None}
