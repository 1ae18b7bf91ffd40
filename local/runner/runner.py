"""The runner: everything a template describes, running on one machine."""

import asyncio
import contextlib
import functools
import socket
import threading
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from .async_invocations import AsyncInvoker, AsyncSettings
from .environments import Log, lambda_variables
from .event_sources import SqsEventSourceMapping
from .gateway import Gateway
from .http_server import listen
from .invoke_api import InvokeApi
from .model import REGION, Function, Schedule, SqsEventSource, Template
from .pools import FunctionPool, PoolSettings
from .schedules import Clock, Scheduler, SystemClock

_T = TypeVar("_T")


@dataclass(frozen=True)
class RunnerSettings:
    """What the template does not say, in seconds unless it is a number of environments."""

    pool: PoolSettings = field(default_factory=PoolSettings)
    asynchronous: AsyncSettings = field(default_factory=AsyncSettings)
    unreserved_concurrency: int = 50
    """What functions without reserved concurrency share; an AWS account begins with 1000."""
    stop_grace: float = 10.0


class Runner:
    """Runs a template. A synchronous facade: the asyncio loop has a thread of its own, which also calls `log`.

    `environment` is added to every function's variables and wins over the template's. Functions reach the Invoke API
    and SQS through AWS_ENDPOINT_URL_LAMBDA and AWS_ENDPOINT_URL_SQS, which the runner sets.
    """

    def __init__(
        self,
        template: Template,
        *,
        layer_paths: Sequence[Path],
        environment: Mapping[str, str],
        sqs_endpoint: str,
        log: Log,
        http_port: int = 0,
        invoke_port: int = 0,
        host: str = "127.0.0.1",
        settings: RunnerSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._template = template
        self._layer_paths = tuple(layer_paths)
        self._environment = dict(environment)
        self._sqs_endpoint = sqs_endpoint
        self._log = log
        self._http_port = http_port
        self._invoke_port = invoke_port
        self._host = host
        self._settings = settings or RunnerSettings()
        self._clock = clock or SystemClock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stack: _Stack | None = None

    @property
    def http_address(self) -> str:
        """Where the HTTP API answers."""
        assert self._running.http_listener is not None, "the template has no HTTP API"
        return _address(self._running.http_listener)

    @property
    def invoke_address(self) -> str:
        """The endpoint for boto3's Lambda client."""
        return _address(self._running.invoke_listener)

    def start(self) -> None:
        """Returns when everything listens and polls. After an error nothing is left running."""
        assert self._loop is None, "the runner is already started"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="runner", daemon=True)
        self._thread.start()
        try:
            self._stack = self._call(self._build())
            self._call(self._stack.start())
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops polling first, lets running invocations end within the grace period, then ends all processes."""
        if self._loop is None or self._thread is None:
            return
        try:
            if self._stack is not None:
                self._call(self._stack.stop())
        finally:
            # In the loop's own thread: the caller's may be running a loop of its own.
            self._call(self._loop.shutdown_default_executor())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = self._stack = None

    @property
    def _running(self) -> "_Stack":
        assert self._stack is not None, "the runner is not started"
        return self._stack

    def _call(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _build(self) -> "_Stack":
        with contextlib.ExitStack() as undo:
            http_listener = None
            if self._template.http_api is not None:
                http_listener = undo.enter_context(listen(self._host, self._http_port))
            invoke_listener = undo.enter_context(listen(self._host, self._invoke_port))
            overrides = {
                "AWS_ENDPOINT_URL_SQS": self._sqs_endpoint,
                "AWS_ENDPOINT_URL_LAMBDA": _address(invoke_listener),
                **self._environment,
            }
            variables = {
                logical_id: lambda_variables(function, self._layer_paths, overrides)
                for logical_id, function in self._template.functions.items()
            }
            stack = _Stack(
                self._template,
                variables,
                self._sqs_client(),
                http_listener,
                invoke_listener,
                self._settings,
                self._clock,
                self._log,
            )
            undo.pop_all()
            return stack

    def _sqs_client(self) -> Any:
        return boto3.client(
            "sqs",
            endpoint_url=self._sqs_endpoint,
            region_name=REGION,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - an emulator takes any
            config=Config(max_pool_connections=64, retries={"max_attempts": 2}),
        )


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"


class _Stack:
    """The pieces of a running stack; lives in the loop's thread."""

    def __init__(
        self,
        template: Template,
        variables: Mapping[str, Mapping[str, str]],
        sqs: Any,
        http_listener: socket.socket | None,
        invoke_listener: socket.socket,
        settings: RunnerSettings,
        clock: Clock,
        log: Log,
    ) -> None:
        self.http_listener = http_listener
        self.invoke_listener = invoke_listener
        self._template = template
        self._sqs = sqs
        self._settings = settings
        self._log = log
        self._queue_urls = {queue.arn: queue.url for queue in template.queues}
        self._shared_capacity = asyncio.Semaphore(settings.unreserved_concurrency)
        self._pools = {
            logical_id: FunctionPool(function, variables[logical_id], self._capacity(function), settings.pool, log)
            for logical_id, function in template.functions.items()
        }
        self._async = AsyncInvoker(settings.asynchronous, self._send_to_queue, log)
        self._invoke_api = InvokeApi(self._pools, self._async)
        self._gateway = None if template.http_api is None else Gateway(template.http_api, self._pools)
        self._scheduler = Scheduler(template.schedules, self._fire, clock)
        self._event_sources = [
            SqsEventSourceMapping(source, self._pools[source.function], sqs, self._batches_at_once(source), log)
            for source in template.event_sources
        ]

    async def start(self) -> None:
        await self._invoke_api.start(self.invoke_listener)
        if self._gateway is not None and self.http_listener is not None:
            await self._gateway.start(self.http_listener)
        for event_source in self._event_sources:
            event_source.start()
        self._scheduler.start()

    async def stop(self) -> None:
        loop = asyncio.get_running_loop()
        grace = self._settings.stop_grace
        deadline = loop.time() + grace
        await self._scheduler.stop()
        await asyncio.gather(
            *(event_source.stop(grace) for event_source in self._event_sources),
            *([self._gateway.stop(grace)] if self._gateway is not None else []),
        )
        await self._async.stop()
        left = max(0.0, deadline - loop.time())
        await asyncio.gather(*(pool.stop(left) for pool in self._pools.values()))
        await self._invoke_api.stop()
        if self.http_listener is not None:
            self.http_listener.close()
        self.invoke_listener.close()
        self._sqs.close()

    def _capacity(self, function: Function) -> asyncio.Semaphore:
        reserved = function.reserved_concurrency
        return self._shared_capacity if reserved is None else asyncio.Semaphore(reserved)

    def _batches_at_once(self, source: SqsEventSource) -> int:
        """More batches than the function can run at once would only wait while their visibility runs out."""
        reserved = self._template.functions[source.function].reserved_concurrency
        available = self._settings.unreserved_concurrency if reserved is None else max(reserved, 1)
        return available if source.maximum_concurrency is None else min(source.maximum_concurrency, available)

    def _fire(self, schedule: Schedule, payload: bytes) -> None:
        self._async.submit(self._pools[schedule.function], payload)

    async def _send_to_queue(self, queue_arn: str, body: str) -> None:
        send = functools.partial(self._sqs.send_message, QueueUrl=self._queue_urls[queue_arn], MessageBody=body)
        try:
            await asyncio.get_running_loop().run_in_executor(None, send)
        except (BotoCoreError, ClientError) as error:
            self._log("async", 0, f"could not send to {queue_arn}: {error}")
