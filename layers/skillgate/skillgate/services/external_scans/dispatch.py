"""A batch of the external-scans queue: each scan to a worker that takes it, side by side."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillgate.concurrency import settle
from skillgate.domain.errors import QueueUnavailable, StoreUnavailable
from skillgate.domain.external_scan import ExternalScan
from skillgate.domain.message import scan_job_id_of
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend, Handover
from skillgate.services.external_scans.configuration import DispatchConfig

_AT_ONCE = 16
_HANDOVER_SECONDS = 10.0
_MARGIN_SECONDS = 5.0  # kept back for writing down how it went
_LONGEST_DELAY_SECONDS = 900


@dataclass(frozen=True)
class _Message:
    message_id: str
    receipt_handle: str
    job_id: str
    receive_count: int


def dispatch(
    backend: Backend, config: DispatchConfig, records: Sequence[Mapping[str, Any]], *, seconds_left: float
) -> dict[str, Any]:
    """Lambda's partial batch response: the ids of the messages that are wanted again, and only those."""
    messages = [message for record in records if (message := _message(record)) is not None]
    if not messages:
        return {"batchItemFailures": []}
    try:
        waiting = _hand_out(backend, config, {message.job_id for message in messages}, seconds_left)
    except StoreUnavailable as error:
        logger.warning("external_scans_not_claimed", error=error.message)
        waiting = {message.job_id for message in messages}
    again = [message for message in messages if message.job_id in waiting]
    for message in again:
        _delay(backend, message)
    return {"batchItemFailures": [{"itemIdentifier": message.message_id} for message in again]}


def _hand_out(backend: Backend, config: DispatchConfig, job_ids: set[str], seconds_left: float) -> set[str]:
    """The jobs whose messages must come back. Raises StoreUnavailable."""
    if not config.workers:
        # Back to the outbox: the sweeper sends them when there is somebody to take them. Dead letters would not.
        logger.warning("no_scan_workers_configured", scans=len(job_ids))
        backend.external_scans.mark_unsent(sorted(job_ids))
        return set()
    deadline = time.monotonic() + seconds_left - _MARGIN_SECONDS
    claimed = backend.external_scans.claim(sorted(job_ids), at=backend.now(), per_hour=config.per_hour)
    if len(claimed) < len(job_ids):
        logger.info("external_scans_not_due", scans=len(job_ids) - len(claimed))
    outcomes = settle(lambda scan: _place(backend, config, scan, deadline), claimed, workers=_AT_ONCE)
    waiting: set[str] = set()
    for scan, outcome in zip(claimed, outcomes, strict=True):
        if outcome.error is not None:  # it stays claimed, and is timed out and sent again like any lost one
            logger.error("external_scan_not_dispatched", job_id=scan.job_id, error=str(outcome.error))
        elif not outcome.value:
            waiting.add(scan.job_id)
    return waiting


def _place(backend: Backend, config: DispatchConfig, scan: ExternalScan, deadline: float) -> bool:
    """Whether nothing is left to do for this scan: a worker has it, or none ever will."""
    body = _job(scan, config.callback_url)
    answers: list[Handover] = []
    for worker in _in_turn(config.workers, scan.worker):
        timeout = min(_HANDOVER_SECONDS, deadline - time.monotonic())
        if timeout <= 0:
            break
        answer = backend.scan_workers.hand_over(worker, body, secret=config.secret, now=backend.now(), timeout=timeout)
        if answer is Handover.TAKEN:
            backend.external_scans.handed_over(scan.job_id, worker)
            measure(Measure.SCANS_DISPATCHED)
            return True
        answers.append(answer)
    if len(answers) == len(config.workers) and set(answers) == {Handover.NOT_INSTALLED}:
        message = f"No scan worker has {scan.scanner} installed."
        backend.external_scans.fail(scan.job_id, code="scanner_not_available", message=message, at=backend.now())
        return True
    assert scan.dispatched_at is not None  # a claim has its time
    reached = any(answer is not Handover.UNREACHED for answer in answers)
    backend.external_scans.release(scan.job_id, claimed_at=scan.dispatched_at, reached=reached)
    return False


def _in_turn(workers: Sequence[str], last: str | None) -> list[str]:
    """Any order, so that the load spreads; the one that had the job before and did not answer comes last."""
    order = random.sample(workers, len(workers))
    return sorted(order, key=lambda worker: worker == last)


def _job(scan: ExternalScan, callback_url: str) -> bytes:
    job = {
        "jobId": scan.job_id,
        "skillName": scan.skill_name,
        "repoUrl": scan.repo_url,
        "commitSha": scan.commit_sha,
        "contentHash": scan.content_hash,
        "skillPath": scan.skill_path,
        "provider": scan.scanner,
        "callbackUrl": callback_url,
    }
    return json.dumps(job).encode()


def _message(record: Mapping[str, Any]) -> _Message | None:
    """None for a body that is not ours: nothing can be done with it, now or later."""
    job_id = scan_job_id_of(record["body"])
    if job_id is None:
        logger.error("message_not_understood", message_id=record["messageId"])
        return None
    receives = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))
    return _Message(record["messageId"], record["receiptHandle"], job_id, receives)


def _delay(backend: Backend, message: _Message) -> None:
    seconds = min(_LONGEST_DELAY_SECONDS, backend.settings.retry_base_seconds * 2 ** (message.receive_count - 1))
    try:
        backend.external_queue.delay_redelivery(message.receipt_handle, seconds)
    except QueueUnavailable as error:  # it comes back all the same, when its visibility runs out
        logger.warning("retry_not_delayed", job_id=message.job_id, error=error.message)
