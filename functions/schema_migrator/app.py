"""Brings the schema up to date, before new code serves. A failed migration fails the deploy.

CloudFormation calls it as a custom resource whenever the library's layer changes; the functions wait for that resource.
Anybody else who invokes it gets the names of what was applied.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import logger

from schema_migrator.cloudformation import report

_settings = bootstrap.settings_from_environment()


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    asked_by_cloudformation = "RequestType" in event
    if asked_by_cloudformation and event["RequestType"] == "Delete":
        report(event, "SUCCESS", "The schema stays with its data.")
        return {"applied": []}
    try:
        applied = bootstrap.migrate_schema(_settings)
    except Exception as error:
        logger.exception("migration_failed")
        if asked_by_cloudformation:
            report(event, "FAILED", f"{type(error).__name__}: see the logs of the schema migrator")
        raise
    logger.info("schema_migrated", applied=applied)
    if asked_by_cloudformation:
        report(event, "SUCCESS", f"applied: {', '.join(applied) or 'nothing new'}")
    return {"applied": applied}
