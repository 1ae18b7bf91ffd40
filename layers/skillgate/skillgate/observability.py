"""Logs, metrics and traces: one of each, configured here and imported everywhere.

A log line is a static event name with variables as fields. The record's environment adds its ids by itself, so one
submission can be followed through every function; nothing is appended to the logger that would outlive an invocation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

from skillgate import context
from skillgate.redaction import redacted
from skillgate.settings import secret_values

F = TypeVar("F", bound=Callable[..., Any])


class _RecordFormatter(LambdaPowertoolsFormatter):
    """Adds the ids of the record being served to every line, and takes out what no log may hold."""

    def serialize(self, log: Any) -> str:
        environment = context.current_or_none()
        if environment is not None:
            log.setdefault("request_id", environment.request_id)
            if environment.submission_id:
                log.setdefault("submission_id", environment.submission_id)
        secrets = secret_values(environment.settings) if environment else ()
        return super().serialize(redacted(log, secrets))


logger = Logger(service="skillgate", logger_formatter=_RecordFormatter())
metrics = Metrics(namespace="Skillgate", service="skillgate")


def traced(handler: F, *, on: bool) -> F:
    """The handler under X-Ray where tracing is on. Where it is off, the tracer is not even imported (0.15 s)."""
    if not on:
        return handler
    from aws_lambda_powertools import Tracer

    return cast(F, Tracer(service="skillgate").capture_lambda_handler(handler))
