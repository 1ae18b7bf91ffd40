"""An SQS server in memory, and a client for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from local.sqs.server import SqsServer
from tests.integration.local.sqs_calls import (
    client_of,
)


@pytest.fixture
def server() -> Iterator[SqsServer]:
    with SqsServer() as server:
        yield server


@pytest.fixture
def sqs(server: SqsServer) -> Iterator[Any]:
    client = client_of(server.url)
    yield client
    client.close()
