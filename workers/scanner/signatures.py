"""Who sent a job, and proof of who sends a result."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence

TIMESTAMP = "x-skillgate-timestamp"
SIGNATURE = "x-skillgate-signature"
WINDOW_SECONDS = 300


def job_is_genuine(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: float) -> bool:
    """Whether one of the secrets signed this timestamp and body, and did so within the last five minutes."""
    timestamp, given = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not timestamp.isascii() or not timestamp.isdecimal() or abs(now - int(timestamp)) > WINDOW_SECONDS:
        return False
    signed = timestamp.encode() + b"." + body
    wanted = [f"sha256={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}" for secret in secrets]
    # Every secret is compared, in constant time: how long it takes says nothing about which one was close.
    return any([hmac.compare_digest(given.encode(), each.encode()) for each in wanted])  # noqa: C419


def webhook_headers(webhook_id: str, body: bytes, secret: str, now: float | None = None) -> dict[str, str]:
    """Standard Webhooks: the signature is over id, timestamp and body."""
    timestamp = str(int(time.time() if now is None else now))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        "content-type": "application/json",
    }


def _key(secret: str) -> bytes:
    """A secret in Standard Webhooks' own form (`whsec_` and base64) stands for its bytes, any other for its text."""
    return base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
