"""What every submissions queue promises: the fake and SQS alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from skillgate.adapters.sqs import SqsSubmissions
from skillgate.bootstrap import utc_now
from skillgate.domain.errors import QueueUnavailable
from skillgate.domain.ids import new_id
from skillgate.domain.message import submission_id_of, to_body
from skillgate.ports import QueueMessage, SubmissionQueue

from tests.support.backends import World
from tests.support.fakes import FakeQueue

MAX_RECEIVE_COUNT = 5  # as in the template


@dataclass
class Broker:
    """A queue, and what the event source does with it."""

    queue: SubmissionQueue
    receive_within: Callable[[int], Sequence[QueueMessage]]  # seconds to wait for a first message
    delete: Callable[[str], None]
    put_body: Callable[[str], None]

    def receive(self) -> Sequence[QueueMessage]:
        return self.receive_within(0)

    def receive_all(self) -> list[QueueMessage]:
        received: list[QueueMessage] = []
        while messages := self.receive():
            received += messages
        return received

    def let_die(self, id_: str) -> None:
        """Sends a message and gives it back until it is a dead letter."""
        self.queue.send([id_])
        for _ in range(MAX_RECEIVE_COUNT):
            (message,) = self.receive()
            self.queue.delay_redelivery(message.receipt_handle, 0)
        assert self.receive() == []


@pytest.fixture(params=["fake", "sqs"])
def broker(request: pytest.FixtureRequest) -> Broker:
    if request.param == "fake":
        fake = FakeQueue(utc_now, max_receive_count=MAX_RECEIVE_COUNT)
        return Broker(fake, lambda _: fake.receive(), fake.delete, fake.put_body)
    real: World = request.getfixturevalue("real")
    url = real.settings.submissions_queue_url

    def receive(seconds: int) -> list[QueueMessage]:
        answer = real.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=seconds, MessageSystemAttributeNames=["All"]
        )
        return [
            QueueMessage(
                message["MessageId"],
                message["ReceiptHandle"],
                submission_id_of(message["Body"]) or "",
                int(message["Attributes"]["ApproximateReceiveCount"]),
            )
            for message in answer.get("Messages", [])
        ]

    return Broker(
        real.backend.queue,
        receive,
        lambda handle: real.sqs.delete_message(QueueUrl=url, ReceiptHandle=handle),
        lambda body: real.sqs.send_message(QueueUrl=url, MessageBody=body),
    )


def test_what_is_sent_is_received_once_and_gone_when_deleted(broker: Broker) -> None:
    ids = [new_id() for _ in range(37)]

    outcome = broker.queue.send(ids)

    assert (list(outcome.sent), dict(outcome.failed)) == (ids, {})
    messages = broker.receive_all()
    assert sorted(message.submission_id for message in messages) == sorted(ids)
    assert {message.receive_count for message in messages} == {1}
    for message in messages:
        broker.delete(message.receipt_handle)
    assert broker.queue.depth() == {"visible": 0, "notVisible": 0, "delayed": 0, "deadLetters": 0}


def test_sending_nothing_is_no_call_and_no_error(broker: Broker) -> None:
    outcome = broker.queue.send([])
    assert (list(outcome.sent), dict(outcome.failed)) == ([], {})


def test_the_depth_tells_waiting_held_and_delayed_apart(broker: Broker) -> None:
    broker.queue.send([new_id()])
    broker.receive_all()
    broker.queue.send([new_id(), new_id()])
    broker.queue.send([new_id()], delay=timedelta(minutes=10))
    assert broker.queue.depth() == {"visible": 2, "notVisible": 1, "delayed": 1, "deadLetters": 0}


def test_a_message_that_is_given_back_comes_again_with_a_higher_count(broker: Broker) -> None:
    id_ = new_id()
    broker.queue.send([id_])
    (first,) = broker.receive()
    assert broker.receive() == []

    broker.queue.delay_redelivery(first.receipt_handle, 0)

    (second,) = broker.receive()
    assert (second.submission_id, second.receive_count) == (id_, 2)


def test_a_message_that_is_given_back_for_later_stays_hidden(broker: Broker) -> None:
    broker.queue.send([new_id()])
    (message,) = broker.receive()
    broker.queue.delay_redelivery(message.receipt_handle, 600)
    assert broker.receive() == []


def test_delaying_with_a_handle_that_is_none_is_an_error(broker: Broker) -> None:
    with pytest.raises(QueueUnavailable):
        broker.queue.delay_redelivery("no-such-handle", 5)


def test_a_message_received_too_often_is_a_dead_letter_that_can_be_looked_at(broker: Broker) -> None:
    id_ = new_id()
    broker.let_die(id_)

    (letter,) = broker.queue.dead_letters(10)

    assert (letter.submission_id, letter.body) == (id_, to_body(id_))
    assert letter.receive_count > MAX_RECEIVE_COUNT or letter.receive_count == 1  # SQS counts on, or anew
    assert utc_now() - letter.sent_at < timedelta(minutes=10)
    assert broker.queue.dead_letters(10) == [], "a look hides it from the next one"
    assert broker.queue.depth()["deadLetters"] == 1, "but it is still there"


def test_no_more_dead_letters_are_shown_than_were_asked_for(broker: Broker) -> None:
    for _ in range(3):
        broker.let_die(new_id())
    assert len(broker.queue.dead_letters(2)) == 2


def test_a_dead_letter_that_is_not_ours_is_shown_all_the_same(broker: Broker) -> None:
    broker.put_body("not ours " + "x" * 1000)
    for _ in range(MAX_RECEIVE_COUNT):
        (message,) = broker.receive()
        broker.queue.delay_redelivery(message.receipt_handle, 0)
    broker.receive()

    (letter,) = broker.queue.dead_letters(10)

    assert letter.submission_id is None and letter.body.startswith("not ours") and len(letter.body) == 500


def test_redriven_dead_letters_are_received_again(broker: Broker) -> None:
    ids = {new_id() for _ in range(3)}
    for id_ in ids:
        broker.let_die(id_)

    assert broker.queue.redrive()

    seen: set[str] = set()
    while seen != ids and (messages := broker.receive_within(20)):  # a move runs in the background
        seen |= {message.submission_id for message in messages}
    assert seen == ids
    assert broker.queue.depth()["deadLetters"] == 0


def test_discarded_dead_letters_are_gone_and_counted(broker: Broker) -> None:
    for _ in range(2):
        broker.let_die(new_id())
    letters = broker.queue.dead_letters(10)

    assert broker.queue.discard([letter.receipt_handle for letter in letters[:1]]) == 1

    assert broker.queue.depth()["deadLetters"] == 1


# --- where SQS takes only a part --------------------------------------------------------------------------------------


class PartialSqs:
    """Refuses the first `refusals` batches in part or in whole."""

    def __init__(self, refusals: int, *, whole: bool) -> None:
        self.refusals, self.whole = refusals, whole
        self.sent: list[str] = []

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        assert len(Entries) <= 10
        refused: list[dict[str, Any]] = []
        if self.refusals:
            self.refusals -= 1
            if self.whole:
                raise ClientError({"Error": {"Code": "ServiceUnavailable", "Message": "later"}}, "SendMessageBatch")
            refused = Entries[1:]
        taken = Entries[: len(Entries) - len(refused)]
        self.sent += [submission_id_of(entry["MessageBody"]) or "" for entry in taken]
        return {"Failed": [{"Id": entry["Id"], "Code": "InternalError"} for entry in refused]}


@pytest.mark.parametrize("whole", [True, False])
def test_what_sqs_refuses_at_first_is_sent_again_and_the_rest_only_once(whole: bool) -> None:
    client, ids = PartialSqs(2, whole=whole), [new_id() for _ in range(25)]
    outcome = SqsSubmissions(client, "url", "dead", sleep=lambda _: None).send(ids)
    assert (list(outcome.sent), dict(outcome.failed)) == (ids, {})
    assert sorted(client.sent) == sorted(ids)


def test_what_sqs_never_takes_is_named_in_the_outcome() -> None:
    client, ids = PartialSqs(1000, whole=True), [new_id() for _ in range(12)]
    outcome = SqsSubmissions(client, "url", "dead", sleep=lambda _: None).send(ids)
    assert (list(outcome.sent), set(outcome.failed)) == ([], set(ids))
