"""A batch of queue messages: its records side by side, and an answer that names only those wanted again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from skillgate.concurrency import settle
from skillgate.context import Environment, run_with_context
from skillgate.domain.errors import QueueUnavailable, StoreUnavailable
from skillgate.domain.message import submission_id_of
from skillgate.observability import logger
from skillgate.ports import Backend, QueueMessage
from skillgate.services.controls import paused
from skillgate.services.process import Done, Retry, process

PAUSED_RETRY = timedelta(seconds=60)
_MARGIN_SECONDS = 3.0  # kept back for handing over what is not finished


def consume(
    backend: Backend, records: Sequence[Mapping[str, Any]], *, request_id: str, seconds_left: float
) -> dict[str, Any]:
    """Lambda's partial batch response: the ids of the messages that are wanted again, and only those."""
    messages = [message for record in records if (message := _message(record)) is not None]
    if messages and _is_paused(backend):
        return {"batchItemFailures": [{"itemIdentifier": id_} for id_ in _put_back(backend, messages)]}
    deadline = time.monotonic() + seconds_left - _MARGIN_SECONDS
    tokens = [token.get_secret_value() for token in backend.settings.github_tokens]

    def in_its_own_environment(message: QueueMessage) -> Done | Retry:
        environment = Environment(
            settings=backend.settings,
            request_id=request_id,
            submission_id=message.submission_id,
            github_token=tokens[hash(message.submission_id) % len(tokens)] if tokens else None,
            deadline=deadline,
        )
        return run_with_context(environment, lambda: process(backend, message))

    outcomes = settle(in_its_own_environment, messages, workers=backend.settings.processing_workers)
    failed: list[str] = []
    for message, outcome in zip(messages, outcomes, strict=True):
        if outcome.error is not None:
            logger.error("record_failed", submission_id=message.submission_id, error=str(outcome.error))
            failed.append(message.message_id)
        elif isinstance(outcome.value, Retry):
            _delay(backend, message, outcome.value)
            failed.append(message.message_id)
        elif outcome.value is not None:
            logger.info("record_done", submission_id=message.submission_id, outcome=outcome.value.what)
    return {"batchItemFailures": [{"itemIdentifier": id_} for id_ in failed]}


def _message(record: Mapping[str, Any]) -> QueueMessage | None:
    """None for a body that is not ours: nothing can be done with it, now or later."""
    submission_id = submission_id_of(record["body"])
    if submission_id is None:
        logger.error("message_not_understood", message_id=record["messageId"])
        return None
    receives = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))
    return QueueMessage(record["messageId"], record["receiptHandle"], submission_id, receives)


def _is_paused(backend: Backend) -> bool:
    try:
        return paused(backend)
    except StoreUnavailable:
        return False  # with no store at all, every record is handed back by its own failure


def _put_back(backend: Backend, messages: Sequence[QueueMessage]) -> list[str]:
    """A paused message goes to the end of the queue as a new one: no receive is burned, however long the pause."""
    outcome = backend.queue.send([message.submission_id for message in messages], delay=PAUSED_RETRY)
    return [message.message_id for message in messages if message.submission_id in outcome.failed]


def _delay(backend: Backend, message: QueueMessage, retry: Retry) -> None:
    logger.info("retry_later", submission_id=message.submission_id, seconds=retry.seconds, why=retry.why)
    try:
        backend.queue.delay_redelivery(message.receipt_handle, retry.seconds)
    except QueueUnavailable as error:  # it comes back all the same, when its visibility runs out
        logger.warning("retry_not_delayed", submission_id=message.submission_id, error=error.message)
