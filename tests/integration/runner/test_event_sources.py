"""SQS event sources: batches, concurrency, partial failures and redelivery."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.runner.conftest import Eventually, Start
from tests.integration.runner.fake_sqs import FakeSqs

QUEUE = "work"
DEAD_LETTERS = "work-dead"
VISIBILITY = 0.3

TEMPLATE = """
Resources:
  Work: {Type: AWS::SQS::Queue, Properties: {QueueName: work}}
  Consumer:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.consume
      Events:
        Messages:
          Type: SQS
          Properties:
            Queue: !GetAtt Work.Arn
            BatchSize: 10
            FunctionResponseTypes: [ReportBatchItemFailures]
"""

HOLDING_TEMPLATE = TEMPLATE.replace("app.consume", "app.hold") + "            ScalingConfig: {MaximumConcurrency: 2}\n"


@pytest.fixture
def sqs() -> Iterator[FakeSqs]:
    service = FakeSqs(VISIBILITY, {QUEUE: (DEAD_LETTERS, 3)})
    yield service
    service.stop()


@pytest.fixture
def patient_sqs() -> Iterator[FakeSqs]:
    """Hides what was received until the test ends its visibility, however slow the machine is."""
    service = FakeSqs(3600, {QUEUE: (DEAD_LETTERS, 3)})
    yield service
    service.stop()


@pytest.fixture
def slow_sqs() -> Iterator[FakeSqs]:
    """A queue whose messages do not come back within a test."""
    service = FakeSqs(visibility=3600)
    yield service
    service.stop()


def most_at_once(spans: list[dict[str, Any]]) -> int:
    overlaps: list[int] = [sum(other["began"] <= span["began"] < other["ended"] for other in spans) for span in spans]
    return max(overlaps)


@pytest.mark.parametrize(("batch_size", "concurrency"), [(10, 2), (3, 4)])
def test_batch_size_and_maximum_concurrency_of_the_template_are_what_the_handler_sees(
    start: Start, eventually: Eventually, slow_sqs: FakeSqs, batch_size: int, concurrency: int
) -> None:
    template = HOLDING_TEMPLATE.replace("BatchSize: 10", f"BatchSize: {batch_size}")
    template = template.replace("MaximumConcurrency: 2", f"MaximumConcurrency: {concurrency}")
    batches = 2 * concurrency
    for number in range(batches * batch_size):
        slow_sqs.send(QUEUE, number)
    running = start(template, sqs_endpoint=slow_sqs.endpoint)
    eventually(lambda: len(running.notes("held")) == concurrency)
    running.release()
    spans = eventually(lambda: (notes := running.notes("span")) and len(notes) == batches and notes)
    assert {span["count"] for span in spans} == {batch_size}
    assert most_at_once(spans) == concurrency
    eventually(lambda: not slow_sqs.bodies(QUEUE))


def test_reserved_concurrency_bounds_an_event_source_and_no_message_is_lost(
    start: Start, eventually: Eventually, slow_sqs: FakeSqs
) -> None:
    template = HOLDING_TEMPLATE.replace("MaximumConcurrency: 2", "MaximumConcurrency: 5")
    template = template.replace("Handler: app.hold", "Handler: app.hold\n      ReservedConcurrentExecutions: 2")
    for number in range(50):
        slow_sqs.send(QUEUE, number)
    running = start(template, sqs_endpoint=slow_sqs.endpoint)
    eventually(lambda: len(running.notes("held")) == 2)
    running.release()
    eventually(lambda: not slow_sqs.bodies(QUEUE))
    spans = running.notes("span")
    assert most_at_once(spans) == 2
    assert sum(span["count"] for span in spans) == 50


def test_a_batching_window_gathers_more_than_one_receive(
    start: Start, eventually: Eventually, slow_sqs: FakeSqs
) -> None:
    template = TEMPLATE.replace("BatchSize: 10", "BatchSize: 25\n            MaximumBatchingWindowInSeconds: 300")
    for number in range(25):
        slow_sqs.send(QUEUE, {"do": "nothing", "number": number})
    running = start(template, sqs_endpoint=slow_sqs.endpoint)
    eventually(lambda: len(running.notes("record")) == 25)
    assert {note["batch"] for note in running.notes("record")} == {25}


def test_the_record_has_the_fields_that_lambda_gives_it(
    start: Start, eventually: Eventually, slow_sqs: FakeSqs
) -> None:
    binary = base64.b64encode(b"\x00\xff").decode()
    attributes = {
        "trace": {"DataType": "String", "StringValue": "t"},
        "blob": {"DataType": "Binary", "BinaryValue": binary},
    }
    slow_sqs.send(QUEUE, {"do": "nothing"}, attributes)
    running = start(TEMPLATE, sqs_endpoint=slow_sqs.endpoint)
    ((note),) = eventually(lambda: running.notes("record"))
    record = note["record"]
    assert record["body"] == '{"do": "nothing"}'
    assert record["md5OfBody"] == hashlib.md5(record["body"].encode()).hexdigest()
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["messageAttributes"]["trace"]["stringValue"] == "t"
    assert record["messageAttributes"]["blob"]["binaryValue"] == binary
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"] == "arn:aws:sqs:us-east-1:000000000000:work"
    assert record["awsRegion"] == "us-east-1"
    assert record["messageId"] and record["receiptHandle"]


def test_only_failed_records_come_back_and_end_in_the_dead_letters(
    start: Start, eventually: Eventually, patient_sqs: FakeSqs
) -> None:
    sqs = patient_sqs
    sqs.send(QUEUE, {"do": "nothing", "name": "good"})
    sqs.send(QUEUE, {"do": "fail once", "name": "shaky"})
    sqs.send(QUEUE, {"do": "fail", "name": "bad"})
    running = start(TEMPLATE, sqs_endpoint=sqs.endpoint)

    def left() -> list[str]:
        return [body["name"] for body in sqs.bodies(QUEUE)]

    def received(name: str) -> int:
        return [note["name"] for note in running.notes("record")].count(name)

    eventually(lambda: received("bad") == 1 and received("shaky") == 1 and left() == ["shaky", "bad"])
    sqs.end_visibility()
    eventually(lambda: received("bad") == 2 and left() == ["bad"])
    sqs.end_visibility()
    eventually(lambda: received("bad") == 3)
    sqs.end_visibility()
    eventually(lambda: sqs.bodies(DEAD_LETTERS) and not sqs.bodies(QUEUE))
    assert [body["name"] for body in sqs.bodies(DEAD_LETTERS)] == ["bad"]
    deliveries = [note["name"] for note in running.notes("record")]
    assert {name: deliveries.count(name) for name in deliveries} == {"good": 1, "shaky": 2, "bad": 3}


def test_the_messages_of_a_handler_that_timed_out_come_back(
    start: Start, eventually: Eventually, patient_sqs: FakeSqs
) -> None:
    sqs = patient_sqs
    sqs.send(QUEUE, {"do": "sleep once"})
    template = TEMPLATE.replace("Handler: app.consume", "Handler: app.consume\n      Timeout: 1")
    running = start(template, sqs_endpoint=sqs.endpoint)
    eventually(lambda: any("Task timed out after 1.00 seconds" in line for _, _, line in running.log))
    assert len(sqs.bodies(QUEUE)) == 1
    sqs.end_visibility()
    eventually(lambda: len(running.notes("record")) == 2 and not sqs.bodies(QUEUE))
    assert not sqs.bodies(DEAD_LETTERS)


def test_without_partial_responses_an_error_leaves_the_whole_batch_in_the_queue(
    start: Start, eventually: Eventually, sqs: FakeSqs
) -> None:
    for number in range(3):
        sqs.send(QUEUE, number)
    template = TEMPLATE.replace("app.consume", "app.raise_error").replace(
        "            FunctionResponseTypes: [ReportBatchItemFailures]\n", ""
    )
    start(template, sqs_endpoint=sqs.endpoint)
    eventually(lambda: sorted(sqs.bodies(DEAD_LETTERS)) == [0, 1, 2])


def test_a_disabled_event_source_leaves_the_queue_alone(start: Start, slow_sqs: FakeSqs) -> None:
    slow_sqs.send(QUEUE, 1)
    template = TEMPLATE.replace("BatchSize: 10", "BatchSize: 10\n            Enabled: false")
    running = start(template, sqs_endpoint=slow_sqs.endpoint)
    running.runner.stop()
    assert slow_sqs.visible(QUEUE) == 1


def test_polling_goes_on_after_the_queue_service_was_away(start: Start, eventually: Eventually) -> None:
    away = FakeSqs(VISIBILITY)
    port = int(away.endpoint.rpartition(":")[2])
    away.stop()
    running = start(TEMPLATE, sqs_endpoint=away.endpoint)
    eventually(lambda: any("could not receive" in line for _, _, line in running.log))
    back = FakeSqs(VISIBILITY, port=port)
    try:
        back.send(QUEUE, {"do": "nothing"})
        eventually(lambda: running.notes("record") and not back.bodies(QUEUE))
        running.runner.stop()
    finally:
        back.stop()


def test_stopping_finishes_the_batch_under_way_and_takes_no_more(
    start: Start, eventually: Eventually, slow_sqs: FakeSqs
) -> None:
    for number in range(30):
        slow_sqs.send(QUEUE, number)
    running = start(HOLDING_TEMPLATE, sqs_endpoint=slow_sqs.endpoint, stop_grace=60)
    eventually(lambda: len(running.notes("held")) == 2)
    running.release()
    running.runner.stop()
    done = sum(span["count"] for span in running.notes("span"))
    left = slow_sqs.bodies(QUEUE)
    assert len(left) == 30 - done
    assert slow_sqs.visible(QUEUE) == len(left)
