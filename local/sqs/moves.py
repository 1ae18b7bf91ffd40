"""Move tasks: dead letters go back to where they came from, or to another queue, in the background.

A task's progress is committed with the messages that it moves, so a server that was killed goes on with it when it is
started again.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from dataclasses import dataclass

from local.sqs import fields
from local.sqs.calls import Arrivals, Call, Handler, Queues
from local.sqs.errors import SqsError
from local.sqs.fields import Json
from local.sqs.queue_operations import QueueOperations
from local.sqs.store import Message, Queue

_STEP = 100
_MAX_PER_SECOND = 500


@dataclass(frozen=True)
class MoveTask:
    id: int
    source: str
    destination: str | None
    per_second: int | None
    status: str
    moved: int
    to_move: int
    started: int
    failure: str | None

    @property
    def handle(self) -> str:
        return base64.urlsafe_b64encode(json.dumps({"taskId": self.id, "sourceArn": self.source}).encode()).decode()

    def describe(self) -> Json:
        shown: Json = {
            "TaskHandle": self.handle if self.status == "RUNNING" else None,
            "Status": self.status,
            "SourceArn": self.source,
            "DestinationArn": self.destination,
            "MaxNumberOfMessagesPerSecond": self.per_second,
            "ApproximateNumberOfMessagesMoved": self.moved,
            "ApproximateNumberOfMessagesToMove": self.to_move,
            "FailureReason": self.failure,
            "StartedTimestamp": self.started,
        }
        return {name: value for name, value in shown.items() if value is not None}


class MoveOperations:
    def __init__(self, queues: Queues, arrivals: Arrivals, queue_operations: QueueOperations) -> None:
        self._queues = queues
        self._store = queues.store
        self._arrivals = arrivals
        self._queue_operations = queue_operations
        self._running: set[asyncio.Task[None]] = set()

    def handlers(self) -> dict[str, Handler]:
        return {
            "CancelMessageMoveTask": self.cancel,
            "ListMessageMoveTasks": self.list_tasks,
            "StartMessageMoveTask": self.start,
        }

    def resume(self) -> None:
        """Go on with the tasks that were running when the server last stopped."""
        for task in self._tasks("status = 'RUNNING'"):
            self._run_in_background(task.id)

    async def close(self) -> None:
        for running in self._running:
            running.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def start(self, call: Call) -> Json:
        source = self._queues.by_arn_in(call, "SourceArn")
        if not self._queue_operations.dead_letter_sources(source):
            raise SqsError("InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue.")
        has_destination = call.request.get("DestinationArn") is not None
        destination = self._queues.by_arn_in(call, "DestinationArn") if has_destination else None
        per_second = fields.integer(call.request, "MaxNumberOfMessagesPerSecond", 1, _MAX_PER_SECOND)
        arn = self._queues.arn(source.name)
        if self._tasks("status = 'RUNNING' AND source = ?", arn):
            raise SqsError("UnsupportedOperation", "There is already a task running for this source queue.")
        cursor = self._store.db.execute(
            "INSERT INTO move_task (source, destination, per_second, status, to_move, started)"
            " VALUES (?, ?, ?, 'RUNNING', ?, ?)",
            (
                arn,
                destination and self._queues.arn(destination.name),
                per_second,
                self._store.counts(source).visible,
                self._store.now(),
            ),
        )
        assert cursor.lastrowid is not None
        (task,) = self._tasks("id = ?", cursor.lastrowid)
        self._run_in_background(task.id)
        return {"TaskHandle": task.handle}

    async def list_tasks(self, call: Call) -> Json:
        source = self._queues.by_arn_in(call, "SourceArn")
        limit = fields.integer(call.request, "MaxResults", 1, 10) or 1
        tasks = self._tasks("source = ? ORDER BY id DESC LIMIT ?", self._queues.arn(source.name), limit)
        return {"Results": [task.describe() for task in tasks]}

    async def cancel(self, call: Call) -> Json:
        handle = fields.text(call.request, "TaskHandle")
        try:
            task_id = json.loads(base64.urlsafe_b64decode(handle))["taskId"]
        except (binascii.Error, ValueError, TypeError, KeyError) as error:
            raise SqsError("InvalidParameterValue", "The task handle is invalid.") from error
        tasks = self._tasks("status = 'RUNNING' AND id = ?", task_id) if isinstance(task_id, int) else []
        if not tasks:
            raise SqsError("ResourceNotFoundException", "There is no running task with this handle.", status=404)
        self._finish(tasks[0].id, "CANCELLED")
        return {"ApproximateNumberOfMessagesMoved": tasks[0].moved}

    def _run_in_background(self, task_id: int) -> None:
        running = asyncio.get_running_loop().create_task(self._run(task_id))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _run(self, task_id: int) -> None:
        while tasks := self._tasks("status = 'RUNNING' AND id = ?", task_id):
            (task,) = tasks
            source = self._queues.by_arn(task.source)
            messages = self._store.visible(source, min(_STEP, task.per_second or _STEP)) if source else []
            if not messages:
                self._finish(task.id, "COMPLETED")
                return
            self._step(task, messages)
            await asyncio.sleep(len(messages) / task.per_second if task.per_second else 0)

    def _step(self, task: MoveTask, messages: list[Message]) -> None:
        """Move these messages in one transaction; stop the task at one that has nowhere to go."""
        moved = 0
        arrived: set[int] = set()
        with self._store.transaction():
            for message in messages:
                target = self._target(task, message)
                if target is None:
                    self._finish(task.id, "FAILED", "CouldNotDetermineMessageSource")
                    break
                self._store.redrive(message, target)
                arrived.add(target.id)
                moved += 1
            self._store.db.execute("UPDATE move_task SET moved = moved + ? WHERE id = ?", (moved, task.id))
        for queue in arrived:
            self._arrivals.announce(queue)

    def _target(self, task: MoveTask, message: Message) -> Queue | None:
        arn = task.destination or message.dead_letter_source
        return self._queues.by_arn(arn) if arn else None

    def _finish(self, task_id: int, status: str, failure: str | None = None) -> None:
        self._store.db.execute("UPDATE move_task SET status = ?, failure = ? WHERE id = ?", (status, failure, task_id))

    def _tasks(self, condition: str, *values: object) -> list[MoveTask]:
        rows = self._store.db.execute(f"SELECT * FROM move_task WHERE {condition}", values)  # noqa: S608 -- fixed texts
        return [MoveTask(*row) for row in rows]
