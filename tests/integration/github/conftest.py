from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from local.github import GitHubStandIn, Limits

GetJson = Callable[..., Any]


@pytest.fixture
def stand_in() -> Iterator[GitHubStandIn]:
    with GitHubStandIn(limits=Limits.generous()) as running:
        yield running


@pytest.fixture
def client(stand_in: GitHubStandIn) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stand_in.url, headers={"Authorization": "Bearer alpha"}) as http:
        yield http


@pytest.fixture
def get(client: httpx.Client) -> GetJson:
    def get_json(path: str, /, **query: Any) -> Any:
        response = client.get(path, params=query or None)
        assert response.status_code == 200, response.text
        return response.json()

    return get_json
