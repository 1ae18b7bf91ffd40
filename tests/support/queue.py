"""Driving the consumer as Lambda does: batches of the queue's own messages, and its answer obeyed."""

from __future__ import annotations

from typing import Any

from skillgate.services.consume import consume

from tests.support.backends import World


def records_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message.get("Attributes", {}),
        }
        for message in messages
    ]


def drain(world: World, *, batch: int = 10, seconds_left: float = 60) -> int:
    """Consumes until no message is visible; what is to be retried stays hidden. Returns how many were received."""
    url, sqs, received = world.settings.submissions_queue_url, world.sqs, 0
    while messages := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=batch, MessageSystemAttributeNames=["All"], WaitTimeSeconds=0
    ).get("Messages"):
        received += len(messages)
        records = records_of(messages)
        answer = consume(world.backend, records, request_id="test", seconds_left=seconds_left)
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for record in records:
            if record["messageId"] not in failed:
                sqs.delete_message(QueueUrl=url, ReceiptHandle=record["receiptHandle"])
    return received
