"""Signatures between us and the scan workers: HMAC-SHA256 on what we send, Standard Webhooks on what we are sent."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime

from skillgate.domain.errors import Unauthenticated

WINDOW_SECONDS = 300
MAX_ID_LENGTH = 200


def job_headers(body: bytes, secret: str, now: datetime) -> dict[str, str]:
    """What proves to a worker that a job is ours, and was sent just now."""
    timestamp = str(int(now.timestamp()))
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {"x-skillgate-timestamp": timestamp, "x-skillgate-signature": f"sha256={digest}"}


def verify_webhook(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: datetime) -> str:
    """The webhook's id. Raises Unauthenticated unless one of the secrets signed exactly this, within five minutes.

    Several secrets hold at once, and a message may carry several signatures, so that secrets can be rotated.
    """
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "").split(" ")
    if not webhook_id or len(webhook_id) > MAX_ID_LENGTH or not webhook_id.isascii() or not webhook_id.isprintable():
        raise Unauthenticated("The webhook has no usable webhook-id.", code="webhook_unsigned")
    if not timestamp.isascii() or not timestamp.isdecimal() or len(timestamp) > 12:
        raise Unauthenticated("The webhook has no usable webhook-timestamp.", code="webhook_unsigned")
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    wanted = [b"v1," + base64.b64encode(hmac.new(_key(each), signed, hashlib.sha256).digest()) for each in secrets]
    # Every pair is compared, in constant time: how long it takes says nothing about which one was close.
    matches = [hmac.compare_digest(given.encode(), each) for given in signatures for each in wanted]
    if not any(matches):
        raise Unauthenticated("The webhook's signature does not hold.", code="webhook_signature_invalid")
    if abs(now.timestamp() - int(timestamp)) > WINDOW_SECONDS:
        raise Unauthenticated("The webhook was signed too long ago, or in the future.", code="webhook_stale")
    return webhook_id


def _key(secret: str) -> bytes:
    """A secret in Standard Webhooks' own form (`whsec_` and base64) stands for its bytes, any other for its text."""
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return secret.encode()
