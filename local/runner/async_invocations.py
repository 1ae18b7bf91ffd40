"""Asynchronous invocations: accepted at once, run later, retried as Lambda does."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from .environments import Log
from .model import Function
from .pools import FunctionPool, PayloadTooLarge, Throttled
from .runtime_api import Outcome

ASYNC_PAYLOAD_LIMIT = 1024 * 1024

SendToQueue = Callable[[str, str], Awaitable[None]]
"""Sends a body to the queue with this ARN."""


@dataclass(frozen=True)
class AsyncSettings:
    """The pauses, in seconds, before the first and the second retry, and between attempts that were throttled."""

    retry_delays: tuple[float, ...] = (60.0, 120.0)
    throttle_delay: float = 1.0
    longest_throttle_delay: float = 300.0


class AsyncInvoker:
    """Holds the events that functions still have to work off; they live as long as the runner."""

    def __init__(self, settings: AsyncSettings, send_to_queue: SendToQueue, log: Log) -> None:
        self._settings = settings
        self._send_to_queue = send_to_queue
        self._log = log
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, pool: FunctionPool, payload: bytes) -> str:
        """Accepts an event and returns its request id. Raises PayloadTooLarge."""
        if len(payload) > ASYNC_PAYLOAD_LIMIT:
            raise PayloadTooLarge(f"{len(payload)} bytes")
        request_id = str(uuid4())
        task = asyncio.create_task(self._run(pool, payload, request_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return request_id

    async def stop(self) -> None:
        """Drops what waits; what a function runs at the moment is the pool's to end."""
        if self._tasks:
            self._log("async", 0, f"{len(self._tasks)} asynchronous invocations had not ended when the runner stopped")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, pool: FunctionPool, payload: bytes, request_id: str) -> None:
        attempts = 1 + pool.function.retry_attempts
        for attempt in range(attempts):
            outcome = await self._when_capacity_allows(pool, payload, request_id)
            if not outcome.failed:
                return
            if attempt + 1 < attempts:
                delays = self._settings.retry_delays
                await asyncio.sleep(delays[min(attempt, len(delays) - 1)])
        self._log(pool.function.name, 0, f"gave up after {attempts} attempts: {outcome.payload.decode()}")
        if pool.function.failure_queue_arn is not None:
            record = _failure_record(pool.function, request_id, attempts, payload, outcome)
            await self._send_to_queue(pool.function.failure_queue_arn, record)

    async def _when_capacity_allows(self, pool: FunctionPool, payload: bytes, request_id: str) -> Outcome:
        delay = self._settings.throttle_delay
        while True:
            try:
                return await pool.invoke(payload, request_id=request_id)
            except Throttled:
                await asyncio.sleep(delay)
                delay = min(2 * delay, self._settings.longest_throttle_delay)


def _failure_record(function: Function, request_id: str, attempts: int, payload: bytes, outcome: Outcome) -> str:
    return json.dumps(
        {
            "version": "1.0",
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "requestContext": {
                "requestId": request_id,
                "functionArn": f"{function.arn}:$LATEST",
                "condition": "RetriesExhausted",
                "approximateInvokeCount": attempts,
            },
            "requestPayload": json.loads(payload),
            "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
            "responsePayload": json.loads(outcome.payload),
        }
    )
