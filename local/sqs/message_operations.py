"""The operations on messages: send, receive, delete, change visibility, and their batches."""

from __future__ import annotations

import base64
import binascii
import json
import struct
import time
from collections.abc import Callable

from local.sqs import fields
from local.sqs.attributes import MAX_DELAY, MAX_MESSAGE_BYTES, MAX_VISIBILITY, MAX_WAIT, RedrivePolicy
from local.sqs.calls import Arrivals, Call, Handler, Queues
from local.sqs.content import Content, attribute_filter, attributes_digest, body_digest, checked_content
from local.sqs.errors import SqsError
from local.sqs.faults import unavailable
from local.sqs.fields import Json
from local.sqs.store import DeadLetters, Message, Queue

_SENDER = "AIDALOCALLOCALLOCALAA"
_HANDLE = struct.Struct("!4sqqq")
_HANDLE_MARK = b"sqs1"


class MessageOperations:
    def __init__(self, queues: Queues, arrivals: Arrivals) -> None:
        self._queues = queues
        self._store = queues.store
        self._arrivals = arrivals

    def handlers(self) -> dict[str, Handler]:
        return {
            "ChangeMessageVisibility": self.change_visibility,
            "ChangeMessageVisibilityBatch": self.change_visibility_batch,
            "DeleteMessage": self.delete,
            "DeleteMessageBatch": self.delete_batch,
            "ReceiveMessage": self.receive,
            "SendMessage": self.send,
            "SendMessageBatch": self.send_batch,
        }

    # --- send -----------------------------------------------------------------------------------------------------

    async def send(self, call: Call) -> Json:
        queue = self._queues.of(call)
        content, delay = _outgoing(queue, call.request)
        (message_id,) = self._store.send(queue, [(content, delay)])
        self._arrivals.announce(queue.id)
        return {"MessageId": message_id, **content.digests}

    async def send_batch(self, call: Call) -> Json:
        queue = self._queues.of(call)
        entries = fields.batch(call.request, "SendMessageBatchRequestEntry")
        accepted: list[tuple[str, tuple[Content, int]]] = []

        def accept(entry: Json) -> None:
            accepted.append((entry["Id"], _outgoing(queue, entry)))

        _, failed = _each(call, entries, accept)
        size = sum(content.size for _, (content, _) in accepted)
        if size > MAX_MESSAGE_BYTES:
            raise SqsError(
                "BatchRequestTooLong",
                f"Batch requests cannot be longer than {MAX_MESSAGE_BYTES} bytes. You have sent {size} bytes.",
            )
        message_ids = self._store.send(queue, [outgoing for _, outgoing in accepted])
        self._arrivals.announce(queue.id)
        successful = [
            {"Id": entry_id, "MessageId": message_id, **content.digests}
            for (entry_id, (content, _)), message_id in zip(accepted, message_ids, strict=True)
        ]
        return _batch_answer(successful, failed)

    # --- receive --------------------------------------------------------------------------------------------------

    async def receive(self, call: Call) -> Json:
        queue = self._queues.of(call)
        limit = fields.integer(call.request, "MaxNumberOfMessages", 1, fields.BATCH_LIMIT) or 1
        wait = fields.integer(call.request, "WaitTimeSeconds", 0, MAX_WAIT)
        visibility = fields.integer(call.request, "VisibilityTimeout", 0, MAX_VISIBILITY)
        deadline = time.monotonic() + (queue.number("ReceiveMessageWaitTimeSeconds") if wait is None else wait)
        while True:
            messages = self._take(queue, limit, visibility, call)
            left = deadline - time.monotonic()
            if messages or left <= 0 or self._arrivals.closed:
                break
            await self._arrivals.wait(queue.id, self._until_next_visible(queue, left))
            if call.client_is_gone():  # a message handed to nobody would be in flight until its visibility ends
                break
            queue = self._queues.named(queue.name)
        return {"Messages": [self._incoming(message, call) for message in messages]} if messages else {}

    def _take(self, queue: Queue, limit: int, visibility: int | None, call: Call) -> list[Message]:
        dead_letters = self._dead_letters(queue)
        messages, moved = self._store.receive(
            queue,
            limit,
            queue.number("VisibilityTimeout") if visibility is None else visibility,
            dead_letters,
            shuffle="shuffle" in call.faults,
            duplicate="duplicate" in call.faults,
        )
        if moved and dead_letters:
            self._arrivals.announce(dead_letters.queue)
        return messages

    def _dead_letters(self, queue: Queue) -> DeadLetters | None:
        value = queue.attributes.get("RedrivePolicy")
        if not value:
            return None
        policy = RedrivePolicy.parse(value)
        target = self._queues.by_arn(policy.dead_letter_arn)
        if target is None:  # deleted since: messages stay where they are, as on AWS
            return None
        return DeadLetters(target.id, policy.max_receive_count, self._queues.arn(queue.name))

    def _until_next_visible(self, queue: Queue, longest: float) -> float:
        moment = self._store.next_visible(queue)
        return longest if moment is None else min(longest, max(0.001, (moment - self._store.now()) / 1_000))

    def _incoming(self, message: Message, call: Call) -> Json:
        answer: Json = {
            "MessageId": message.message_id,
            "ReceiptHandle": _receipt_handle(message),
            "MD5OfBody": body_digest(message.body),
            "Body": message.body,
        }
        wanted = fields.names(call.request, "AttributeNames", "MessageSystemAttributeNames")
        if system := {
            name: value
            for name, value in _system_attributes(message).items()
            if value is not None and ("All" in wanted or name in wanted)
        }:
            answer["Attributes"] = system
        is_wanted = attribute_filter(fields.names(call.request, "MessageAttributeNames"))
        attributes = {name: value for name, value in json.loads(message.attributes).items() if is_wanted(name)}
        if attributes:
            answer["MessageAttributes"] = attributes
            answer["MD5OfMessageAttributes"] = attributes_digest(attributes)
        return answer

    # --- delete and visibility ------------------------------------------------------------------------------------

    async def delete(self, call: Call) -> Json:
        self._delete(self._queues.of(call), call.request)
        return {}

    async def delete_batch(self, call: Call) -> Json:
        queue = self._queues.of(call)
        entries = fields.batch(call.request, "DeleteMessageBatchRequestEntry")
        with self._store.transaction():
            return _batch_answer(*_each(call, entries, lambda entry: self._delete(queue, entry)))

    def _delete(self, queue: Queue, request: Json) -> None:
        message = self._held(queue, request)
        if message is not None:
            self._store.delete(message)

    async def change_visibility(self, call: Call) -> Json:
        queue = self._queues.of(call)
        self._change_visibility(queue, call.request)
        self._arrivals.announce(queue.id)
        return {}

    async def change_visibility_batch(self, call: Call) -> Json:
        queue = self._queues.of(call)
        entries = fields.batch(call.request, "ChangeMessageVisibilityBatchRequestEntry")
        with self._store.transaction():
            answer = _batch_answer(*_each(call, entries, lambda entry: self._change_visibility(queue, entry)))
        self._arrivals.announce(queue.id)
        return answer

    def _change_visibility(self, queue: Queue, request: Json) -> None:
        seconds = fields.integer(request, "VisibilityTimeout", 0, MAX_VISIBILITY)
        if seconds is None:
            raise SqsError("MissingParameter", "The request must contain the parameter VisibilityTimeout.")
        message = self._held(queue, request)
        if message is None:
            return
        if message.visible_at <= self._store.now():
            raise SqsError("MessageNotInflight", "The specified message isn't in flight.")
        self._store.hide(message, seconds)

    def _held(self, queue: Queue, request: Json) -> Message | None:
        """The message that a receipt handle still stands for.

        A handle is of one receive. AWS and moto both accept a handle after its message was deleted, or received again
        since; whether an old one still has an effect AWS leaves open ("the message might not be deleted") and moto
        says yes. Here it has none: the case that a consumer must be able to live with.
        """
        row, receive_count = _open_handle(queue, fields.text(request, "ReceiptHandle"))
        message = self._store.message(queue, row)
        return message if message and message.receive_count == receive_count else None


def _outgoing(queue: Queue, request: Json) -> tuple[Content, int]:
    content = checked_content(
        fields.text(request, "MessageBody"),
        fields.mapping(request, "MessageAttributes"),
        fields.mapping(request, "MessageSystemAttributes"),
    )
    longest = queue.number("MaximumMessageSize")
    if content.size > longest:
        raise SqsError(
            "InvalidParameterValue",
            f"One or more parameters are invalid. Reason: Message must be shorter than {longest} bytes.",
        )
    delay = fields.integer(request, "DelaySeconds", 0, MAX_DELAY)
    return content, queue.number("DelaySeconds") if delay is None else delay


def _each(call: Call, entries: list[Json], action: Callable[[Json], None]) -> tuple[list[Json], list[Json]]:
    """Do `action` for every entry; an entry that is refused fails alone."""
    successful: list[Json] = []
    failed: list[Json] = []
    for position, entry in enumerate(entries):
        try:
            if "partial" in call.faults and position % 2:
                raise unavailable()
            action(entry)
            successful.append({"Id": entry["Id"]})
        except SqsError as error:
            failed.append(error.batch_entry(entry["Id"]))
    return successful, failed


def _batch_answer(successful: list[Json], failed: list[Json]) -> Json:
    return {"Successful": successful, "Failed": failed}


def _system_attributes(message: Message) -> dict[str, str | None]:
    trace = json.loads(message.system_attributes).get("AWSTraceHeader", {}).get("StringValue")
    return {
        "ApproximateFirstReceiveTimestamp": str(message.first_received),
        "ApproximateReceiveCount": str(message.receive_count),
        "AWSTraceHeader": trace,
        "DeadLetterQueueSourceArn": message.dead_letter_source,
        "SenderId": _SENDER,
        "SentTimestamp": str(message.sent),
    }


def _receipt_handle(message: Message) -> str:
    return base64.urlsafe_b64encode(
        _HANDLE.pack(_HANDLE_MARK, message.queue, message.id, message.receive_count)
    ).decode()


def _open_handle(queue: Queue, handle: str) -> tuple[int, int]:
    """The message and its receive count that a handle of this queue names."""
    try:
        mark, queue_id, message, receive_count = _HANDLE.unpack(base64.urlsafe_b64decode(handle))
    except (binascii.Error, struct.error, ValueError) as error:
        raise _invalid_handle(handle) from error
    if mark != _HANDLE_MARK or queue_id != queue.id:
        raise _invalid_handle(handle)
    return message, receive_count


def _invalid_handle(handle: str) -> SqsError:
    return SqsError(
        "ReceiptHandleIsInvalid", f'The input receipt handle "{handle[:200]}" is not a valid receipt handle.'
    )
