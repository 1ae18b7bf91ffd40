"""Runs every few minutes: sets right what is stuck, unsent or in one store only."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.context import Environment, run_with_context
from skillgate.observability import traced
from skillgate.services.sweep import sweep

_backend = bootstrap.start()


def _handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    environment = Environment(settings=_backend.settings, request_id=context.aws_request_id)
    return run_with_context(environment, lambda: sweep(_backend)).as_dict()


lambda_handler = traced(_handle, on=_backend.settings.tracing)
