"""A password that was rotated while an execution environment lives on."""

from __future__ import annotations

from contextlib import closing

import pytest
from psycopg import sql
from skillgate.adapters.postgres.connections import Connections
from skillgate.domain.errors import StoreUnavailable

from tests.support.backends import World


def test_a_connection_that_is_refused_is_tried_again_with_what_the_secret_says_now(real: World) -> None:
    asked: list[int] = []

    def renew() -> str:
        asked.append(1)
        return real.database_url

    with closing(Connections("postgresql://127.0.0.1:1/none", size=2, renew=renew)) as connections:
        for _ in range(3):
            with connections.single() as connection:
                assert connection.execute(sql.SQL("SELECT 1 AS one")).fetchone() == {"one": 1}
    assert len(asked) == 1


def test_a_server_that_is_away_is_not_a_reason_to_ask_again_and_again() -> None:
    asked: list[int] = []

    def renew() -> str:
        asked.append(1)
        return "postgresql://127.0.0.1:1/none"

    connections = Connections("postgresql://127.0.0.1:1/none", size=2, renew=renew)
    for _ in range(5):
        with pytest.raises(StoreUnavailable), connections.single():
            raise AssertionError("there is nobody to connect to")
    assert len(asked) == 1
