"""Logs, metrics and traces: one of each, configured here and imported everywhere.

A log line is a static event name with variables as fields. The record's environment adds its ids by itself, so one
submission can be followed through every function; nothing is appended to the logger that would outlive an invocation.
Nothing secret is logged on purpose; what slips in by accident, in an exception's text or a URL, is taken out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

from skillgate import context

F = TypeVar("F", bound=Callable[..., Any])

MARK = "[redacted]"

_SECRET_FIELDS = re.compile(
    r"(?:.*[_-])?(?:authorization|cookies?|set[_-]cookie|password|passwd|secrets?|token|api[_-]?key|internal[_-]?keys?|"
    r"email|e[_-]mail)",
    re.IGNORECASE,
)
_SECRET_TEXTS = re.compile(
    r"\bvsk_[A-Za-z0-9_-]{16,}"
    r"|\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"  # a JWT
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?i:\b(?:__(?:Host|Secure)-[\w-]+|x-internal-key|password|client_secret|access_token|code_verifier))\s*[=:]\s*[^\s;&,\"']+"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"  # credentials in a URL
    r"|[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"  # an e-mail address
)


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


def traced(handler: F, *, on: bool) -> F:
    """The handler under X-Ray where tracing is on. Where it is off, the tracer is not even imported (0.15 s)."""
    if not on:
        return handler
    from aws_lambda_powertools import Tracer

    return cast(F, Tracer(service="skillgate").capture_lambda_handler(handler))


def redacted(value: Any, secrets: Iterable[str] = ()) -> Any:
    """The value with everything secret in it replaced; `secrets` are texts that are known to be."""
    known = sorted((secret for secret in secrets if len(secret) >= 6), key=len, reverse=True)
    return _value(value, known)


def _value(value: Any, known: list[str]) -> Any:
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, Mapping):
        return {name: MARK if _is_secret(name, item) else _value(item, known) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(item, known) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else _text(str(value), known)


def _is_secret(name: Any, item: Any) -> bool:
    return isinstance(name, str) and isinstance(item, str | list | tuple) and bool(_SECRET_FIELDS.fullmatch(name))


def _text(text: str, known: list[str]) -> str:
    for secret in known:
        text = text.replace(secret, MARK)
    return _SECRET_TEXTS.sub(MARK, text)
