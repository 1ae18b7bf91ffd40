"""Each failure that can be ordered, as a client sees it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from local.github import GitHubStandIn
from local.servers.http_server import Request, Response, StandInServer

REPOSITORY = "/repos/acme/tools"


@pytest.fixture(autouse=True)
def _repository(stand_in: GitHubStandIn) -> None:
    stand_in.put_repository("acme", "tools", {"SKILL.md": "one", "a/b": "two", "c": "three"})


def put_faults(client: httpx.Client, *rules: dict[str, Any]) -> None:
    assert client.put("/_control/faults", json=list(rules)).status_code == 204


def test_a_status_is_answered_as_often_as_ordered(client: httpx.Client) -> None:
    put_faults(client, {"match": f"^GET {REPOSITORY}$", "kind": "status", "status": 502, "retry_after": 7, "times": 2})
    answers = [client.get(REPOSITORY) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [502, 502, 200]
    assert answers[0].headers["Retry-After"] == "7"


def test_a_fault_without_times_lasts_until_it_is_deleted(client: httpx.Client) -> None:
    put_faults(client, {"match": "commits", "kind": "gone"})
    assert [client.get(f"{REPOSITORY}/commits/main").status_code for _ in range(3)] == [404] * 3
    assert client.get(REPOSITORY).status_code == 200
    assert client.delete("/_control/faults").status_code == 204
    assert client.get(f"{REPOSITORY}/commits/main").status_code == 200


@pytest.mark.parametrize(("kind", "status"), [("rate_limit_429", 429), ("rate_limit_403", 403)])
def test_an_ordered_rate_limit_looks_exhausted(client: httpx.Client, kind: str, status: int) -> None:
    before = int(time.time())
    put_faults(client, {"kind": kind, "seconds": 90, "retry_after": 5})
    answer = client.get(REPOSITORY)
    assert (answer.status_code, answer.headers["X-RateLimit-Remaining"], answer.headers["Retry-After"]) == (
        status,
        "0",
        "5",
    )
    assert int(answer.headers["X-RateLimit-Reset"]) >= before + 90


def test_a_secondary_limit_has_requests_left_and_may_say_when_to_return(client: httpx.Client) -> None:
    put_faults(client, {"kind": "secondary_403", "retry_after": 30, "times": 1}, {"kind": "secondary_403"})
    first, second = client.get(REPOSITORY), client.get(REPOSITORY)
    assert "secondary rate limit" in first.json()["message"]
    assert (first.status_code, first.headers["Retry-After"]) == (403, "30")
    assert int(first.headers["X-RateLimit-Remaining"]) > 0
    assert "Retry-After" not in second.headers


@pytest.mark.parametrize(
    "path", [REPOSITORY, "/raw/acme/tools/main/SKILL.md", "/codeload/acme/tools/legacy.tar.gz/main"]
)
def test_a_truncated_body_ends_before_its_time(client: httpx.Client, path: str) -> None:
    put_faults(client, {"kind": "truncated", "times": 1})
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(path)
    assert client.get(path).status_code == 200


def test_a_truncated_tree_says_so_and_lacks_entries(client: httpx.Client) -> None:
    path = f"{REPOSITORY}/git/trees/main?recursive=1"
    whole = client.get(path).json()
    put_faults(client, {"match": "recursive", "kind": "truncated_tree"})
    cut = client.get(path).json()
    assert (whole["truncated"], cut["truncated"]) == (False, True)
    assert len(cut["tree"]) < len(whole["tree"])


def test_a_reset_drops_the_connection(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    put_faults(client, {"kind": "reset", "times": 1})
    with pytest.raises(httpx.ReadError):
        client.get(REPOSITORY)
    assert client.get(REPOSITORY).status_code == 200
    assert [record.status for record in stand_in.requests()] == [None, 200]


def test_a_dead_token_is_refused_and_others_are_not(client: httpx.Client) -> None:
    put_faults(client, {"kind": "dead_token", "token": "alpha"})
    dead = client.get(REPOSITORY)
    assert (dead.status_code, dead.json()["message"]) == (401, "Bad credentials")
    assert client.get(REPOSITORY, headers={"Authorization": "Bearer beta"}).status_code == 200


def test_any_fault_can_be_meant_for_one_token(client: httpx.Client) -> None:
    put_faults(client, {"kind": "rate_limit_429", "token": "beta"})
    assert client.get(REPOSITORY).status_code == 200
    assert client.get(REPOSITORY, headers={"Authorization": "token beta"}).status_code == 429


def test_of_two_faults_the_first_is_used_up_before_the_second(client: httpx.Client) -> None:
    put_faults(
        client,
        {"kind": "status", "status": 500, "times": 1},
        {"kind": "latency", "seconds": 0.001},
        {"kind": "status", "status": 503, "times": 1},
    )
    assert [client.get(REPOSITORY).status_code for _ in range(3)] == [500, 503, 200]


def test_slow_answers_do_not_wait_for_each_other() -> None:
    # The barrier opens only when all fifty are held back at the same time.
    together = threading.Barrier(50, timeout=60)

    def hold_back(_seconds: float) -> None:
        together.wait()

    connections = httpx.Limits(max_connections=50)
    with (
        GitHubStandIn(pause=hold_back) as stand_in,
        httpx.Client(base_url=stand_in.url, limits=connections, timeout=60) as client,
        ThreadPoolExecutor(50) as pool,
    ):
        stand_in.set_faults([{"kind": "latency", "seconds": 0.1}])
        statuses = list(pool.map(lambda _: client.get("/rate_limit").status_code, range(50)))
    assert statuses == [200] * 50


def test_stopping_does_not_wait_for_a_slow_answer() -> None:
    held_back = threading.Event()

    def answer(_request: Request) -> Response:
        held_back.set()
        server.pause(3600)
        return Response()

    server = StandInServer(answer)
    server.start()
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(httpx.get, server.url, timeout=60)
        assert held_back.wait(60)
        server.stop()
        pending.exception(timeout=60)


@pytest.mark.parametrize(
    "rules",
    [
        {"kind": "gone"},
        [{"kind": "no such kind"}],
        [{"kind": "gone", "unknown": 1}],
        [{"kind": "gone", "match": "("}],
        [{"kind": "dead_token"}],
        [{"kind": "gone", "times": 0}],
    ],
)
def test_a_rule_that_is_none_is_refused_and_changes_nothing(client: httpx.Client, rules: Any) -> None:
    put_faults(client, {"kind": "status", "status": 503})
    assert client.put("/_control/faults", json=rules).status_code == 400
    assert client.get(REPOSITORY).status_code == 503
