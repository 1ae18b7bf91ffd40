"""`python -m tests.faults.worker`: the consumer function in a process of its own, fed as Lambda's event source does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local.stack import local_client
from tests.support.queue import records_of

SECONDS = 60
DELIVERED_AGAIN = "delivered again:"


@dataclass(frozen=True)
class Invocation:
    """What the function sees of Lambda."""

    aws_request_id: str = "fault-suite"
    function_name: str = "submission_consumer"

    def get_remaining_time_in_millis(self) -> int:
        return SECONDS * 1000


def feed(handler: Any, sqs: Any, queue_url: str) -> None:
    """One batch: received, handled, and what did not fail deleted."""
    messages = sqs.receive_message(
        QueueUrl=queue_url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"], WaitTimeSeconds=1
    ).get("Messages", [])
    if not messages:
        return
    for message in messages:
        if int(message["Attributes"]["ApproximateReceiveCount"]) > 1:
            print(DELIVERED_AGAIN, message["MessageId"], flush=True)
    answer = handler({"Records": records_of(messages)}, Invocation())
    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    done = [message for message in messages if message["MessageId"] not in failed]
    if done:
        entries = [{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(done)]
        sqs.delete_message_batch(QueueUrl=queue_url, Entries=entries)


def main() -> None:
    from submission_consumer.app import lambda_handler

    sqs = local_client("sqs", os.environ["AWS_ENDPOINT_URL_SQS"])
    while True:
        try:
            feed(lambda_handler, sqs, os.environ["SUBMISSIONS_QUEUE_URL"])
        except (BotoCoreError, ClientError):
            continue  # the queue failed, on order; the event source would poll again as well


if __name__ == "__main__":
    main()
