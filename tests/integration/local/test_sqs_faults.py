"""Faults on demand, and requests that no SDK would send."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.sqs.server import SqsServer
from tests.integration.local import processes
from tests.integration.local.sqs_calls import (
    client_of,
    connect,
    faults_left,
    http_call,
    inject,
    long_poll,
    receive,
    send,
)


def test_an_error_does_nothing_and_is_over_after_its_times(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "SendMessage", "kind": "error", "times": 2})
    for _ in range(2):
        with pytest.raises(ClientError) as failed:
            sqs.send_message(QueueUrl=url, MessageBody="x")
        assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
        assert failed.value.response["Error"]["Code"] == "ServiceUnavailable"
    assert faults_left(server.url) == []
    sqs.send_message(QueueUrl=url, MessageBody="y")
    assert [m["Body"] for m in receive(sqs, url)] == ["y"]


def test_a_lost_answer_is_of_something_that_was_done(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "SendMessage", "kind": "lost", "times": 1})
    with pytest.raises(ClientError):
        sqs.send_message(QueueUrl=url, MessageBody="x")
    assert [m["Body"] for m in receive(sqs, url)] == ["x"]


def test_a_partial_failure_fails_every_second_entry(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "SendMessageBatch", "kind": "partial", "times": None})
    answer = send(sqs, url, "a", "b", "c")
    assert [entry["Id"] for entry in answer["Successful"]] == ["0", "2"]
    assert [(entry["Id"], entry["SenderFault"]) for entry in answer["Failed"]] == [("1", False)]
    assert {m["Body"] for m in receive(sqs, url)} == {"a", "c"}


def test_a_duplicate_is_delivered_by_two_receives(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "ReceiveMessage", "kind": "duplicate"})
    send(sqs, url, "a", "b")
    deliveries = [sorted(m["Body"] for m in receive(sqs, url)) for _ in range(3)]
    assert deliveries == [["a", "b"], ["a", "b"], []]


def test_a_shuffle_delivers_everything_out_of_order(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "ReceiveMessage", "kind": "shuffle"})
    for start in range(0, 100, 10):
        send(sqs, url, *(str(n) for n in range(start, start + 10)))
    order = [int(m["Body"]) for _ in range(10) for m in receive(sqs, url)]
    assert sorted(order) == list(range(100))
    assert order != sorted(order)


def test_latency_delays_one_call_and_not_the_others(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    inject(server.url, {"operation": "SendMessage", "kind": "latency", "times": 1, "seconds": 1.0})
    order: list[str] = []
    other = client_of(server.url)

    def send_slowly() -> None:
        other.send_message(QueueUrl=url, MessageBody="slow")
        order.append("slow")

    slow = threading.Thread(target=send_slowly)
    slow.start()
    assert processes.wait_for(lambda: faults_left(server.url) == [])
    sqs.send_message(QueueUrl=url, MessageBody="quick")
    order.append("quick")
    slow.join()
    other.close()
    assert order == ["quick", "slow"]


@pytest.mark.parametrize(
    "faults",
    [
        {},
        [1],
        [{"operation": "x"}],
        [{"operation": "x", "kind": "y"}],
        [{"operation": "x", "kind": "error", "times": "z"}],
    ],
)
def test_malformed_faults_are_refused_and_the_old_ones_stay(server: SqsServer, faults: Any) -> None:
    inject(server.url, {"operation": "SendMessage", "kind": "error"})
    status, _ = http_call(server.url, "PUT", "/_control/faults", json.dumps(faults).encode())
    assert status == 400
    assert len(faults_left(server.url)) == 1


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("SendMessage", b"{"),
        ("SendMessage", b"[]"),
        ("SendMessage", b"[" * 100_000),
        ("SendMessage", b'{"QueueUrl": 7}'),
        ("SendMessage", b'{"QueueUrl": "work"}'),
        ("SendMessage", b'{"QueueUrl": "work", "MessageBody": ["x"]}'),
        ("SendMessage", b'{"QueueUrl": "work", "MessageBody": ""}'),
        ("SendMessage", rb'{"QueueUrl": "work", "MessageBody": "\u0000"}'),
        ("SendMessage", rb'{"QueueUrl": "work", "MessageBody": "\ud800"}'),
        ("SendMessage", b'{"QueueUrl": "work", "MessageBody": "x", "DelaySeconds": true}'),
        ("SendMessage", b'{"QueueUrl": "work", "MessageBody": "x", "DelaySeconds": 1e99}'),
        ("SendMessage", b'{"QueueUrl": "work", "MessageBody": "x", "MessageAttributes": {"a": 1}}'),
        (
            "SendMessage",
            b'{"QueueUrl": "work", "MessageBody": "x",'
            b' "MessageAttributes": {"a": {"DataType": "Binary", "BinaryValue": "!"}}}',
        ),
        ("SendMessageBatch", b'{"QueueUrl": "work", "Entries": {"Id": "a"}}'),
        ("SendMessageBatch", b'{"QueueUrl": "work", "Entries": ["a"]}'),
        ("SendMessageBatch", b'{"QueueUrl": "work", "Entries": [{"MessageBody": "x"}]}'),
        (
            "ReceiveMessage",
            b'{"QueueUrl": "work", "MessageAttributeNames": "All", "AttributeNames": "All", "WaitTimeSeconds": -1}',
        ),
        ("DeleteMessage", b'{"QueueUrl": "work", "ReceiptHandle": "\xc3\xa9"}'),
        ("CreateQueue", b'{"QueueName": "other", "Attributes": {"VisibilityTimeout": "-1"}}'),
        ("CreateQueue", b'{"QueueName": "other", "Attributes": {"VisibilityTimeout": 30}}'),
        ("CreateQueue", b'{"QueueName": "other", "Attributes": {"Colour": "red"}}'),
        ("CreateQueue", b'{"QueueName": "other", "Attributes": {"RedrivePolicy": "{}"}}'),
        ("CreateQueue", b'{"QueueName": "other", "Attributes": {"RedrivePolicy": "7"}}'),
        ("CreateQueue", b'{"QueueName": "other.fifo"}'),
        ("CancelMessageMoveTask", b'{"TaskHandle": "e30="}'),
        ("NoSuchOperation", b"{}"),
    ],
)
def test_a_malformed_request_is_refused_as_the_clients_fault(server: SqsServer, operation: str, body: bytes) -> None:
    target = {"X-Amz-Target": f"AmazonSQS.{operation}"}
    assert (
        http_call(server.url, "POST", "/", b'{"QueueName": "work"}', **{"X-Amz-Target": "AmazonSQS.CreateQueue"})[0]
        == 200
    )
    status, answer = http_call(server.url, "POST", "/", body, **target)
    assert (status, "__type" in answer) == (400, True)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_is_no_request_is_refused_and_the_connection_closed(
    server: SqsServer, request_bytes: bytes, status: int
) -> None:
    with connect(server.url) as connection:
        connection.sendall(request_bytes)
        answer = b""
        try:
            while received := connection.recv(65_536):
                answer += received
        except ConnectionResetError:
            pass  # the server closed with our bytes unread; its answer came before
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


def test_a_client_that_left_its_long_poll_takes_no_message(server: SqsServer, sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    with long_poll(server.url, "work"):
        pass
    send(sqs, url, "for somebody who is there")
    assert len(receive(sqs, url, WaitTimeSeconds=5)) == 1
