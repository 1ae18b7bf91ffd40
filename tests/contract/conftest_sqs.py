"""Short words for what the SQS contract does over and over."""

from __future__ import annotations

import json
import uuid
from typing import Any


def new_name() -> str:
    return f"queue-{uuid.uuid4().hex}"


def new_queue(sqs: Any, **attributes: str) -> str:
    return str(sqs.create_queue(QueueName=new_name(), Attributes=attributes)["QueueUrl"])


def attributes_of(sqs: Any, url: str, *names: str) -> dict[str, str]:
    return dict(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names or ("All",)))["Attributes"])


def receive(sqs: Any, url: str, **options: Any) -> list[dict[str, Any]]:
    return list(sqs.receive_message(QueueUrl=url, **{"MaxNumberOfMessages": 10, **options}).get("Messages", []))


def dead_letter_pair(sqs: Any, max_receive_count: int) -> tuple[str, str]:
    dead = new_queue(sqs)
    arn = attributes_of(sqs, dead, "QueueArn")["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": max_receive_count})
    return new_queue(sqs, RedrivePolicy=policy), dead
