"""Sending submissions to the queue. The submissions table is the outbox: what is not marked as sent is sent again."""

from __future__ import annotations

from collections.abc import Sequence

from skillgate.domain.errors import StoreUnavailable
from skillgate.observability import logger
from skillgate.ports import Backend, SendOutcome


def send(backend: Backend, ids: Sequence[str]) -> SendOutcome:
    """Sends and marks what was sent. What SQS did not take stays unmarked, and the sweeper sends it."""
    if not ids:
        return SendOutcome([])
    outcome = backend.queue.send(ids)
    if outcome.failed:
        logger.warning("enqueue_failed", submissions=len(outcome.failed))
    try:
        if outcome.sent:
            backend.store.mark_sent(outcome.sent, backend.now())
    except StoreUnavailable as error:  # they are sent once more by the sweeper, which does no harm
        logger.warning("mark_sent_failed", submissions=len(outcome.sent), error=error.message)
    return outcome
