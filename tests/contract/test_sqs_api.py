"""The SQS API as boto3 sees it: every case here holds for moto's SQS and for the local stack's."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from local.sqs.server import SqsServer
from tests.contract.conftest_sqs import attributes_of, dead_letter_pair, new_name, new_queue, receive

MAX_BYTES = 1_048_576


@pytest.fixture(scope="module", params=["moto", "local"])
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "local":
        with SqsServer() as local:
            yield local.url
        return
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    yield f"http://{host}:{port}"
    moto.stop()


@pytest.fixture(scope="module")
def sqs(endpoint: str) -> Iterator[Any]:
    client = boto3.client(
        "sqs",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )
    yield client
    client.close()


# --- queues -----------------------------------------------------------------------------------------------------------


def test_a_queue_is_found_by_its_name(sqs: Any) -> None:
    name = new_name()
    url = sqs.create_queue(QueueName=name)["QueueUrl"]
    assert sqs.get_queue_url(QueueName=name)["QueueUrl"] == url
    assert sqs.list_queues(QueueNamePrefix=name)["QueueUrls"] == [url]


def test_creating_a_queue_again_with_equal_attributes_returns_the_same_one(sqs: Any) -> None:
    name = new_name()
    urls = {
        sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "60"})["QueueUrl"],
        sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "60"})["QueueUrl"],
        sqs.create_queue(QueueName=name)["QueueUrl"],
    }
    assert len(urls) == 1


def test_creating_a_queue_again_with_other_attributes_is_refused(sqs: Any) -> None:
    name = new_name()
    sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "60"})
    with pytest.raises(sqs.exceptions.QueueNameExists) as refused:
        sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "61"})
    assert refused.value.response["Error"]["Code"] == "QueueAlreadyExists"


@pytest.mark.parametrize("name", ["with space", "a" * 81, "slash/ed", "dot.ted"])
def test_a_queue_name_has_letters_digits_hyphens_and_underscores_only(sqs: Any, name: str) -> None:
    with pytest.raises(ClientError) as refused:
        sqs.create_queue(QueueName=name)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_queue_that_does_not_exist_says_so_in_every_operation(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.delete_queue(QueueUrl=url)
    calls: list[Callable[[], Any]] = [
        lambda: sqs.get_queue_url(QueueName=url.rpartition("/")[2]),
        lambda: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"]),
        lambda: sqs.send_message(QueueUrl=url, MessageBody="x"),
        lambda: sqs.receive_message(QueueUrl=url),
        lambda: sqs.delete_message(QueueUrl=url, ReceiptHandle="x"),
        lambda: sqs.purge_queue(QueueUrl=url),
        lambda: sqs.delete_queue(QueueUrl=url),
    ]
    for call in calls:
        with pytest.raises(sqs.exceptions.QueueDoesNotExist) as refused:
            call()
        assert refused.value.response["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue"


def test_a_new_queue_has_the_documented_defaults(sqs: Any) -> None:
    url = new_queue(sqs)
    attributes = attributes_of(sqs, url)
    assert attributes["QueueArn"].endswith(":" + url.rpartition("/")[2])
    assert {name: attributes[name] for name in ("VisibilityTimeout", "DelaySeconds", "MessageRetentionPeriod")} == {
        "VisibilityTimeout": "30",
        "DelaySeconds": "0",
        "MessageRetentionPeriod": "345600",
    }
    assert attributes["MaximumMessageSize"] == str(MAX_BYTES)
    assert float(attributes["CreatedTimestamp"]) > 1_600_000_000


def test_set_attributes_are_read_back_and_the_others_stay(sqs: Any) -> None:
    url = new_queue(sqs, VisibilityTimeout="40")
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "7"})
    assert attributes_of(sqs, url, "VisibilityTimeout", "DelaySeconds") == {
        "VisibilityTimeout": "40",
        "DelaySeconds": "7",
    }


def test_an_unknown_attribute_cannot_be_read(sqs: Any) -> None:
    with pytest.raises(sqs.exceptions.InvalidAttributeName):
        sqs.get_queue_attributes(QueueUrl=new_queue(sqs), AttributeNames=["Colour"])


# --- send and receive -------------------------------------------------------------------------------------------------


def test_a_message_comes_back_as_it_was_sent(sqs: Any) -> None:
    url = new_queue(sqs)
    body = 'Grüße, 世界 🌍 \t\n "quoted" <&>'
    sent = sqs.send_message(QueueUrl=url, MessageBody=body)
    (message,) = receive(sqs, url)
    assert (message["Body"], message["MessageId"]) == (body, sent["MessageId"])
    assert message["MD5OfBody"] == sent["MD5OfMessageBody"]


def test_message_attributes_come_back_when_asked_for(sqs: Any) -> None:
    url = new_queue(sqs)
    attributes = {
        "trace.id": {"DataType": "String", "StringValue": "abc"},
        "trace.depth": {"DataType": "Number", "StringValue": "3"},
        "blob": {"DataType": "Binary", "BinaryValue": b"\x00\xff\x10"},
    }
    sent = sqs.send_message(QueueUrl=url, MessageBody="x", MessageAttributes=attributes)
    (silent,) = receive(sqs, url, VisibilityTimeout=0)
    assert "MessageAttributes" not in silent
    (traced,) = receive(sqs, url, VisibilityTimeout=0, MessageAttributeNames=["trace.*"])
    assert set(traced["MessageAttributes"]) == {"trace.id", "trace.depth"}
    (full,) = receive(sqs, url, MessageAttributeNames=["All"])
    assert full["MessageAttributes"] == attributes
    assert full["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]


def test_an_attribute_of_an_unknown_type_is_refused(sqs: Any) -> None:
    with pytest.raises(ClientError) as refused:
        sqs.send_message(
            QueueUrl=new_queue(sqs),
            MessageBody="x",
            MessageAttributes={"a": {"DataType": "Colour", "StringValue": "red"}},
        )
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_receive_tells_how_often_and_when_a_message_was_received(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    wanted = ["ApproximateReceiveCount", "SentTimestamp", "ApproximateFirstReceiveTimestamp", "SenderId"]
    (first,) = receive(sqs, url, VisibilityTimeout=0, MessageSystemAttributeNames=wanted)
    (second,) = receive(sqs, url, VisibilityTimeout=0, AttributeNames=["All"])
    assert set(first["Attributes"]) == set(wanted)
    assert [m["Attributes"]["ApproximateReceiveCount"] for m in (first, second)] == ["1", "2"]
    for constant in ("SentTimestamp", "ApproximateFirstReceiveTimestamp"):
        assert first["Attributes"][constant] == second["Attributes"][constant]
    assert int(first["Attributes"]["SentTimestamp"]) <= int(first["Attributes"]["ApproximateFirstReceiveTimestamp"])


def test_a_batch_is_sent_received_and_deleted_as_one(sqs: Any) -> None:
    url = new_queue(sqs)
    sent = sqs.send_message_batch(
        QueueUrl=url, Entries=[{"Id": f"entry-{n}", "MessageBody": f"body {n}"} for n in range(10)]
    )
    assert [entry["Id"] for entry in sent["Successful"]] == [f"entry-{n}" for n in range(10)]
    messages = receive(sqs, url)
    assert {m["Body"] for m in messages} == {f"body {n}" for n in range(10)}
    assert {m["MessageId"] for m in messages} == {entry["MessageId"] for entry in sent["Successful"]}
    deleted = sqs.delete_message_batch(
        QueueUrl=url,
        Entries=[{"Id": str(n), "ReceiptHandle": m["ReceiptHandle"]} for n, m in enumerate(messages)],
    )
    assert len(deleted["Successful"]) == 10
    counts = attributes_of(sqs, url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    assert set(counts.values()) == {"0"}


def test_a_receive_returns_one_message_unless_more_are_asked_for(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": "x"} for n in range(5)])
    assert len(sqs.receive_message(QueueUrl=url)["Messages"]) == 1
    assert len(receive(sqs, url, MaxNumberOfMessages=3)) == 3
    assert len(receive(sqs, url)) == 1


def test_a_bad_entry_fails_alone(sqs: Any) -> None:
    url = new_queue(sqs)
    answer = sqs.send_message_batch(
        QueueUrl=url,
        Entries=[
            {"Id": "good", "MessageBody": "x"},
            {"Id": "bad", "MessageBody": "y", "DelaySeconds": 901},
        ],
    )
    assert [entry["Id"] for entry in answer["Successful"]] == ["good"]
    (failed,) = answer["Failed"]
    assert (failed["Id"], failed["SenderFault"], failed["Code"]) == ("bad", True, "InvalidParameterValue")
    assert [m["Body"] for m in receive(sqs, url)] == ["x"]


def test_a_purged_queue_is_empty(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": "x"} for n in range(5)])
    receive(sqs, url, MaxNumberOfMessages=2)
    sqs.purge_queue(QueueUrl=url)
    counts = attributes_of(sqs, url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    assert set(counts.values()) == {"0"}


# --- delay, visibility, long poll -------------------------------------------------------------------------------------


def test_a_delayed_message_is_counted_but_not_received_before_its_time(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=900)
    assert receive(sqs, url) == []
    assert attributes_of(sqs, url, "ApproximateNumberOfMessagesDelayed") == {"ApproximateNumberOfMessagesDelayed": "1"}


def test_a_queues_own_delay_holds_unless_the_message_has_one(sqs: Any) -> None:
    url = new_queue(sqs, DelaySeconds="900")
    sqs.send_message(QueueUrl=url, MessageBody="later")
    sqs.send_message(QueueUrl=url, MessageBody="now", DelaySeconds=0)
    assert [m["Body"] for m in receive(sqs, url)] == ["now"]


def test_a_long_poll_receives_a_delayed_message_when_its_delay_ends(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="soon", DelaySeconds=1)
    assert receive(sqs, url) == []
    assert [m["Body"] for m in receive(sqs, url, WaitTimeSeconds=20)] == ["soon"]


def test_a_received_message_is_hidden_until_its_visibility_ends(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (first,) = receive(sqs, url, VisibilityTimeout=1)
    assert receive(sqs, url) == []
    (again,) = receive(sqs, url, WaitTimeSeconds=20)
    assert again["MessageId"] == first["MessageId"]
    assert again["ReceiptHandle"] != first["ReceiptHandle"]


def test_a_message_in_flight_is_counted_as_not_visible(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": "x"} for n in range(3)])
    receive(sqs, url, MaxNumberOfMessages=1)
    assert attributes_of(sqs, url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible") == {
        "ApproximateNumberOfMessages": "2",
        "ApproximateNumberOfMessagesNotVisible": "1",
    }


def test_visibility_changed_to_zero_gives_a_message_back(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (first,) = receive(sqs, url)
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
    (again,) = receive(sqs, url, WaitTimeSeconds=5)
    assert again["MessageId"] == first["MessageId"]


def test_visibility_is_changed_in_a_batch_entry_by_entry(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (message,) = receive(sqs, url)
    answer = sqs.change_message_visibility_batch(
        QueueUrl=url,
        Entries=[
            {"Id": "ok", "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": 0},
            {"Id": "bad", "ReceiptHandle": "no such handle", "VisibilityTimeout": 0},
        ],
    )
    assert [entry["Id"] for entry in answer["Successful"]] == ["ok"]
    assert [(entry["Id"], entry["Code"]) for entry in answer["Failed"]] == [("bad", "ReceiptHandleIsInvalid")]
    assert len(receive(sqs, url, WaitTimeSeconds=5)) == 1


def test_a_long_poll_is_woken_by_a_message(sqs: Any) -> None:
    url = new_queue(sqs, ReceiveMessageWaitTimeSeconds="20")
    received: list[dict[str, Any]] = []
    poll = threading.Thread(target=lambda: received.extend(receive(sqs, url)))
    poll.start()
    sqs.send_message(QueueUrl=url, MessageBody="wake up")
    poll.join(timeout=30)
    assert [m["Body"] for m in received] == ["wake up"]


def test_receives_side_by_side_never_get_the_same_message(sqs: Any) -> None:
    url = new_queue(sqs)
    for start in range(0, 40, 10):
        entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(start, start + 10)]
        sqs.send_message_batch(QueueUrl=url, Entries=entries)
    with ThreadPoolExecutor(4) as pool:
        received = list(pool.map(lambda _: receive(sqs, url), range(4)))
    assert sorted(int(m["Body"]) for messages in received for m in messages) == list(range(40))


# --- receipt handles --------------------------------------------------------------------------------------------------


def test_a_deleted_message_is_gone_and_may_be_deleted_again(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (message,) = receive(sqs, url, VisibilityTimeout=0)
    for _ in range(2):
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    assert receive(sqs, url) == []


def test_the_newest_handle_deletes_a_message_that_was_received_twice(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (old,) = receive(sqs, url, VisibilityTimeout=0)
    (new,) = receive(sqs, url, VisibilityTimeout=0)
    sqs.delete_message(QueueUrl=url, ReceiptHandle=new["ReceiptHandle"])
    assert receive(sqs, url) == []
    sqs.delete_message(QueueUrl=url, ReceiptHandle=old["ReceiptHandle"])


def test_an_invented_handle_is_refused(sqs: Any) -> None:
    url = new_queue(sqs)
    with pytest.raises(sqs.exceptions.ReceiptHandleIsInvalid):
        sqs.delete_message(QueueUrl=url, ReceiptHandle="invented")
    with pytest.raises(sqs.exceptions.ReceiptHandleIsInvalid):
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle="invented", VisibilityTimeout=1)


def test_a_handle_of_another_queue_is_refused(sqs: Any) -> None:
    url, other = new_queue(sqs), new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (message,) = receive(sqs, url)
    with pytest.raises(sqs.exceptions.ReceiptHandleIsInvalid):
        sqs.delete_message(QueueUrl=other, ReceiptHandle=message["ReceiptHandle"])


# --- dead letters -----------------------------------------------------------------------------------------------------


def test_a_message_that_used_up_its_receives_becomes_a_dead_letter(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs, 2)
    sent = sqs.send_message(QueueUrl=url, MessageBody="poison")
    assert [len(receive(sqs, url, VisibilityTimeout=0)) for _ in range(3)] == [1, 1, 0]
    (letter,) = receive(sqs, dead, AttributeNames=["All"])
    assert (letter["MessageId"], letter["Body"]) == (sent["MessageId"], "poison")
    assert attributes_of(sqs, url, "ApproximateNumberOfMessages") == {"ApproximateNumberOfMessages": "0"}


def test_dead_letters_do_not_hold_up_the_messages_behind_them(sqs: Any) -> None:
    url, _ = dead_letter_pair(sqs, 1)
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": "poison"} for n in range(10)])
    assert len(receive(sqs, url, VisibilityTimeout=0)) == 10
    sqs.send_message(QueueUrl=url, MessageBody="healthy")
    assert [m["Body"] for m in receive(sqs, url)] == ["healthy"]


def test_a_dead_letter_queue_knows_its_sources(sqs: Any) -> None:
    url, dead = dead_letter_pair(sqs, 2)
    assert sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [url]
    policy = json.loads(attributes_of(sqs, url, "RedrivePolicy")["RedrivePolicy"])
    assert policy["maxReceiveCount"] == 2


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"MaxNumberOfMessages": 0}, {"MaxNumberOfMessages": 11}, {"WaitTimeSeconds": 21}, {"VisibilityTimeout": 43_201}],
)
def test_a_receive_beyond_the_limits_is_refused(sqs: Any, options: dict[str, int]) -> None:
    with pytest.raises(ClientError) as refused:
        receive(sqs, new_queue(sqs), **options)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_visibility_beyond_twelve_hours_is_refused(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x")
    (message,) = receive(sqs, url)
    with pytest.raises(ClientError) as refused:
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=43_201)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_delay_beyond_fifteen_minutes_is_refused(sqs: Any) -> None:
    with pytest.raises(ClientError) as refused:
        sqs.send_message(QueueUrl=new_queue(sqs), MessageBody="x", DelaySeconds=901)
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_message_may_have_one_mebibyte_and_no_more(sqs: Any) -> None:
    url = new_queue(sqs)
    sqs.send_message(QueueUrl=url, MessageBody="x" * MAX_BYTES)
    with pytest.raises(ClientError) as refused:
        sqs.send_message(QueueUrl=url, MessageBody="x" * (MAX_BYTES + 1))
    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_a_batch_may_have_one_mebibyte_and_no_more(sqs: Any) -> None:
    url = new_queue(sqs)
    half = "x" * (MAX_BYTES // 2)
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": half}, {"Id": "b", "MessageBody": half}])
    with pytest.raises(sqs.exceptions.BatchRequestTooLong):
        sqs.send_message_batch(
            QueueUrl=url, Entries=[{"Id": "a", "MessageBody": half}, {"Id": "b", "MessageBody": half + "x"}]
        )
    assert len(receive(sqs, url)) == 2


def test_a_batch_has_one_to_ten_entries_with_ids_of_their_own(sqs: Any) -> None:
    url = new_queue(sqs)

    def entries(*ids: str) -> list[dict[str, str]]:
        return [{"Id": entry_id, "MessageBody": "x"} for entry_id in ids]

    with pytest.raises(sqs.exceptions.EmptyBatchRequest):
        sqs.send_message_batch(QueueUrl=url, Entries=[])
    with pytest.raises(sqs.exceptions.EmptyBatchRequest):
        sqs.delete_message_batch(QueueUrl=url, Entries=[])
    with pytest.raises(sqs.exceptions.TooManyEntriesInBatchRequest):
        sqs.send_message_batch(QueueUrl=url, Entries=entries(*map(str, range(11))))
    with pytest.raises(sqs.exceptions.BatchEntryIdsNotDistinct):
        sqs.send_message_batch(QueueUrl=url, Entries=entries("a", "a"))
    with pytest.raises(sqs.exceptions.InvalidBatchEntryId):
        sqs.send_message_batch(QueueUrl=url, Entries=entries("not an id"))
    assert receive(sqs, url) == []
