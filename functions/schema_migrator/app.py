"""Brings the schema up to date, before new code serves. A failed migration fails the deploy."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import logger

_settings = bootstrap.settings_from_environment()


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    applied = bootstrap.migrate_schema(_settings)
    logger.info("schema_migrated", applied=applied)
    return {"applied": applied}
