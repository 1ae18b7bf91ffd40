"""How tests talk to the SQS server: with boto3, and past it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import boto3
from botocore.config import Config

from tests.integration.local import processes


def client_of(url: str) -> Any:
    return boto3.client(
        "sqs",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )


def http_call(url: str, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, json.loads(content) if content else None


def inject(url: str, *faults: dict[str, Any]) -> None:
    status, _ = http_call(url, "PUT", "/_control/faults", json.dumps(faults).encode())
    assert status == 200


def faults_left(url: str) -> Any:
    return http_call(url, "GET", "/_control/faults")[1]


def connect(url: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=30)


@contextlib.contextmanager
def long_poll(url: str, queue: str) -> Iterator[socket.socket]:
    """A connection on which a long poll is known to have reached the server: it has used up a fault."""
    inject(url, {"operation": "ReceiveMessage", "kind": "latency", "times": 1, "seconds": 0})
    body = json.dumps({"QueueUrl": queue, "WaitTimeSeconds": 20}).encode()
    head = f"POST / HTTP/1.1\r\nX-Amz-Target: AmazonSQS.ReceiveMessage\r\nContent-Length: {len(body)}\r\n\r\n"
    with connect(url) as connection:
        connection.sendall(head.encode() + body)
        assert processes.wait_for(lambda: faults_left(url) == [])
        yield connection


def send(sqs: Any, url: str, *bodies: str) -> dict[str, Any]:
    entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(bodies)]
    return dict(sqs.send_message_batch(QueueUrl=url, Entries=entries))


def receive(sqs: Any, url: str, **options: Any) -> list[dict[str, Any]]:
    return list(sqs.receive_message(QueueUrl=url, **{"MaxNumberOfMessages": 10, **options}).get("Messages", []))


def arn_of(sqs: Any, url: str) -> str:
    return str(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"])


def dead_letter_pair(sqs: Any, max_receive_count: int = 1) -> tuple[str, str]:
    dead = sqs.create_queue(QueueName="dead")["QueueUrl"]
    policy = json.dumps({"deadLetterTargetArn": arn_of(sqs, dead), "maxReceiveCount": max_receive_count})
    return sqs.create_queue(QueueName="work", Attributes={"RedrivePolicy": policy})["QueueUrl"], dead


def bury(sqs: Any, url: str, *bodies: str) -> None:
    """Send messages and receive them until they are dead letters (of a queue that allows one receive)."""
    send(sqs, url, *bodies)
    assert len(receive(sqs, url, VisibilityTimeout=0)) == len(bodies)
    assert receive(sqs, url) == []
