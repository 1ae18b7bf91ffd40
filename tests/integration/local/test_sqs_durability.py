"""What the SQS server has accepted, it keeps: through kills, restarts and stops."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from local.parts.process import PartError
from local.parts.sqs import Sqs
from tests.integration.local.sqs_calls import (
    bury,
    client_of,
    dead_letter_pair,
    http_call,
    long_poll,
    receive,
    send,
)


def test_everything_accepted_outlives_a_kill(tmp_path: Path) -> None:
    with Sqs(tmp_path) as part:
        sqs = client_of(part.url)
        url, dead = dead_letter_pair(sqs)
        bury(sqs, url, "dead letter")
        attributes = {"a": {"DataType": "String", "StringValue": "kept"}}
        sqs.send_message(QueueUrl=url, MessageBody="deleted")
        sqs.delete_message(QueueUrl=url, ReceiptHandle=receive(sqs, url)[0]["ReceiptHandle"])
        sqs.send_message(QueueUrl=url, MessageBody="in flight")
        (in_flight,) = receive(sqs, url)
        sqs.send_message(QueueUrl=url, MessageBody="delayed", DelaySeconds=900)
        sqs.send_message(QueueUrl=url, MessageBody="waiting", MessageAttributes=attributes)
        part.kill()
        part.start()
        assert [m["Body"] for m in receive(sqs, dead)] == ["dead letter"]
        (waiting,) = receive(sqs, url, MessageAttributeNames=["All"])
        assert (waiting["Body"], waiting["MessageAttributes"]) == ("waiting", attributes)
        sqs.delete_message(QueueUrl=url, ReceiptHandle=in_flight["ReceiptHandle"])
        counts = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        assert counts["ApproximateNumberOfMessagesDelayed"] == "1"
        assert counts["ApproximateNumberOfMessagesNotVisible"] == "1"
        sqs.close()


def test_a_message_in_flight_at_a_kill_comes_back_when_its_visibility_ends(tmp_path: Path) -> None:
    with Sqs(tmp_path) as part:
        sqs = client_of(part.url)
        url = sqs.create_queue(QueueName="work")["QueueUrl"]
        send(sqs, url, "x")
        (first,) = receive(sqs, url, VisibilityTimeout=2)
        part.kill()
        part.start()
        (again,) = receive(sqs, url, WaitTimeSeconds=20, AttributeNames=["ApproximateReceiveCount"])
        assert again["MessageId"] == first["MessageId"]
        assert again["Attributes"] == {"ApproximateReceiveCount": "2"}
        sqs.close()


def test_no_message_that_was_accepted_is_lost_by_a_kill_while_many_are_sent(tmp_path: Path) -> None:
    with Sqs(tmp_path) as part:
        sqs = client_of(part.url)
        url = sqs.create_queue(QueueName="work")["QueueUrl"]
        accepted: list[str] = []
        enough = threading.Event()

        def send_until_refused() -> None:
            sender = client_of(part.url)
            try:
                while True:
                    answer = send(sender, url, *(str(n) for n in range(10)))
                    accepted.extend(entry["MessageId"] for entry in answer["Successful"])
                    if len(accepted) >= 500:
                        enough.set()
            except Exception:
                enough.set()
            finally:
                sender.close()

        sender = threading.Thread(target=send_until_refused)
        sender.start()
        assert enough.wait(30)
        part.kill()
        sender.join()
        part.start()
        found: set[str] = set()
        while messages := receive(sqs, url):
            found.update(m["MessageId"] for m in messages)
        assert len(accepted) >= 500
        assert set(accepted) <= found
        sqs.close()


def test_a_data_file_is_for_one_server_at_a_time(tmp_path: Path) -> None:
    with Sqs(tmp_path), pytest.raises(PartError, match=r"sqs in .* is in use"):
        Sqs(tmp_path).start()


def test_a_polite_stop_lets_long_polls_answer(tmp_path: Path) -> None:
    with Sqs(tmp_path) as part:
        http_call(part.url, "POST", "/", b'{"QueueName": "work"}', **{"X-Amz-Target": "AmazonSQS.CreateQueue"})
        with long_poll(part.url, "work") as poll:
            part.stop()
            assert poll.recv(65_536).startswith(b"HTTP/1.1 200 ")
