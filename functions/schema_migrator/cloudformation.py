"""Telling CloudFormation how a custom resource went: one PUT to the address that came with the request."""

import json
from typing import Any

import httpx

_SECONDS = 20


def report(event: dict[str, Any], status: str, reason: str, client: httpx.Client | None = None) -> None:
    """Raises httpx.HTTPError if CloudFormation cannot be told; it then waits until its own time-out."""
    body = {
        "Status": status,
        "Reason": reason,
        "PhysicalResourceId": event.get("PhysicalResourceId", "skillgate-schema"),
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
    }
    # The address is signed for a request without a content type.
    put = (client or httpx).put
    put(
        event["ResponseURL"], content=json.dumps(body), headers={"content-type": ""}, timeout=_SECONDS
    ).raise_for_status()
