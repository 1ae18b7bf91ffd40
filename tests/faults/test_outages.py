"""Stores and queue that go away, come back, fail and repeat themselves while hundreds of submissions are under way.

Each scene shows two things: that its trouble really happened, and that nothing is wrong when it is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.faults import audit
from tests.faults.scene import Scene, in_background, scene
from tests.faults.worker import DELIVERED_AGAIN
from tests.integration.local.sqs_calls import faults_left, inject
from tests.support.backends import Servers
from tests.support.fault_proxy import Fault

SUBMISSIONS = 300
OFTEN = 1_000_000  # times that a fault of the queue lasts: more than there are calls, and they can be counted

pytestmark = [pytest.mark.slow, pytest.mark.timeout(150)]


def run(play: Scene, trouble: Callable[[], None], *, sweepers: int = 1) -> None:
    """Submits everything while the trouble is under way, and waits until all is answered."""
    requests = play.prepare(SUBMISSIONS)
    with play.sweepers(sweepers):
        submitted = in_background(lambda: play.submit(requests, over_seconds=6))
        trouble()
        submitted()
        play.wait_until_settled()
    play.stop_consumers()


def postgres_away(play: Scene, end: Callable[[], None], seconds: float) -> None:
    """Ends Postgres for a while; it is really gone for who asks, until it is started again."""
    end()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(play.world.database_url, connect_timeout=2)
    time.sleep(seconds)
    play.world.servers.postgres.start()


def queue_faults_met(servers: Servers) -> dict[str, int]:
    """How many calls each fault of the queue has met."""
    return {fault["kind"]: OFTEN - fault["times"] for fault in faults_left(servers.sqs.url)}


def test_nothing_is_lost_while_postgres_is_stopped_and_killed(servers: Servers, log: Path) -> None:
    with scene(servers, log) as play:

        def trouble() -> None:
            for end in (servers.postgres.stop, servers.postgres.kill):
                time.sleep(1.5)
                postgres_away(play, end, seconds=2.5)

        run(play, trouble)
        assert play.figures.repairs["replayed"] > 0, "nothing was written while Postgres was away"
        assert len(play.given_out) >= SUBMISSIONS
        assert audit.problems(play, "Postgres stopped and killed") == []


def test_nothing_is_lost_while_dynamodb_fails_in_every_way(servers: Servers, log: Path) -> None:
    faults = [
        Fault("refuse"),
        Fault("error"),
        Fault("throttle"),
        Fault("lost", "PutItem"),
        Fault("error", "BatchGetItem"),
        Fault("delay", seconds=0.3),
    ]
    with scene(servers, log) as play:

        def trouble() -> None:
            for fault in faults:
                time.sleep(0.5)
                with play.proxy.failing(fault):
                    time.sleep(1.0)
            servers.dynamodb.kill()
            time.sleep(1.0)
            servers.dynamodb.start()

        run(play, trouble)
        met = play.proxy.met
        assert [fault for fault in faults if met[fault] == 0] == [], "a fault that no call has met"
        assert len(play.given_out) >= SUBMISSIONS
        assert audit.problems(play, "DynamoDB failing and killed") == []


def test_nothing_is_lost_while_one_store_and_then_the_other_is_away(servers: Servers, log: Path) -> None:
    refused = Fault("refuse")
    with scene(servers, log) as play:

        def trouble() -> None:
            for turn in range(2):
                before = play.proxy.met[refused]
                with play.proxy.failing(refused):
                    time.sleep(1.5)
                assert play.proxy.met[refused] > before, f"nobody missed DynamoDB in turn {turn}"
                postgres_away(play, servers.postgres.kill, seconds=1.5)

        run(play, trouble)
        assert play.figures.repairs["replayed"] > 0, "nothing was written while Postgres was away"
        assert len(play.given_out) >= SUBMISSIONS
        assert audit.problems(play, "DynamoDB and Postgres away in turns") == []


def test_nothing_is_lost_while_sqs_does_not_take_messages(servers: Servers, log: Path) -> None:
    met: dict[str, int] = {}

    def trouble() -> None:
        for kind in ("error", "partial", "lost"):
            inject(servers.sqs.url, {"operation": "SendMessageBatch", "kind": kind, "times": OFTEN})
            time.sleep(1.5)
            met.update(queue_faults_met(servers))
        inject(servers.sqs.url)

    with scene(servers, log) as play:
        run(play, trouble, sweepers=2)
        assert set(met) == {"error", "partial", "lost"} and min(met.values()) > 0, met
        assert play.figures.repairs["unsent_sent"] > 0, "every message was taken at once"
        assert len(play.given_out) >= SUBMISSIONS
        assert audit.problems(play, "SQS refusing, taking half and losing answers; two sweepers") == []


def test_messages_that_come_twice_and_out_of_order_change_nothing(servers: Servers, log: Path) -> None:
    inject(
        servers.sqs.url,
        {"operation": "ReceiveMessage", "kind": "duplicate", "times": OFTEN},
        {"operation": "ReceiveMessage", "kind": "shuffle", "times": OFTEN},
    )
    try:
        with scene(servers, log) as play:
            run(play, lambda: None)
            met, again = queue_faults_met(servers), log.read_text().count(DELIVERED_AGAIN)
            assert set(met) == {"duplicate", "shuffle"} and min(met.values()) >= SUBMISSIONS / 10, met
            assert again > 0, "no consumer got a message a second time"
            assert len(play.given_out) >= SUBMISSIONS
            assert audit.problems(play, f"{again} messages twice, out of order") == []
    finally:
        inject(servers.sqs.url)
