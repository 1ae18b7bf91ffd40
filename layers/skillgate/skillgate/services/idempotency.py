"""The same Idempotency-Key and body give the same answer; the same key with another body is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from skillgate.domain.errors import Conflict, IdempotencyMismatch, InvalidInput, StoreUnavailable
from skillgate.observability import logger
from skillgate.ports import Backend, IdempotencyStore

KEEP = timedelta(hours=24)
RUNNING = timedelta(seconds=60)  # longer than any request may take: a caller that died frees its key
MAX_KEY_LENGTH = 255


def once(
    backend: Backend, *, scope: str, key: str | None, body: Any, call: Callable[[], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Calls at most once per scope and key. Without a key it simply calls.

    Raises IdempotencyMismatch for another body, Conflict while the first call with that key is still running. A call
    that raises leaves the key free.
    """
    if key is None:
        return call()
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isprintable():
        raise InvalidInput("An Idempotency-Key has 1 to 255 printable characters.", code="invalid_idempotency_key")
    name = hashlib.sha256(f"{scope}\0{key}".encode()).hexdigest()
    request_hash = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    store, known = _begin(backend, name, request_hash)
    if known is not None:
        if known["request_hash"] != request_hash:
            raise IdempotencyMismatch("This Idempotency-Key was used with another body.")
        if known["response"] is None:
            raise Conflict("The first request with this Idempotency-Key is still running.", code="still_running")
        return dict(known["response"])
    try:
        response = call()
    except BaseException:
        _quietly(lambda: store.forget(name))
        raise
    _quietly(lambda: store.finish(name, response, backend.now() + KEEP))
    return response


def _quietly(call: Callable[[], None]) -> None:
    """The answer stands whether or not it can be remembered."""
    try:
        call()
    except StoreUnavailable as error:
        logger.warning("idempotency_not_saved", error=error.message)


def _begin(backend: Backend, name: str, request_hash: str) -> tuple[IdempotencyStore, Mapping[str, Any] | None]:
    expires = backend.now() + RUNNING
    try:
        return backend.idempotency, backend.idempotency.begin(name, request_hash, expires)
    except StoreUnavailable:
        return backend.idempotency_fallback, backend.idempotency_fallback.begin(name, request_hash, expires)
