"""Builds the published index. The marketplace reads Postgres directly so far: it reports what an index would hold."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from skillgate import bootstrap
from skillgate.observability import logger

_backend = bootstrap.start()


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    published = _backend.skills.count()
    logger.info("index_not_built", published=published)
    return {"built": False, "published": published}
