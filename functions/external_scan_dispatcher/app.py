"""Consumes the external-scans queue. No scan workers can be configured yet, so every message goes back to the queue and
after the receive limit, to the dead letters, where it can be seen and sent again."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import logger

_backend = bootstrap.start()


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    logger.error("no_scan_workers_configured", messages=len(event["Records"]))
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in event["Records"]]}
