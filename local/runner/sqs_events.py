"""The event that Lambda builds from SQS messages, and what the function's answer says about each of them."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .model import REGION, SqsEventSource
from .runtime_api import Outcome

Message = Mapping[str, Any]
"""A message as boto3's receive_message returns it."""


def build_sqs_event(source: SqsEventSource, messages: Sequence[Message]) -> bytes:
    records = [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message.get("Attributes", {}),
            "messageAttributes": {
                name: _attribute(value) for name, value in message.get("MessageAttributes", {}).items()
            },
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": source.queue_arn,
            "awsRegion": REGION,
        }
        for message in messages
    ]
    return json.dumps({"Records": records}).encode()


def _attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    attribute: dict[str, Any] = {"stringListValues": [], "binaryListValues": [], "dataType": value["DataType"]}
    if "StringValue" in value:
        attribute["stringValue"] = value["StringValue"]
    if "BinaryValue" in value:
        attribute["binaryValue"] = base64.b64encode(value["BinaryValue"]).decode()
    return attribute


def processed(source: SqsEventSource, messages: Sequence[Message], outcome: Outcome) -> list[Message]:
    """The messages that are done with. An answer that cannot be trusted counts as a failure of the whole batch."""
    if outcome.failed:
        return []
    if not source.report_batch_item_failures:
        return list(messages)
    failed = _failed_ids(outcome.payload)
    known = {message["MessageId"] for message in messages}
    if failed is None or not failed <= known:
        return []
    return [message for message in messages if message["MessageId"] not in failed]


def _failed_ids(payload: bytes) -> set[str] | None:
    """The ids in `batchItemFailures`; None when the answer is malformed."""
    try:
        answer = json.loads(payload) if payload else None
    except ValueError:
        return None
    if answer is None:
        return set()
    if not isinstance(answer, dict):
        return None
    failures = answer.get("batchItemFailures")
    if failures is None:
        return set()
    if not isinstance(failures, list):
        return None
    ids: set[str] = set()
    for failure in failures:
        identifier = failure.get("itemIdentifier") if isinstance(failure, dict) else None
        if not isinstance(identifier, str) or not identifier:
            return None
        ids.add(identifier)
    return ids
