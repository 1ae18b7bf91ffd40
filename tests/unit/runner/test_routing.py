"""Which route a request takes."""

import pytest

from local.runner.model import HttpRoute
from local.runner.routing import find_route


def routes(*keys: str) -> tuple[HttpRoute, ...]:
    pairs = [("ANY", key) if key == "$default" else key.split(" ") for key in keys]
    return tuple(HttpRoute(method, path, "F", 30.0) for method, path in pairs)


PETS = routes(
    "ANY /{proxy+}", "GET /pets/{proxy+}", "GET /pets/dog/{id}", "GET /pets/dog/1", "ANY /pets/dog/1", "$default"
)


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "/pets/dog/1", "GET /pets/dog/1", {}),
        ("POST", "/pets/dog/1", "ANY /pets/dog/1", {}),
        ("GET", "/pets/dog/2", "GET /pets/dog/{id}", {"id": "2"}),
        ("GET", "/pets/cat/1", "GET /pets/{proxy+}", {"proxy": "cat/1"}),
        ("POST", "/pets/cat/1", "ANY /{proxy+}", {"proxy": "pets/cat/1"}),
        ("GET", "/", "$default", {}),
    ],
)
def test_the_most_specific_route_wins(method: str, path: str, key: str, parameters: dict[str, str]) -> None:
    match = find_route(PETS, method, path)
    assert match is not None
    assert (match.route.key, match.path_parameters) == (key, parameters)


def test_a_full_match_goes_before_a_greedy_one_with_more_literal_text() -> None:
    match = find_route(routes("GET /x/{proxy+}", "GET /{a}/b"), "GET", "/x/b")
    assert match is not None and match.route.key == "GET /{a}/b"


def test_the_longer_greedy_route_wins() -> None:
    match = find_route(routes("ANY /{proxy+}", "ANY /api/{proxy+}", "ANY /api/v1/{proxy+}"), "GET", "/api/v1/x")
    assert match is not None and match.route.key == "ANY /api/v1/{proxy+}"


@pytest.mark.parametrize("path", ["/pets", "/pets/", "/pets/1/2", "/"])
def test_without_a_match_there_is_no_route(path: str) -> None:
    assert find_route(routes("GET /pets/{id}"), "GET", path) is None
