"""Builds the published index: every few minutes if something changed, and every night in any case.

With `{"compare": true}` it compares the stores instead, and reports what they disagree about.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.context import Environment, run_with_context
from skillgate.observability import traced
from skillgate.services.published_index import build_index
from skillgate.services.skill_health import watch_drift

_backend = bootstrap.start()


def _handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    environment = Environment(settings=_backend.settings, request_id=context.aws_request_id)
    if event.get("compare"):
        return {"drift": run_with_context(environment, lambda: watch_drift(_backend))}
    full = bool(event.get("full"))
    return run_with_context(environment, lambda: build_index(_backend, full=full)).as_dict()


lambda_handler = traced(_handle, on=_backend.settings.tracing)
