"""Posting results back, and deciding from the answer whether to try again."""

from __future__ import annotations

import json
import logging
import random
import time
from enum import StrEnum

import httpx

from workers.scanner.jobs import Delivery
from workers.scanner.model import Job, Report
from workers.scanner.signatures import webhook_headers

logger = logging.getLogger(__name__)

LONGEST_WAIT_SECONDS = 600.0
MAX_DELIVERIES = 150  # about a day
_REFUSED_FOR_GOOD = (400, 404, 409, 410, 413, 422)
ALREADY_RECEIVED = "webhook_replayed"


class Answer(StrEnum):
    TAKEN = "taken"
    REFUSED = "refused"
    TRY_AGAIN = "try again"


class Deliverer:
    def __init__(self, client: httpx.Client, secret: str) -> None:
        self._client, self._secret = client, secret

    def deliver(self, delivery: Delivery) -> Answer:
        body = delivery.result.encode()
        headers = webhook_headers(delivery.webhook_id, body, self._secret)
        try:
            answer = self._client.post(delivery.job.callback_url, content=body, headers=headers)
        except httpx.HTTPError as error:
            logger.warning("result_not_delivered job=%s error=%s", delivery.job.job_id, type(error).__name__)
            return Answer.TRY_AGAIN
        if answer.is_success or (answer.status_code == 401 and _code(answer) == ALREADY_RECEIVED):
            return Answer.TAKEN
        logger.warning("result_refused job=%s status=%s", delivery.job.job_id, answer.status_code)
        return Answer.REFUSED if answer.status_code in _REFUSED_FOR_GOOD else Answer.TRY_AGAIN

    def announce(self, job: Job, webhook_id: str) -> None:
        """Says that the scan has begun. Nothing depends on it, so it is tried once."""
        body = json.dumps(Report(job, "running").as_dict()).encode()
        try:
            self._client.post(job.callback_url, content=body, headers=webhook_headers(webhook_id, body, self._secret))
        except httpx.HTTPError as error:
            logger.info("start_not_announced job=%s error=%s", job.job_id, type(error).__name__)


def next_try(deliveries: int) -> float:
    """When to try again: doubling waits up to ten minutes, spread so that workers do not come back together."""
    wait = min(LONGEST_WAIT_SECONDS, 2.0 ** min(deliveries, 20))
    return time.time() + wait * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret


def _code(answer: httpx.Response) -> str | None:
    try:
        body = answer.json()
    except ValueError:
        return None
    return body.get("code") if isinstance(body, dict) else None
