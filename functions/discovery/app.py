"""Looks for skills that nobody submitted, one source per invocation. No source is connected yet; the answer says so."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import logger

_backend = bootstrap.start()


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    source = event.get("source")
    logger.warning("discovery_source_not_connected", source=source)
    return {"ran": False, "source": source, "why": "this source is not connected yet"}
