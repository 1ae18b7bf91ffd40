"""The environments of a function: warm reuse, growth up to the concurrency that is allowed, and their end."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from .environments import Environment, EnvironmentGone, Log
from .model import Function
from .runtime_api import InitError, Invocation, Outcome

SYNC_PAYLOAD_LIMIT = 6 * 1024 * 1024


class Throttled(Exception):
    """All the concurrency that the function may use is in use."""


class PayloadTooLarge(Exception):
    """The event is larger than Lambda takes."""


@dataclass(frozen=True)
class PoolSettings:
    """The times that govern environments, in seconds."""

    idle: float = 300.0
    init_timeout: float = 30.0
    """Lambda allows 10 s; a laptop that starts twenty environments at once needs more."""
    longest_init_pause: float = 5.0


class FunctionPool:
    """Runs invocations of one function. `capacity` is the function's reserved concurrency or the shared rest."""

    def __init__(
        self,
        function: Function,
        variables: Mapping[str, str],
        capacity: asyncio.Semaphore,
        settings: PoolSettings,
        log: Log,
    ) -> None:
        self.function = function
        self._variables = variables
        self._capacity = capacity
        self._settings = settings
        self._log = log
        self._numbers = itertools.count(1)
        self._idle: list[tuple[Environment, asyncio.TimerHandle]] = []
        self._running: set[asyncio.Task[Outcome]] = set()
        self._retiring: set[asyncio.Task[None]] = set()
        self._failed_starts = 0
        self._closed = False

    async def invoke(
        self, payload: bytes, *, wait_for_capacity: bool = False, request_id: str | None = None
    ) -> Outcome:
        """Runs the function on an event. Raises Throttled, unless told to wait, and PayloadTooLarge.

        The invocation belongs to the pool: a caller that is cancelled or gives up does not end it.
        """
        if len(payload) > SYNC_PAYLOAD_LIMIT:
            raise PayloadTooLarge(f"{len(payload)} bytes")
        if self._closed or (self._capacity.locked() and not wait_for_capacity):
            raise Throttled(self.function.name)
        await self._capacity.acquire()
        task = asyncio.create_task(self._run(payload, request_id))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def stop(self, grace: float) -> None:
        """Ends all environments; running invocations have the grace period to end by themselves."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace)
        self._closed = True
        for task in self._running:
            self._log(self.function.name, 0, "an invocation was cut off because the runner stopped")
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        while self._idle:
            environment, timer = self._idle.pop()
            timer.cancel()
            self._retire(environment)
        await asyncio.gather(*self._retiring)

    def _ended(self, task: asyncio.Task[Outcome]) -> None:
        self._running.discard(task)
        self._capacity.release()

    async def _run(self, payload: bytes, request_id: str | None) -> Outcome:
        while True:
            try:
                environment = self._take_idle() or await self._start()
            except InitError as error:
                return error.outcome
            invocation = Invocation(payload, self.function.arn, self.function.timeout)
            if request_id is not None:
                invocation.request_id = request_id
            try:
                outcome = await environment.run(invocation, self._settings.init_timeout)
            except EnvironmentGone:
                continue
            except BaseException:
                await environment.stop()
                raise
            self._release(environment)
            return outcome

    def _take_idle(self) -> Environment | None:
        """The environment that was used last, as it is the warmest; one that died while idle is dropped."""
        while self._idle:
            environment, timer = self._idle.pop()
            timer.cancel()
            if environment.alive:
                return environment
            self._retire(environment)
        return None

    async def _start(self) -> Environment:
        if self._failed_starts:
            await asyncio.sleep(min(0.1 * 2 ** (self._failed_starts - 1), self._settings.longest_init_pause))
        environment = Environment(self.function, next(self._numbers), self._variables, self._log)
        try:
            await environment.start(self._settings.init_timeout)
        except InitError as error:
            self._failed_starts += 1
            self._log(self.function.name, environment.number, f"init failed: {error}")
            raise
        self._failed_starts = 0
        return environment

    def _release(self, environment: Environment) -> None:
        if not environment.alive:
            self._retire(environment)
            return
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._settings.idle, self._retire_idle, environment)
        self._idle.append((environment, timer))

    def _retire_idle(self, environment: Environment) -> None:
        self._idle = [entry for entry in self._idle if entry[0] is not environment]
        self._retire(environment)

    def _retire(self, environment: Environment) -> None:
        task = asyncio.create_task(environment.stop())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)
