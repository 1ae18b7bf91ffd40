"""Cross-origin reads, for configured origins only. Cookies never take part: nothing here allows credentials."""

from __future__ import annotations

from typing import Any

from skillgate.api.event import ApiEvent
from skillgate.settings import Settings

_EXPOSED = "Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ETag"


def headers(settings: Settings, event: ApiEvent) -> dict[str, str]:
    """What the answer says to the asking origin; nothing where no origin is configured."""
    if not settings.cors_origins:
        return {}
    origin = event.headers.get("origin", "")
    if origin not in settings.cors_origins:
        return {"vary": "origin"}
    return {"vary": "origin", "access-control-allow-origin": origin, "access-control-expose-headers": _EXPOSED}


def preflight(settings: Settings, event: ApiEvent) -> dict[str, Any] | None:
    """The answer to a browser that asks first; None for any other request and for any other origin."""
    asks = event.method == "OPTIONS" and "access-control-request-method" in event.headers
    if not asks or event.headers.get("origin") not in settings.cors_origins:
        return None
    allowed = {
        "access-control-allow-methods": "GET, POST, DELETE",
        "access-control-allow-headers": "authorization, content-type, idempotency-key, last-event-id",
        "access-control-max-age": "600",
    }
    return {"statusCode": 204, "headers": allowed, "body": ""}
