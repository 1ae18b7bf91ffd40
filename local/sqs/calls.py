"""What every operation works with: the call, the queues by name and address, and the waiting for arrivals."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from local.sqs.errors import SqsError, invalid_value, no_such_queue
from local.sqs.faults import CallFaults
from local.sqs.fields import Json, text
from local.sqs.store import Queue, Store


@dataclass(frozen=True)
class Call:
    request: Json
    endpoint: str
    """Scheme and host by which this client reached the server: queue URLs start with it."""
    faults: CallFaults = field(default_factory=CallFaults)
    client_is_gone: Callable[[], bool] = lambda: False


Handler = Callable[[Call], Awaitable[Json]]


class Queues:
    """Finds queues by what requests call them."""

    def __init__(self, store: Store, region: str, account: str) -> None:
        self.store = store
        self._account = account
        self._arn_prefix = f"arn:aws:sqs:{region}:{account}:"

    def url(self, name: str, call: Call) -> str:
        return f"{call.endpoint}/{self._account}/{name}"

    def arn(self, name: str) -> str:
        return self._arn_prefix + name

    def of(self, call: Call) -> Queue:
        """The queue whose URL (or bare name, which SQS takes too) the request gives."""
        return self.named(text(call.request, "QueueUrl").rpartition("/")[2])

    def named(self, name: str) -> Queue:
        queue = self.store.queue(name)
        if queue is None:
            raise no_such_queue()
        return queue

    def by_arn(self, arn: str) -> Queue | None:
        return self.store.queue(arn.removeprefix(self._arn_prefix)) if arn.startswith(self._arn_prefix) else None

    def by_arn_in(self, call: Call, parameter: str) -> Queue:
        arn = text(call.request, parameter)
        if not arn.startswith("arn:"):
            raise invalid_value(arn, parameter, "Must be the ARN of a queue.")
        queue = self.by_arn(arn)
        if queue is None:
            raise SqsError("ResourceNotFoundException", "The resource that you specified doesn't exist.", status=404)
        return queue


class Arrivals:
    """Wakes the long polls of a queue when messages came into it."""

    def __init__(self) -> None:
        self._waiting: defaultdict[int, set[asyncio.Future[None]]] = defaultdict(set)
        self.closed = False

    def announce(self, queue: int) -> None:
        for waiter in self._waiting.pop(queue, ()):
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, queue: int, seconds: float) -> None:
        """Return after an arrival or after `seconds`, whichever is first."""
        if self.closed:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting[queue].add(waiter)
        try:
            await asyncio.wait((waiter,), timeout=seconds)
        finally:
            waiter.cancel()
            self._waiting[queue].discard(waiter)

    def close(self) -> None:
        """Let every long poll answer now, and none wait again."""
        self.closed = True
        for queue in list(self._waiting):
            self.announce(queue)
