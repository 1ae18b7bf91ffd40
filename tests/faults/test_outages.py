"""Stores and queue that go away, come back, fail and repeat themselves while hundreds of submissions are under way."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import audit
from tests.faults.scene import Scene, in_background, scene
from tests.integration.local.sqs_calls import inject
from tests.support.backends import Servers
from tests.support.fault_proxy import Fault

SUBMISSIONS = 300

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


def test_nothing_is_lost_while_postgres_is_stopped_and_killed(servers: Servers, log: Path) -> None:
    def trouble() -> None:
        for end in (servers.postgres.stop, servers.postgres.kill):
            time.sleep(1.5)
            end()
            time.sleep(2.5)
            servers.postgres.start()

    with scene(servers, log) as play:
        run(play, trouble)
        audit.check(play, "Postgres stopped and killed")


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
        audit.check(play, "DynamoDB failing and killed")


def test_nothing_is_lost_while_one_store_and_then_the_other_is_away(servers: Servers, log: Path) -> None:
    with scene(servers, log) as play:

        def trouble() -> None:
            for _ in range(2):
                with play.proxy.failing(Fault("refuse")):
                    time.sleep(1.5)
                servers.postgres.kill()
                time.sleep(1.5)
                servers.postgres.start()

        run(play, trouble)
        audit.check(play, "DynamoDB and Postgres away in turns")


def test_nothing_is_lost_while_sqs_does_not_take_messages(servers: Servers, log: Path) -> None:
    def trouble() -> None:
        for kind in ("error", "partial", "lost"):
            inject(servers.sqs.url, {"operation": "SendMessageBatch", "kind": kind})
            time.sleep(1.5)
        inject(servers.sqs.url)

    with scene(servers, log) as play:
        run(play, trouble, sweepers=2)
        audit.check(play, "SQS refusing, taking half and losing answers; two sweepers")


def test_every_message_twice_and_out_of_order_changes_nothing(servers: Servers, log: Path) -> None:
    inject(
        servers.sqs.url,
        {"operation": "ReceiveMessage", "kind": "duplicate"},
        {"operation": "ReceiveMessage", "kind": "shuffle"},
    )
    try:
        with scene(servers, log) as play:
            run(play, lambda: None)
            audit.check(play, "Every message twice, out of order")
    finally:
        inject(servers.sqs.url)
