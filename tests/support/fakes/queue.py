"""The queue in memory: a broker whose messages and dead letters a test can look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from skillgate.domain.errors import QueueUnavailable
from skillgate.domain.message import submission_id_of, to_body
from skillgate.ports import DeadLetter, QueueMessage, SendOutcome

from tests.support.fakes.database import Switch

_LOOK = timedelta(seconds=30)


@dataclass
class _Message:
    message_id: str
    body: str
    sent_at: datetime
    visible_at: datetime
    receives: int = 0
    receipt_handle: str = ""


class FakeQueue(Switch):
    """`receive` and `delete` are what the event source does. A message that was received too often is a dead letter."""

    unavailable = QueueUnavailable

    def __init__(
        self,
        now: Callable[[], datetime],
        *,
        visibility: timedelta = timedelta(seconds=360),
        max_receive_count: int = 5,
    ) -> None:
        super().__init__()
        self._now, self._visibility, self._max_receive_count = now, visibility, max_receive_count
        self._numbers = count(1)
        self.messages: list[_Message] = []
        self.dead: list[_Message] = []
        self.refused: set[str] = set()  # submission ids that `send` fails to send

    @property
    def waiting_ids(self) -> list[str]:
        """The submissions of every message that is not dead, in the order in which they were sent."""
        return [submission_id_of(message.body) or "" for message in self.messages]

    def put_body(self, body: str) -> None:
        """Anything at all in the queue, as a stranger may send it."""
        with self.transaction():
            self.messages.append(_Message(f"m{next(self._numbers)}", body, self._now(), self._now()))

    def receive(self, limit: int = 10) -> list[QueueMessage]:
        now = self._now()
        received: list[QueueMessage] = []
        with self.transaction():
            for message in [each for each in self.messages if each.visible_at <= now]:
                if message.receives >= self._max_receive_count:
                    self.messages.remove(message)
                    message.visible_at = now
                    self.dead.append(message)
                elif len(received) < limit:
                    self._hand_out(message, self._visibility)
                    id_ = submission_id_of(message.body) or ""
                    received.append(QueueMessage(message.message_id, message.receipt_handle, id_, message.receives))
        return received

    def delete(self, receipt_handle: str) -> None:
        with self.transaction():
            self.messages[:] = [each for each in self.messages if each.receipt_handle != receipt_handle]

    # --- the port -----------------------------------------------------------------------------------------------

    def send(self, submission_ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome:
        failed = {id_: "refused" for id_ in submission_ids if id_ in self.refused or self._is_away}
        sent = [id_ for id_ in submission_ids if id_ not in failed]
        now = self._now()
        with self._lock:
            for id_ in sent:
                self.messages.append(_Message(f"m{next(self._numbers)}", to_body(id_), now, now + delay))
        return SendOutcome(sent, failed)

    def delay_redelivery(self, receipt_handle: str, seconds: int) -> None:
        with self.transaction():
            for message in self.messages:
                if message.receipt_handle == receipt_handle:
                    message.visible_at = self._now() + timedelta(seconds=seconds)
                    return
        raise QueueUnavailable("SQS did not take the call.", retry_after=5)

    def depth(self) -> dict[str, int]:
        now = self._now()
        with self.transaction():
            hidden = [message for message in self.messages if message.visible_at > now]
            delayed = sum(message.receives == 0 for message in hidden)
            return {
                "visible": len(self.messages) - len(hidden),
                "notVisible": len(hidden) - delayed,
                "delayed": delayed,
                "deadLetters": len(self.dead),
            }

    def dead_letters(self, limit: int) -> list[DeadLetter]:
        now = self._now()
        with self.transaction():
            seen = [message for message in self.dead if message.visible_at <= now][:limit]
            for message in seen:
                self._hand_out(message, _LOOK)
            return [
                DeadLetter(
                    message_id=message.message_id,
                    receipt_handle=message.receipt_handle,
                    submission_id=submission_id_of(message.body),
                    body=message.body[:500],
                    receive_count=message.receives,
                    sent_at=message.sent_at,
                )
                for message in seen
            ]

    def redrive(self) -> str:
        with self.transaction():
            for message in self.dead:
                message.visible_at, message.receives = self._now(), 0
                self.messages.append(message)
            self.dead.clear()
            return f"task-{next(self._numbers)}"

    def discard(self, receipt_handles: Sequence[str]) -> int:
        with self.transaction():
            before = len(self.dead)
            self.dead[:] = [message for message in self.dead if message.receipt_handle not in set(receipt_handles)]
            return before - len(self.dead)

    def _hand_out(self, message: _Message, hidden_for: timedelta) -> None:
        message.receives += 1
        message.visible_at = self._now() + hidden_for
        message.receipt_handle = f"{message.message_id}-r{next(self._numbers)}"
