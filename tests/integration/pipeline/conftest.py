"""A world that retries at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.backends import Servers, World, world
from tests.support.http import Client, admin_client, public_client


@pytest.fixture
def quick(servers: Servers) -> Iterator[World]:
    with world(servers, retry_base_seconds=0, limit_submissions=1000, limit_bulk=1000) as made:
        yield made


@pytest.fixture
def public(quick: World) -> Client:
    return public_client(quick.backend)


@pytest.fixture
def admin(quick: World) -> Client:
    return admin_client(quick.backend)
