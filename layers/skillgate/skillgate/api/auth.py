"""Who may call the protected routes."""

from __future__ import annotations

import hmac

from skillgate.api.router import ApiEvent
from skillgate.domain.errors import Unauthenticated
from skillgate.ports import Backend

HEADER = "x-internal-key"
INTERNAL = "internal"


def internal_only(backend: Backend, event: ApiEvent) -> None:
    """Lets through who has one of the internal keys. Several are valid at once, so that they can be rotated."""
    given = event.headers.get(HEADER, "").encode()
    keys = [key.get_secret_value().encode() for key in backend.settings.internal_keys]
    # Every key is compared, in constant time: how long it takes says nothing about which one was close.
    if not any([hmac.compare_digest(given, key) for key in keys]):  # noqa: C419
        raise Unauthenticated("This route needs a valid X-Internal-Key.")
