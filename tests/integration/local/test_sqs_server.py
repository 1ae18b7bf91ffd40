"""The SQS server beyond what moto has: durability, move tasks, a backlog, faults on demand, hostile requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.parts.process import PartError
from local.parts.sqs import Sqs
from local.sqs.attributes import DEFAULTS
from local.sqs.content import checked_content
from local.sqs.server import SqsServer
from local.sqs.store import DeadLetters, Queue, Store
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


@pytest.fixture
def server() -> Iterator[SqsServer]:
    with SqsServer() as server:
        yield server


@pytest.fixture
def sqs(server: SqsServer) -> Iterator[Any]:
    client = client_of(server.url)
    yield client
    client.close()


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


# --- durability -------------------------------------------------------------------------------------------------------


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


# --- receipt handles, where AWS leaves room ---------------------------------------------------------------------------


def test_an_old_handle_is_accepted_without_effect(sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    send(sqs, url, "x")
    (old,) = receive(sqs, url, VisibilityTimeout=0)
    (new,) = receive(sqs, url)
    sqs.delete_message(QueueUrl=url, ReceiptHandle=old["ReceiptHandle"])
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=old["ReceiptHandle"], VisibilityTimeout=0)
    assert receive(sqs, url) == []
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=new["ReceiptHandle"], VisibilityTimeout=0)
    assert [m["MessageId"] for m in receive(sqs, url)] == [new["MessageId"]]


def test_visibility_of_a_message_that_is_not_in_flight_cannot_be_changed(sqs: Any) -> None:
    url = sqs.create_queue(QueueName="work")["QueueUrl"]
    send(sqs, url, "x")
    (message,) = receive(sqs, url, VisibilityTimeout=0)
    with pytest.raises(sqs.exceptions.MessageNotInflight):
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=9)


# --- dead letters and move tasks (moto has no move tasks) -------------------------------------------------------------


def test_a_dead_letter_names_the_queue_that_it_came_from(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs)
    bury(sqs, url, "poison")
    (letter,) = receive(sqs, dead, MessageSystemAttributeNames=["DeadLetterQueueSourceArn"])
    assert letter["Attributes"] == {"DeadLetterQueueSourceArn": arn_of(sqs, url)}


def finished_task(sqs: Any, source: str) -> dict[str, Any]:
    def newest() -> dict[str, Any]:
        return dict(sqs.list_message_move_tasks(SourceArn=source)["Results"][0])

    assert processes.wait_for(lambda: newest()["Status"] != "RUNNING")
    return newest()


def test_a_move_task_takes_dead_letters_home_as_new_messages(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs)
    bury(sqs, url, "a", "b", "c")
    sqs.start_message_move_task(SourceArn=arn_of(sqs, dead))
    task = finished_task(sqs, arn_of(sqs, dead))
    assert (task["Status"], task["ApproximateNumberOfMessagesMoved"]) == ("COMPLETED", 3)
    assert task["ApproximateNumberOfMessagesToMove"] == 3
    assert "TaskHandle" not in task
    back = receive(sqs, url, AttributeNames=["All"])
    assert {m["Body"] for m in back} == {"a", "b", "c"}
    assert {m["Attributes"]["ApproximateReceiveCount"] for m in back} == {"1"}
    assert receive(sqs, dead) == []


def test_a_move_task_may_have_another_destination(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs)
    other = sqs.create_queue(QueueName="other")["QueueUrl"]
    bury(sqs, url, "a")
    sqs.start_message_move_task(SourceArn=arn_of(sqs, dead), DestinationArn=arn_of(sqs, other))
    assert [m["Body"] for m in receive(sqs, other, WaitTimeSeconds=20)] == ["a"]


def test_a_slow_move_task_can_be_cancelled_and_only_one_runs_at_a_time(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs)
    bury(sqs, url, "a", "b", "c")
    source = arn_of(sqs, dead)
    handle = sqs.start_message_move_task(SourceArn=source, MaxNumberOfMessagesPerSecond=1)["TaskHandle"]
    with pytest.raises(sqs.exceptions.UnsupportedOperation):
        sqs.start_message_move_task(SourceArn=source)
    assert sqs.list_message_move_tasks(SourceArn=source)["Results"][0]["TaskHandle"] == handle
    sqs.cancel_message_move_task(TaskHandle=handle)
    assert finished_task(sqs, source)["Status"] == "CANCELLED"
    with pytest.raises(sqs.exceptions.ResourceNotFoundException):
        sqs.cancel_message_move_task(TaskHandle=handle)


def test_a_message_without_a_source_fails_the_move_and_stays(sqs: Any) -> None:
    _, dead = dead_letter_pair(sqs)
    send(sqs, dead, "sent here by hand")
    sqs.start_message_move_task(SourceArn=arn_of(sqs, dead))
    task = finished_task(sqs, arn_of(sqs, dead))
    assert (task["Status"], task["FailureReason"]) == ("FAILED", "CouldNotDetermineMessageSource")
    assert len(receive(sqs, dead)) == 1


def test_only_a_dead_letter_queue_can_be_moved_from(sqs: Any) -> None:
    url, _ = dead_letter_pair(sqs)
    with pytest.raises(ClientError, match="must be configured as a Dead Letter Queue"):
        sqs.start_message_move_task(SourceArn=arn_of(sqs, url))
    with pytest.raises(sqs.exceptions.ResourceNotFoundException):
        sqs.start_message_move_task(SourceArn=arn_of(sqs, url) + "-unknown")


def test_a_move_task_goes_on_after_a_kill(tmp_path: Path) -> None:
    with Sqs(tmp_path) as part:
        sqs = client_of(part.url)
        url, dead = dead_letter_pair(sqs)
        bury(sqs, url, "a", "b", "c")
        sqs.start_message_move_task(SourceArn=arn_of(sqs, dead), MaxNumberOfMessagesPerSecond=2)
        part.kill()
        part.start()
        assert finished_task(sqs, arn_of(sqs, dead))["ApproximateNumberOfMessagesMoved"] == 3
        assert len(receive(sqs, url)) == 3
        sqs.close()


# --- a backlog, and time (on the store itself) ------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Iterator[Store]:
    store = Store(None, clock=clock)
    yield store
    store.close()


def queue_in(store: Store, name: str = "work", **attributes: str) -> Queue:
    store.create_queue(name, DEFAULTS | attributes)
    queue = store.queue(name)
    assert queue is not None
    return queue


def put(store: Store, queue: Queue, *bodies: str, delay: int = 0) -> None:
    store.send(queue, [(checked_content(body, {}, {}), delay) for body in bodies])


def steps_of_a_receive(store: Store, queue: Queue) -> int:
    """How much SQLite works for one receive, in its own unit: no clock is involved."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    store.db.set_progress_handler(count, 10)
    messages, _ = store.receive(queue, 10, 30, None)
    store.db.set_progress_handler(None, 0)
    assert len(messages) == 10
    return steps


def test_a_receive_costs_what_it_returns_however_long_the_queue_is(store: Store) -> None:
    short, long = queue_in(store, "short"), queue_in(store, "long")
    put(store, short, *map(str, range(20)))
    put(store, long, *map(str, range(5_000)))
    for _ in range(100):  # a thousand in flight must not cost either
        store.receive(long, 10, 3_600, None)
    put(store, long, *map(str, range(2_000)), delay=900)
    assert steps_of_a_receive(store, long) <= 2 * steps_of_a_receive(store, short)


def test_messages_come_oldest_first_and_come_back_when_their_visibility_ends(store: Store, clock: Clock) -> None:
    queue = queue_in(store)
    put(store, queue, "first")
    clock.seconds += 1
    put(store, queue, "second")
    assert [m.body for m in store.receive(queue, 1, 60, None)[0]] == ["first"]
    assert [m.body for m in store.receive(queue, 10, 600, None)[0]] == ["second"]
    clock.seconds += 59.9
    assert store.receive(queue, 10, 60, None) == ([], False)
    clock.seconds += 0.1
    assert [m.body for m in store.receive(queue, 10, 60, None)[0]] == ["first"]


def test_a_message_is_dropped_when_its_retention_ends(store: Store, clock: Clock) -> None:
    queue = queue_in(store, MessageRetentionPeriod="60")
    put(store, queue, "old")
    clock.seconds += 30
    put(store, queue, "young")
    clock.seconds += 31
    assert store.counts(queue).visible == 1
    assert [m.body for m in store.receive(queue, 10, 30, None)[0]] == ["young"]


def test_a_dead_letter_keeps_its_age(store: Store, clock: Clock) -> None:
    queue, dead = queue_in(store), queue_in(store, "dead", MessageRetentionPeriod="60")
    letters = DeadLetters(dead.id, 1, "arn:source")
    put(store, queue, "x")
    store.receive(queue, 1, 0, letters)
    clock.seconds += 61
    assert store.receive(queue, 1, 0, letters) == ([], True)
    assert store.receive(dead, 1, 0, None) == ([], False)


# --- faults -----------------------------------------------------------------------------------------------------------


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


# --- hostile requests -------------------------------------------------------------------------------------------------


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
