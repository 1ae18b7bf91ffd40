"""Scans on machines outside: their store, their queue and the machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from skillgate.domain.external_scan import ExternalReport, ExternalScan
from skillgate.ports.submissions import SendOutcome


@dataclass(frozen=True)
class TimedOut:
    """Scans that had no answer in time: those that go to the queue once more, and those that have been there twice."""

    again: Sequence[str]
    ended: Sequence[str]


@dataclass(frozen=True)
class Received:
    """What became of a webhook: whether it was seen before, why it changed nothing, and which skill it took down."""

    replayed: bool = False
    not_applied: str | None = None
    quarantined_skill: str | None = None


@dataclass(frozen=True)
class ScanStatistics:
    """Counts by scanner and status: everything unfinished, and what ended within a day."""

    unfinished: Mapping[str, Mapping[str, int]]
    ended_day: Mapping[str, Mapping[str, int]]
    dispatched_hour: int
    oldest_unfinished: datetime | None
    last_result: datetime | None


class Handover(StrEnum):
    """What a worker made of a job. Only UNREACHED is sure not to have arrived."""

    TAKEN = "taken"
    NOT_INSTALLED = "not installed"
    REFUSED = "refused"
    UNREACHED = "unreached"


class ExternalScanStore(Protocol):
    """Scans on VMs, their outbox and their results. Raises StoreUnavailable."""

    def unsent_of(self, skill_id: str, content_hash: str) -> Sequence[str]: ...
    def unsent(self, *, created_before: datetime, limit: int) -> Sequence[str]: ...
    def mark_sent(self, job_ids: Sequence[str], at: datetime) -> None: ...
    def mark_unsent(self, job_ids: Sequence[str]) -> None: ...
    def claim(self, job_ids: Sequence[str], *, at: datetime, per_hour: int) -> Sequence[ExternalScan]: ...
    def handed_over(self, job_id: str, worker: str) -> None: ...
    def release(self, job_id: str, *, claimed_at: datetime, reached: bool) -> None: ...
    def fail(self, job_id: str, *, code: str, message: str, at: datetime) -> None: ...
    def time_out(self, *, dispatched_before: datetime, at: datetime, limit: int) -> TimedOut: ...
    def dispatched_since(self, since: datetime) -> int: ...
    def receive(self, webhook_id: str, report: ExternalReport, at: datetime) -> Received: ...
    def of_version(self, skill_id: str, content_hash: str) -> Sequence[ExternalScan]: ...
    def restore(self, skill_id: str, content_hash: str, at: datetime) -> bool: ...
    def start_over(self, *, idle_since: datetime, limit: int) -> Sequence[str]: ...
    def statistics(self, at: datetime) -> ScanStatistics: ...
    def forget(self, before: datetime) -> None: ...


class ExternalScanQueue(Protocol):
    """SQS. `send` never raises; the others raise QueueUnavailable."""

    def send(self, ids: Sequence[str], *, delay: timedelta = timedelta()) -> SendOutcome: ...
    def delay_redelivery(self, receipt_handle: str, seconds: int) -> None: ...
    def depth(self) -> Mapping[str, int]: ...


class ScanWorkers(Protocol):
    """The scanners' VMs. Never raises: a worker that is away is an outcome like another."""

    def hand_over(self, worker: str, body: bytes, *, secret: str, now: datetime, timeout: float) -> Handover: ...
