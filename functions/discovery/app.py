"""Looks for skills that nobody submitted, one source per invocation, and at published ones again."""

import time
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.context import Environment, run_with_context
from skillgate.observability import traced
from skillgate.services.discovery.invocation import run_event

_backend = bootstrap.start()
_MARGIN_SECONDS = 10.0  # for writing down how far it got


def _handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    deadline = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - _MARGIN_SECONDS
    environment = Environment(settings=_backend.settings, request_id=context.aws_request_id, deadline=deadline)
    return run_with_context(environment, lambda: run_event(_backend, event))


lambda_handler = traced(_handle, on=_backend.settings.tracing)
