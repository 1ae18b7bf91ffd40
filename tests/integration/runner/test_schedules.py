"""Schedules fire when their time has come, with the event that the service would send."""

import asyncio
from datetime import UTC, datetime, timedelta

from tests.integration.runner.conftest import Eventually, Start

BEGIN = datetime(2024, 1, 31, 23, 58, 30, tzinfo=UTC)


class JumpingClock:
    """Jumps to whatever moment somebody sleeps for, until the end of its time."""

    def __init__(self, end: datetime) -> None:
        self._now = BEGIN
        self._end = end

    def now(self) -> datetime:
        return self._now

    async def sleep_until(self, moment: datetime) -> None:
        if moment > self._end:
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        self._now = max(self._now, moment)


def template(events: str) -> str:
    return (
        "Resources:\n  Hold:\n    Type: AWS::Serverless::Function\n    Properties:\n      Handler: app.keep\n"
        f"      Events:\n{events}"
    )


def test_a_rate_fires_again_and_again_also_while_a_run_goes_on(start: Start, eventually: Eventually) -> None:
    events = "        Often: {Type: Schedule, Properties: {Schedule: rate(1 minute)}}\n"
    clock = JumpingClock(BEGIN + timedelta(minutes=3))
    running = start(template(events).replace("app.keep", "app.hold"), clock=clock)
    eventually(lambda: len(running.notes("held")) == 3)
    running.release()
    eventually(lambda: len(running.notes("span")) == 3)


def test_a_rule_sends_the_scheduled_event(start: Start, eventually: Eventually) -> None:
    events = "        Daily: {Type: Schedule, Properties: {Schedule: 'cron(0 0 1 * ? *)', Name: first}}\n"
    running = start(template(events), clock=JumpingClock(BEGIN + timedelta(days=1)))
    (event,) = eventually(lambda: running.notes("event"))
    assert event.pop("id")
    assert event == {
        "version": "0",
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": "2024-02-01T00:00:00Z",
        "region": "us-east-1",
        "resources": ["arn:aws:events:us-east-1:000000000000:rule/first"],
        "detail": {},
    }


def test_an_input_replaces_the_event_and_disabled_schedules_stay_silent(start: Start, eventually: Eventually) -> None:
    events = (
        "        On: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 hour), Input: '{\"task\": 1}'}}\n"
        "        Off: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 minute), State: DISABLED}}\n"
        "        Never: {Type: Schedule, Properties: {Schedule: rate(1 minute), Enabled: false}}\n"
    )
    running = start(template(events), clock=JumpingClock(BEGIN + timedelta(hours=1)))
    assert eventually(lambda: running.notes("event")) == [{"task": 1}]
    running.runner.stop()
    assert len(running.notes("event")) == 1
