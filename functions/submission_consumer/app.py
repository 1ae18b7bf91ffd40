"""Consumes the submissions queue: batches of ten, each record in an environment of its own."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import traced
from skillgate.services.consume import consume

_backend = bootstrap.start()


def _handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    seconds_left = context.get_remaining_time_in_millis() / 1000
    return consume(_backend, event["Records"], request_id=context.aws_request_id, seconds_left=seconds_left)


lambda_handler = traced(_handle, on=_backend.settings.tracing)
