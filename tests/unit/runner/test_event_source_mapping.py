"""A message that arrives while the event source stops."""

import asyncio
import threading
from typing import Any

from local.runner.event_sources import SqsEventSourceMapping
from local.runner.model import SqsEventSource
from local.runner.runtime_api import Outcome

SOURCE = SqsEventSource(
    name="F.Events.E",
    function="F",
    queue_arn="arn",
    queue_url="url",
    batch_size=10,
    batching_window=0,
    maximum_concurrency=None,
    report_batch_item_failures=True,
    enabled=True,
)


class SlowQueue:
    """Answers a poll with one message, but only when it is told to."""

    def __init__(self) -> None:
        self.polled = threading.Event()
        self.answer = threading.Event()
        self.given_back: list[dict[str, Any]] = []

    def receive_message(self, **_: Any) -> dict[str, Any]:
        self.polled.set()
        assert self.answer.wait(30)
        return {"Messages": [{"MessageId": "m", "ReceiptHandle": "r", "Body": "{}", "MD5OfBody": "x"}]}

    def change_message_visibility_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        self.given_back += Entries
        return {}


class Function:
    def __init__(self) -> None:
        self.invocations = 0

    async def invoke(self, payload: bytes, *, wait_for_capacity: bool = False) -> Outcome:
        self.invocations += 1
        return Outcome(b"null", failed=False)


def test_a_message_that_arrives_while_stopping_is_given_back_and_not_run() -> None:
    queue, function = SlowQueue(), Function()

    async def stop_during_a_poll() -> None:
        mapping = SqsEventSourceMapping(SOURCE, function, queue, limit=2, log=lambda *line: None)
        mapping.start()
        await asyncio.to_thread(queue.polled.wait, 30)
        stopping = asyncio.create_task(mapping.stop(grace=30))
        await asyncio.sleep(0)
        queue.answer.set()
        await stopping

    asyncio.run(stop_during_a_poll())
    assert function.invocations == 0
    assert queue.given_back == [{"Id": "0", "ReceiptHandle": "r", "VisibilityTimeout": 0}]
