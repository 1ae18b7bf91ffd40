"""Schedules: fire the functions' scheduled events when their time has come."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import uuid4

from .cron import parse_expression
from .model import ACCOUNT_ID, REGION, Schedule

Fire = Callable[[Schedule, bytes], None]
"""Invokes the schedule's function asynchronously with a payload."""


class Clock(Protocol):
    """The time that schedules go by."""

    def now(self) -> datetime: ...

    async def sleep_until(self, moment: datetime) -> None: ...


class SystemClock:
    """The machine's time, or a faster one: at speed 60 a `rate(1 hour)` fires every minute."""

    # Waking up now and then keeps the schedule right when the machine slept or its time was set.
    _LONGEST_SLEEP = 30.0

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._began = datetime.now(UTC)

    def now(self) -> datetime:
        return self._began + (datetime.now(UTC) - self._began) * self._speed

    async def sleep_until(self, moment: datetime) -> None:
        while (left := (moment - self.now()).total_seconds() / self._speed) > 0:
            await asyncio.sleep(min(left, self._LONGEST_SLEEP))


class Scheduler:
    """Runs the enabled schedules. A run that is still going on is no reason to skip the next, as on AWS."""

    def __init__(self, schedules: tuple[Schedule, ...], fire: Fire, clock: Clock) -> None:
        self._schedules = [schedule for schedule in schedules if schedule.enabled]
        self._fire = fire
        self._clock = clock
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._run(schedule)) for schedule in self._schedules]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, schedule: Schedule) -> None:
        expression = parse_expression(schedule.expression)
        due = expression.next_after(self._clock.now())
        while due is not None:
            await self._clock.sleep_until(due)
            self._fire(schedule, scheduled_payload(schedule, due))
            following = expression.next_after(due)
            # What was missed while the machine slept is not made up for.
            missed = following is not None and following <= self._clock.now() - timedelta(seconds=1)
            due = expression.next_after(self._clock.now()) if missed else following


def scheduled_payload(schedule: Schedule, due: datetime) -> bytes:
    """The schedule's own input, or the event that the service sends without one."""
    if schedule.input is not None:
        return schedule.input.encode()
    return json.dumps(
        {
            "version": "0",
            "id": str(uuid4()),
            "detail-type": "Scheduled Event",
            "source": schedule.source,
            "account": ACCOUNT_ID,
            "time": due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "region": REGION,
            "resources": [schedule.arn],
            "detail": {} if schedule.source == "aws.events" else "{}",
        }
    ).encode()
