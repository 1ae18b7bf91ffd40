"""The queues on SQS: submissions with their dead letters, and external scans."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import QueueUnavailable
from skillgate.domain.message import scan_to_body, submission_id_of, to_body
from skillgate.ports import DeadLetter, SendOutcome

BATCH = 10
MAX_DELAY_SECONDS = 900
_WORKERS = 4
_TRIES = 4
_LOOK_SECONDS = 30  # a dead letter that was looked at comes back after this


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise QueueUnavailable("SQS did not take the call.", retry_after=5) from error


class _SqsQueue(ABC):
    """A queue of ids with its dead letters. What a message looks like is the subclass's."""

    def __init__(
        self, client: Any, queue_url: str, dead_letters_url: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._client = client
        self._url = queue_url
        self._dead_letters_url = dead_letters_url
        self._sleep = sleep

    @abstractmethod
    def _body(self, id_: str) -> str:
        """The message that carries this id."""

    def send(self, ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome:
        """Batches of ten side by side, failed entries tried again. Never raises: what failed is in the outcome."""
        seconds = min(MAX_DELAY_SECONDS, int(delay.total_seconds()))
        batches = chunks(list(ids), BATCH)
        outcomes = settle(lambda batch: self._send_batch(batch, seconds), batches, workers=_WORKERS)
        failed: dict[str, str] = {}
        for batch, outcome in zip(batches, outcomes, strict=True):
            failed |= outcome.unwrap() if outcome.ok else dict.fromkeys(batch, str(outcome.error))
        return SendOutcome([id_ for id_ in ids if id_ not in failed], failed)

    def _send_batch(self, ids: Sequence[str], seconds: int) -> dict[str, str]:
        """The ids that could not be sent, with why."""
        failed: dict[str, str] = dict.fromkeys(ids, "not sent")
        for attempt in range(_TRIES):
            if attempt:
                self._sleep(random.uniform(0.5, 1.0) * 0.1 * 2**attempt)  # noqa: S311 - jitter, not a secret
            waiting = list(failed)
            entries = [
                {"Id": str(n), "MessageBody": self._body(id_), "DelaySeconds": seconds} for n, id_ in enumerate(waiting)
            ]
            try:
                with _translated():
                    answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
            except QueueUnavailable as error:
                failed = dict.fromkeys(waiting, error.message)
                continue
            failed = {waiting[int(entry["Id"])]: entry.get("Code", "failed") for entry in answer.get("Failed", [])}
            if not failed:
                break
        return failed

    def delay_redelivery(self, receipt_handle: str, seconds: int) -> None:
        with _translated():
            self._client.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=max(0, min(43_200, seconds))
            )

    def depth(self) -> dict[str, int]:
        """Messages waiting, being worked on and delayed, and dead letters, as far as SQS knows."""
        names = [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
        ]

        def attributes(url: str) -> Mapping[str, str]:
            with _translated():
                answer = self._client.get_queue_attributes(QueueUrl=url, AttributeNames=names)
            return answer["Attributes"]  # type: ignore[no-any-return]

        main, dead = (
            outcome.unwrap() for outcome in settle(attributes, [self._url, self._dead_letters_url], workers=2)
        )
        visible, working, delayed = (int(main[name]) for name in names)
        return {
            "visible": visible,
            "notVisible": working,
            "delayed": delayed,
            "deadLetters": sum(int(dead[name]) for name in names),
        }


class SqsExternalScans(_SqsQueue):
    def _body(self, id_: str) -> str:
        return scan_to_body(id_)


class SqsSubmissions(_SqsQueue):
    def _body(self, id_: str) -> str:
        return to_body(id_)

    def dead_letters(self, limit: int) -> list[DeadLetter]:
        """A look at dead letters. Each is hidden from the next look for half a minute, and stays where it is."""
        found: dict[str, DeadLetter] = {}
        while len(found) < limit:
            with _translated():
                answer = self._client.receive_message(
                    QueueUrl=self._dead_letters_url,
                    MaxNumberOfMessages=min(BATCH, limit - len(found)),
                    VisibilityTimeout=_LOOK_SECONDS,
                    MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp"],
                )
            messages = answer.get("Messages", [])
            if not messages:
                break
            found |= {message["MessageId"]: _dead_letter(message) for message in messages}
        return list(found.values())

    def redrive(self) -> str:
        """Moves every dead letter back to the queue; returns the task's handle."""
        with _translated():
            names = ["QueueArn"]
            dead = self._client.get_queue_attributes(QueueUrl=self._dead_letters_url, AttributeNames=names)
            main = self._client.get_queue_attributes(QueueUrl=self._url, AttributeNames=names)
            task = self._client.start_message_move_task(
                SourceArn=dead["Attributes"]["QueueArn"], DestinationArn=main["Attributes"]["QueueArn"]
            )
        return str(task["TaskHandle"])

    def discard(self, receipt_handles: Sequence[str]) -> int:
        """Deletes dead letters that were looked at; returns how many are gone."""

        def delete(batch: Sequence[str]) -> int:
            entries = [{"Id": str(n), "ReceiptHandle": handle} for n, handle in enumerate(batch)]
            with _translated():
                answer = self._client.delete_message_batch(QueueUrl=self._dead_letters_url, Entries=entries)
            return len(answer.get("Successful", []))

        return sum(outcome.unwrap() for outcome in settle(delete, chunks(receipt_handles, BATCH), workers=_WORKERS))


def _dead_letter(message: Mapping[str, Any]) -> DeadLetter:
    attributes = message["Attributes"]
    return DeadLetter(
        message_id=message["MessageId"],
        receipt_handle=message["ReceiptHandle"],
        submission_id=submission_id_of(message["Body"]),
        body=message["Body"][:500],
        receive_count=int(attributes["ApproximateReceiveCount"]),
        sent_at=datetime.fromtimestamp(int(attributes["SentTimestamp"]) / 1000, UTC),
    )
