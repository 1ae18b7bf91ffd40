"""Consumes the external-scans queue: hands each scan to a worker on a VM.

Refuses to start where workers are configured and something that they need is not.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.context import Environment, run_with_context
from skillgate.observability import traced
from skillgate.services.external_scans.configuration import dispatch_config
from skillgate.services.external_scans.dispatch import dispatch

_backend = bootstrap.start()
_config = dispatch_config(_backend.settings)


def _handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    environment = Environment(settings=_backend.settings, request_id=context.aws_request_id)
    seconds_left = context.get_remaining_time_in_millis() / 1000
    return run_with_context(
        environment, lambda: dispatch(_backend, _config, event["Records"], seconds_left=seconds_left)
    )


lambda_handler = traced(_handle, on=_backend.settings.tracing)
