"""A world with two scan workers that take whatever they are given."""

from collections.abc import Iterator

import pytest

from tests.support.backends import Servers
from tests.support.external_scans import Scans, fake_workers, scans_world


@pytest.fixture
def scans(servers: Servers) -> Iterator[Scans]:
    with fake_workers(2) as workers, scans_world(servers, workers) as made:
        yield made
