"""What a queue can be told about itself, and what of it is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from local.sqs.errors import SqsError, invalid_value

MAX_MESSAGE_BYTES = 1_048_576
MAX_DELAY = 900
MAX_VISIBILITY = 43_200
MAX_WAIT = 20


@dataclass(frozen=True)
class _Range:
    low: int
    high: int
    default: int


_NUMBERS = {
    "DelaySeconds": _Range(0, MAX_DELAY, 0),
    "MaximumMessageSize": _Range(1_024, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES),
    "MessageRetentionPeriod": _Range(60, 1_209_600, 345_600),
    "ReceiveMessageWaitTimeSeconds": _Range(0, MAX_WAIT, 0),
    "VisibilityTimeout": _Range(0, MAX_VISIBILITY, 30),
}
DEFAULTS = {name: str(allowed.default) for name, allowed in _NUMBERS.items()} | {"SqsManagedSseEnabled": "true"}

# Kept and given back, without effect on one machine: who may call, and how the store is encrypted.
_WITHOUT_EFFECT = frozenset(
    {"Policy", "KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "RedriveAllowPolicy", "SqsManagedSseEnabled"}
)
_COMPUTED = frozenset(
    {
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesDelayed",
        "ApproximateNumberOfMessagesNotVisible",
        "CreatedTimestamp",
        "LastModifiedTimestamp",
        "QueueArn",
    }
)
READABLE = frozenset(_NUMBERS) | _WITHOUT_EFFECT | _COMPUTED | {"All", "RedrivePolicy"}


@dataclass(frozen=True)
class RedrivePolicy:
    dead_letter_arn: str
    max_receive_count: int

    @classmethod
    def parse(cls, value: str) -> RedrivePolicy:
        try:
            policy = json.loads(value)
            arn, count = policy["deadLetterTargetArn"], int(policy["maxReceiveCount"])
        except (ValueError, TypeError, KeyError) as error:
            raise invalid_value(value, "RedrivePolicy", "Must hold deadLetterTargetArn and maxReceiveCount.") from error
        if not isinstance(arn, str) or not 1 <= count <= 1_000:
            raise invalid_value(value, "RedrivePolicy", "maxReceiveCount must be between 1 and 1000.")
        return cls(arn, count)

    def canonical(self) -> str:
        """One spelling per meaning, so that an equal policy in other words is an equal attribute."""
        return json.dumps({"deadLetterTargetArn": self.dead_letter_arn, "maxReceiveCount": self.max_receive_count})


def checked(attributes: Mapping[str, object]) -> dict[str, str]:
    """The attributes that a request may set, in their canonical spelling."""
    return {name: _checked_value(name, value) for name, value in attributes.items()}


def _checked_value(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SqsError("InvalidAttributeValue", f"Invalid value for the parameter {name}.")
    if name in _NUMBERS:
        allowed = _NUMBERS[name]
        if not (value.isascii() and value.isdigit() and allowed.low <= int(value) <= allowed.high):
            raise SqsError("InvalidAttributeValue", f"Invalid value for the parameter {name}.")
        return str(int(value))
    if name == "RedrivePolicy":
        return RedrivePolicy.parse(value).canonical() if value else ""
    if name == "FifoQueue":
        raise SqsError("UnsupportedOperation", "This server has standard queues only.")
    if name not in _WITHOUT_EFFECT:
        raise SqsError("InvalidAttributeName", f"Unknown Attribute {name}.")
    return value
