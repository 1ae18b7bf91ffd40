"""Receipt handles where AWS leaves room, dead letters, and move tasks, which moto does not have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.parts.sqs import Sqs
from local.sqs.server import SqsServer
from tests.integration.local import processes
from tests.integration.local.sqs_calls import (
    arn_of,
    bury,
    client_of,
    dead_letter_pair,
    long_poll,
    receive,
    send,
)


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


def test_a_dead_letter_names_the_queue_that_it_came_from(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs)
    bury(sqs, url, "poison")
    (letter,) = receive(sqs, dead, MessageSystemAttributeNames=["DeadLetterQueueSourceArn"])
    assert letter["Attributes"] == {"DeadLetterQueueSourceArn": arn_of(sqs, url)}


def test_a_dead_letter_wakes_a_long_poll(server: SqsServer, sqs: Any) -> None:
    url, _ = dead_letter_pair(sqs)
    with long_poll(server.url, "dead") as poll:
        bury(sqs, url, "poison")
        poll.settimeout(10)  # the poll itself would end after 20 s, with nothing
        assert b"poison" in poll.recv(65_536)


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
