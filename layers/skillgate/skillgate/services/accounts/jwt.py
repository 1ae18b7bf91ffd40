"""Access tokens: JWTs signed with HMAC-SHA-256, and nothing else.

There is one algorithm, and it is not read from the token. The key is found by its `kid`, which is derived from the
secret itself: the first secret signs, all of them verify, and so they can be rotated.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from skillgate.domain.errors import Unauthenticated

ISSUER = "skillgate"
MAX_LENGTH = 4096
_ALGORITHM = "HS256"


def sign(claims: Mapping[str, Any], secrets: Sequence[str], *, audience: str, now: datetime, seconds: int) -> str:
    at = int(now.timestamp())
    payload = {**claims, "iss": ISSUER, "aud": audience, "iat": at, "nbf": at, "exp": at + seconds}
    header = {"alg": _ALGORITHM, "typ": "JWT", "kid": _key_id(secrets[0])}
    signed = f"{_encode(json.dumps(header).encode())}.{_encode(json.dumps(payload).encode())}"
    return f"{signed}.{_encode(_signature(signed, secrets[0]))}"


def verify(token: str, secrets: Sequence[str], *, audience: str, now: datetime) -> dict[str, Any]:
    """The claims of a token that is ours, for this audience, and valid now. Raises Unauthenticated for any other."""
    try:
        if len(token) > MAX_LENGTH:
            raise ValueError
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(_decode(part)) for part in signed.split("."))
        keys = {_key_id(secret): secret for secret in secrets}
        genuine = header["alg"] == _ALGORITHM and hmac.compare_digest(
            _decode(signature), _signature(signed, keys[header["kid"]])
        )
        at = now.timestamp()
        if not genuine or (claims["iss"], claims["aud"]) != (ISSUER, audience):
            raise ValueError
        if not claims["nbf"] <= at < claims["exp"]:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unauthenticated("The access token is not valid, or no longer.", code="invalid_token") from None
    return dict(claims)


def _key_id(secret: str) -> str:
    return hashlib.sha256(b"kid\0" + secret.encode()).hexdigest()[:16]


def _signature(text: str, secret: str) -> bytes:
    return hmac.digest(secret.encode(), text.encode(), "sha256")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    if not text.isascii() or "=" in text:
        raise binascii.Error
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _encode(data) != text:  # one text for each value: no second spelling of a signature
        raise binascii.Error
    return data
