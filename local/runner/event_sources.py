"""SQS event source mappings: poll a queue, invoke the function with batches, delete what was processed."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from .environments import Log
from .model import SqsEventSource
from .pools import PayloadTooLarge
from .runtime_api import Outcome
from .sqs_events import Message, build_sqs_event, processed

_RECEIVE_LIMIT = 10
# AWS polls for 20 s; a short poll costs nothing on one machine and lets the runner stop promptly.
_POLL_SECONDS = 1
_MOST_THREADS = 32
_LONGEST_PAUSE = 10.0

_T = TypeVar("_T")


class BatchInvocable(Protocol):
    """What an event source needs of a function."""

    def invoke(self, payload: bytes, *, wait_for_capacity: bool = False) -> Awaitable[Outcome]: ...


class SqsEventSourceMapping:
    """Drives one event source.

    Each worker receives a batch, runs it and deletes it, so there are never more batches under way than workers.
    It starts with one worker; whenever a batch was received and nobody else polls another one joins, up to `limit`,
    and a worker that polled in vain leaves, down to one.
    """

    def __init__(self, source: SqsEventSource, function: BatchInvocable, sqs: Any, limit: int, log: Log) -> None:
        self._source = source
        self._function = function
        self._sqs = sqs
        self._limit = limit
        self._log = log
        self._threads = ThreadPoolExecutor(min(limit, _MOST_THREADS) + 1, thread_name_prefix=source.name)
        self._workers: set[asyncio.Task[None]] = set()
        self._polling = 0
        self._stopping = False
        self._failed_polls = 0

    def start(self) -> None:
        if self._source.enabled:
            self._add_worker()

    async def stop(self, grace: float) -> None:
        """Receives nothing more; batches under way have the grace period to end and be deleted."""
        self._stopping = True
        if self._workers:
            await asyncio.wait(self._workers, timeout=max(grace, _POLL_SECONDS + 1.0))
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _add_worker(self) -> None:
        worker = asyncio.create_task(self._work())
        self._workers.add(worker)
        worker.add_done_callback(self._worker_ended)

    def _worker_ended(self, worker: "asyncio.Task[None]") -> None:
        self._workers.discard(worker)
        if not worker.cancelled() and (error := worker.exception()) is not None:
            self._log(self._source.function, 0, f"{self._source.name}: a poller failed: {error!r}")
            if not self._stopping and not self._workers:
                self._add_worker()

    async def _work(self) -> None:
        me = asyncio.current_task()
        assert me is not None  # a worker is a task
        while not self._stopping:
            self._polling += 1
            try:
                batch = await self._gather_batch()
            finally:
                self._polling -= 1
            if self._stopping:
                await self._give_back(batch)
            elif batch:
                if self._polling == 0 and len(self._workers) < self._limit:
                    self._add_worker()
                await self._process(batch)
            elif len(self._workers) > 1:
                # Out of the count at once: two that polled in vain side by side must not both leave.
                self._workers.remove(me)
                return

    async def _gather_batch(self) -> list[Message]:
        """Up to the batch size; with a batching window, all that arrives within it after the first message."""
        batch = await self._receive(min(self._source.batch_size, _RECEIVE_LIMIT), _POLL_SECONDS)
        if not batch or not self._source.batching_window:
            return batch
        loop = asyncio.get_running_loop()
        closes = loop.time() + self._source.batching_window
        while len(batch) < self._source.batch_size and not self._stopping and (left := closes - loop.time()) > 0:
            wanted = min(self._source.batch_size - len(batch), _RECEIVE_LIMIT)
            more = await self._receive(wanted, min(_POLL_SECONDS, int(left)))
            batch += more
            if not more and left < _POLL_SECONDS:
                await asyncio.sleep(min(left, 0.1))
        return batch

    async def _process(self, batch: Sequence[Message]) -> None:
        try:
            outcome = await self._function.invoke(build_sqs_event(self._source, batch), wait_for_capacity=True)
        except PayloadTooLarge as error:
            self._log(self._source.function, 0, f"{self._source.name}: the batch is too large for Lambda: {error}")
            return
        await self._delete(processed(self._source, batch, outcome))

    async def _receive(self, count: int, wait: int) -> list[Message]:
        """Messages, or none when the queue cannot be reached: that is logged, and the next try waits longer."""
        try:
            answer = await self._in_thread(
                self._sqs.receive_message,
                QueueUrl=self._source.queue_url,
                MaxNumberOfMessages=count,
                WaitTimeSeconds=wait,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
        except (BotoCoreError, ClientError) as error:
            self._failed_polls += 1
            self._log(self._source.function, 0, f"{self._source.name}: could not receive: {error}")
            await asyncio.sleep(min(0.25 * 2**self._failed_polls, _LONGEST_PAUSE))
            return []
        self._failed_polls = 0
        return list(answer.get("Messages", []))

    async def _delete(self, messages: Sequence[Message]) -> None:
        await self._in_batches(
            messages,
            lambda chunk: self._sqs.delete_message_batch(
                QueueUrl=self._source.queue_url,
                Entries=[{"Id": str(n), "ReceiptHandle": m["ReceiptHandle"]} for n, m in enumerate(chunk)],
            ),
        )

    async def _give_back(self, messages: Sequence[Message]) -> None:
        """Makes messages that arrived while stopping visible again, so that nobody waits for their timeout."""
        await self._in_batches(
            messages,
            lambda chunk: self._sqs.change_message_visibility_batch(
                QueueUrl=self._source.queue_url,
                Entries=[
                    {"Id": str(n), "ReceiptHandle": m["ReceiptHandle"], "VisibilityTimeout": 0}
                    for n, m in enumerate(chunk)
                ],
            ),
        )

    async def _in_batches(self, messages: Sequence[Message], call: Callable[[Sequence[Message]], Any]) -> None:
        for start in range(0, len(messages), _RECEIVE_LIMIT):
            try:
                answer = await self._in_thread(call, messages[start : start + _RECEIVE_LIMIT])
                failures = answer.get("Failed", [])
            except (BotoCoreError, ClientError) as error:
                failures = [str(error)]
            if failures:
                # The messages come back by their visibility timeout: delivery is at least once.
                self._log(self._source.function, 0, f"{self._source.name}: the queue refused: {failures}")

    async def _in_thread(self, function: Callable[..., _T], *args: Any, **kwargs: Any) -> _T:
        call = functools.partial(function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)
