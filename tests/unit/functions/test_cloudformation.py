"""The migrator's word to CloudFormation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from schema_migrator.cloudformation import report

EVENT = {
    "RequestType": "Create",
    "ResponseURL": "https://bucket.example/path%2Fto?Signature=a%2Bb&Expires=1",
    "StackId": "stack",
    "RequestId": "request",
    "LogicalResourceId": "Schema",
}


class Connection:
    """Notes what was sent, and answers with a status."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.host, self.closed = status, "", False
        self.sent: tuple[str, str, dict[str, Any]] | None = None
        self.headers: dict[str, str] = {}

    def __call__(self, host: str) -> Any:
        self.host = host
        return self

    def request(self, method: str, url: str, *, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.sent, self.headers = (method, url, json.loads(body)), headers or {}

    def getresponse(self) -> Any:
        return self

    def close(self) -> None:
        self.closed = True


def test_the_result_is_put_where_the_request_says_untouched_and_without_a_content_type() -> None:
    connection = Connection()
    report(EVENT, "SUCCESS", "applied: nothing new", connection)

    assert connection.sent is not None
    method, url, body = connection.sent
    assert (connection.host, method, url) == ("bucket.example", "PUT", "/path%2Fto?Signature=a%2Bb&Expires=1")
    assert "content-type" not in {name.lower() for name in connection.headers}
    assert body == {
        "Status": "SUCCESS",
        "Reason": "applied: nothing new",
        "PhysicalResourceId": "skillgate-schema",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Schema",
    }
    assert connection.closed


def test_a_resource_keeps_its_id() -> None:
    connection = Connection()
    report(EVENT | {"PhysicalResourceId": "known"}, "SUCCESS", "", connection)
    assert connection.sent is not None and connection.sent[2]["PhysicalResourceId"] == "known"


def test_a_refusal_is_an_error_and_not_taken_for_told() -> None:
    connection = Connection(status=403)
    with pytest.raises(OSError, match="403"):
        report(EVENT, "SUCCESS", "", connection)
    assert connection.closed
