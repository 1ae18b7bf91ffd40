"""What a function's answer says about the messages of its batch."""

import json
from typing import Any

import pytest

from local.runner.model import SqsEventSource
from local.runner.runtime_api import Outcome
from local.runner.sqs_events import processed

MESSAGES = [{"MessageId": name} for name in ("a", "b", "c")]


def source(*, report: bool) -> SqsEventSource:
    return SqsEventSource(
        name="F.Events.E",
        function="F",
        queue_arn="arn",
        queue_url="url",
        batch_size=10,
        batching_window=0,
        maximum_concurrency=None,
        report_batch_item_failures=report,
        enabled=True,
    )


def done(answer: Any, *, report: bool = True, failed: bool = False) -> str:
    payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return "".join(
        message["MessageId"] for message in processed(source(report=report), MESSAGES, Outcome(payload, failed))
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, "abc"),
        ({}, "abc"),
        ({"batchItemFailures": []}, "abc"),
        ({"batchItemFailures": None}, "abc"),
        ({"batchItemFailures": [{"itemIdentifier": "b"}]}, "ac"),
        ({"batchItemFailures": [{"itemIdentifier": "b"}, {"itemIdentifier": "b"}]}, "ac"),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, ""),
        ({"batchItemFailures": [{"itemIdentifier": "a"}, {"itemIdentifier": "unknown"}]}, ""),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, ""),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, ""),
        ({"batchItemFailures": [{"id": "a"}]}, ""),
        ({"batchItemFailures": ["a"]}, ""),
        ({"batchItemFailures": "a"}, ""),
        ("text", ""),
        ([], ""),
        (b"not json", ""),
    ],
)
def test_messages_are_done_unless_the_answer_names_them_or_is_malformed(answer: Any, expected: str) -> None:
    assert done(answer) == expected


def test_an_error_of_the_function_fails_the_whole_batch() -> None:
    assert done({"batchItemFailures": []}, failed=True) == ""


def test_without_partial_responses_the_answer_does_not_matter() -> None:
    assert done({"batchItemFailures": [{"itemIdentifier": "b"}]}, report=False) == "abc"
