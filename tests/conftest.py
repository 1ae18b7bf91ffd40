"""Fixtures for every kind of test. Servers start once for a session, and only if a test asks for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.backends import Servers, World, running_servers, world


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    with running_servers() as running:
        yield running


@pytest.fixture
def real(servers: Servers) -> Iterator[World]:
    """A backend on real, empty stores, with a GitHub stand-in and a scripted judge."""
    with world(servers) as made:
        yield made
