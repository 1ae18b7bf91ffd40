"""Servers that the suite may kill: its own Postgres, and a DynamoDB that keeps its data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from skillgate.adapters.postgres.migrations import migrate
from skillgate.observability import logger

from local.parts.dynamodb import DynamoDb
from local.parts.postgres import temporary_postgres
from local.sqs.server import SqsServer
from tests.support.backends import TEMPLATE_DATABASE, Servers


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with (
        temporary_postgres() as postgres,
        DynamoDb(tmp_path_factory.mktemp("dynamodb")) as dynamodb,
        SqsServer() as sqs,
    ):
        migrate(postgres.create_database(TEMPLATE_DATABASE))
        yield Servers(postgres, dynamodb, sqs)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the consumers write; pytest keeps the folders of the last runs."""
    return tmp_path / "consumers.log"


@pytest.fixture(autouse=True)
def only_errors_are_logged() -> Iterator[None]:
    """Thousands of warnings about stores that are away on order would hide the figures."""
    before = logger.log_level
    logger.setLevel("ERROR")
    yield
    logger.setLevel(before)
