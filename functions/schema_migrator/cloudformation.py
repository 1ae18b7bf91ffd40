"""Telling CloudFormation how a custom resource went: one PUT to the address that came with the request."""

import json
from collections.abc import Callable
from http.client import HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

_SECONDS = 20


def _connect(host: str) -> HTTPSConnection:
    return HTTPSConnection(host, timeout=_SECONDS)


def report(
    event: dict[str, Any], status: str, reason: str, connect: Callable[[str], HTTPSConnection] = _connect
) -> None:
    """Raises OSError if CloudFormation cannot be told; it then waits until its own time-out."""
    body = {
        "Status": status,
        "Reason": reason,
        "PhysicalResourceId": event.get("PhysicalResourceId", "skillgate-schema"),
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
    }
    address = urlsplit(event["ResponseURL"])
    connection = connect(address.netloc)
    try:
        # The address is signed for a request without a content type, and http.client sends none.
        connection.request("PUT", f"{address.path}?{address.query}", body=json.dumps(body).encode())
        answer = connection.getresponse()
        if answer.status >= 300:
            raise OSError(f"CloudFormation answered {answer.status}")
    finally:
        connection.close()
