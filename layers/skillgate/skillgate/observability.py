"""Logs, metrics and traces: one of each, configured here and imported everywhere.

A log line is a static event name with variables as fields. The record's environment adds its ids by itself, so one
submission can be followed through every function; nothing is appended to the logger that would outlive an invocation.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import MetricUnit

from skillgate import context
from skillgate.redaction import redacted

F = TypeVar("F", bound=Callable[..., Any])


class _RecordFormatter(LambdaPowertoolsFormatter):
    """Adds the ids of the record being served to every line, and takes out what no log may hold."""

    def serialize(self, log: Any) -> str:
        environment = context.current_or_none()
        if environment is not None:
            log.setdefault("request_id", environment.request_id)
            if environment.submission_id:
                log.setdefault("submission_id", environment.submission_id)
        secrets = environment.settings.secret_values if environment else ()
        return super().serialize(redacted(log, secrets))


logger = Logger(service="skillgate", logger_formatter=_RecordFormatter())
metrics = Metrics(namespace="Skillgate", service="skillgate")


class Measure(StrEnum):
    """Every metric there is. They share one dimension, the service, so that an alarm can name each."""

    ANSWERED = "Answered"
    PUBLISHED = "Published"
    REJECTED = "Rejected"
    NEEDS_REVIEW = "NeedsReview"
    QUEUE_SECONDS = "QueueSeconds"
    TIER1_SECONDS = "Tier1Seconds"
    TIER2_SECONDS = "Tier2Seconds"
    PUBLISH_SECONDS = "PublishSeconds"
    OLDEST_IN_FLIGHT_SECONDS = "OldestInFlightSeconds"
    IN_FLIGHT = "InFlight"
    SWEEPER_REPAIRS = "SweeperRepairs"
    GIVEN_UP = "GivenUp"
    NOT_YET_DURABLE = "NotYetDurable"
    COPY_FAILED = "CopyFailed"
    DEGRADED_READS = "DegradedReads"
    DRIFT = "Drift"
    GITHUB_QUOTA_LEFT = "GitHubQuotaLeft"
    JUDGE_CALLS = "JudgeCalls"
    JUDGE_COST_USD = "JudgeCostUsd"
    DISCOVERY_CANDIDATES = "DiscoveryCandidates"
    DISCOVERY_ENQUEUED = "DiscoveryEnqueued"
    DISCOVERY_ERRORS = "DiscoveryErrors"
    DISCOVERY_QUOTA_LEFT = "DiscoveryQuotaLeft"
    SCANS_DISPATCHED = "ScansDispatched"
    SCAN_RESULTS = "ScanResults"


def measure(what: Measure, value: float = 1) -> None:
    """Adds to what the invocation reports at its end. Names that end in Seconds are durations, the rest are counts."""
    unit = MetricUnit.Seconds if what.value.endswith("Seconds") else MetricUnit.Count
    metrics.add_metric(name=what.value, unit=unit, value=value)


def measure_lowest(what: Measure, value: float) -> None:
    """Keeps the lowest of what the invocation saw; one value for each request to GitHub would fill the log."""
    known = metrics.metric_set.get(what.value)
    if known is None:
        measure(what, value)
    elif value < known["Value"][0]:
        known["Value"] = [value]


def traced(handler: F, *, on: bool) -> F:
    """The handler with its metrics flushed at the end and, where tracing is on, under X-Ray.

    Where it is off, the tracer is not even imported (0.15 s).
    """
    observed = metrics.log_metrics(handler)
    if not on:
        return cast(F, observed)
    from aws_lambda_powertools import Tracer

    return cast(F, Tracer(service="skillgate").capture_lambda_handler(observed))
