"""The workers of an event source come and go, and one always stays."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from local.runner.event_sources import SqsEventSourceMapping
from local.runner.model import SqsEventSource

SOURCE = SqsEventSource("Messages", "Consumer", "arn", "url", 10, 0, None, True, True)


def test_of_two_workers_that_poll_in_vain_side_by_side_one_stays() -> None:
    async def workers_left() -> int:
        sqs = SimpleNamespace(receive_message=None)
        mapping = SqsEventSourceMapping(SOURCE, None, sqs, 4, lambda *_: None)  # type: ignore[arg-type]
        answered = asyncio.Event()

        async def nothing(*_: Any, **__: Any) -> dict[str, Any]:
            await answered.wait()  # everybody who waits goes on in the same step of the loop
            answered.clear()
            return {}

        mapping._in_thread = nothing  # type: ignore[assignment, method-assign]
        mapping._add_worker()
        mapping._add_worker()
        await asyncio.sleep(0)
        answered.set()
        for _ in range(5):
            await asyncio.sleep(0)
        left = len(mapping._workers)
        answered.set()
        await mapping.stop(grace=0)
        return left

    assert asyncio.run(workers_left()) == 1
