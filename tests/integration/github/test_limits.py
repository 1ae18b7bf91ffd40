"""Conditional requests and rate limits."""

from collections.abc import Iterator

import httpx
import pytest

from local.github import GitHubStandIn, Limits
from local.github.rate_limits import Caller, RateLimits

ALPHA = {"Authorization": "Bearer alpha"}
BETA = {"Authorization": "Bearer beta"}


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def anonymous(clock: Clock) -> Iterator[httpx.Client]:
    limits = Limits(core=5, core_anonymous=2, search=3, search_anonymous=1, code_search=1)
    with GitHubStandIn(limits=limits, clock=clock) as stand_in, httpx.Client(base_url=stand_in.url) as client:
        stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
        yield client


def remaining(answer: httpx.Response) -> int:
    return int(answer.headers["X-RateLimit-Remaining"])


def test_every_answer_of_the_api_says_what_is_left(anonymous: httpx.Client, clock: Clock) -> None:
    answer = anonymous.get("/repos/acme/tools", headers=ALPHA)
    assert {name: answer.headers[f"X-RateLimit-{name}"] for name in ("Limit", "Remaining", "Used", "Resource")} == {
        "Limit": "5",
        "Remaining": "4",
        "Used": "1",
        "Resource": "core",
    }
    assert int(answer.headers["X-RateLimit-Reset"]) == clock.now + 3600
    assert remaining(anonymous.get("/repos/acme/no-such", headers=ALPHA)) == 3


def test_a_used_up_limit_refuses_until_it_resets(anonymous: httpx.Client, clock: Clock) -> None:
    statuses = [anonymous.get("/repos/acme/tools").status_code for _ in range(3)]
    assert statuses == [200, 200, 403]
    refused = anonymous.get("/repos/acme/tools")
    assert "rate limit exceeded" in refused.json()["message"]
    assert remaining(refused) == 0
    clock.now = float(refused.headers["X-RateLimit-Reset"])
    assert anonymous.get("/repos/acme/tools").status_code == 200


def test_each_token_has_a_budget_of_its_own(anonymous: httpx.Client) -> None:
    for _ in range(5):
        assert anonymous.get("/repos/acme/tools", headers=ALPHA).status_code == 200
    assert anonymous.get("/repos/acme/tools", headers=ALPHA).status_code == 403
    assert anonymous.get("/repos/acme/tools", headers=BETA).status_code == 200
    assert anonymous.get("/repos/acme/tools").status_code == 200


def test_searches_have_budgets_apart(anonymous: httpx.Client, clock: Clock) -> None:
    code, repositories = "/search/code?q=filename:SKILL.md", "/search/repositories?q=tools"
    first = anonymous.get(code, headers=ALPHA)
    assert (first.headers["X-RateLimit-Resource"], remaining(first)) == ("code_search", 0)
    assert int(first.headers["X-RateLimit-Reset"]) == clock.now + 60
    assert anonymous.get(code, headers=ALPHA).status_code == 403
    assert anonymous.get(repositories, headers=ALPHA).headers["X-RateLimit-Resource"] == "search"
    assert remaining(anonymous.get("/repos/acme/tools", headers=ALPHA)) == 4


def test_asking_for_the_rate_limit_costs_nothing(anonymous: httpx.Client) -> None:
    anonymous.get("/repos/acme/tools", headers=ALPHA)
    for _ in range(10):
        shown = anonymous.get("/rate_limit", headers=ALPHA).json()
    assert {name: resource["remaining"] for name, resource in shown["resources"].items()} == {
        "core": 4,
        "search": 3,
        "code_search": 1,
    }
    assert shown["rate"] == shown["resources"]["core"]


def test_raw_files_and_tarballs_do_not_count(anonymous: httpx.Client) -> None:
    for _ in range(5):
        assert anonymous.get("/raw/acme/tools/main/SKILL.md").status_code == 200
        assert anonymous.get("/codeload/acme/tools/legacy.tar.gz/main").status_code == 200
    assert anonymous.get("/rate_limit").json()["rate"]["used"] == 0


def test_an_unchanged_answer_is_304_and_free_for_a_token(anonymous: httpx.Client) -> None:
    first = anonymous.get("/repos/acme/tools", headers=ALPHA)
    conditional = {**ALPHA, "If-None-Match": first.headers["ETag"]}
    for _ in range(10):
        again = anonymous.get("/repos/acme/tools", headers=conditional)
        assert (again.status_code, again.content, remaining(again)) == (304, b"", 4)
        assert again.headers["ETag"] == first.headers["ETag"]


def test_an_unchanged_answer_costs_those_without_a_token(anonymous: httpx.Client) -> None:
    etag = anonymous.get("/repos/acme/tools").headers["ETag"]
    again = anonymous.get("/repos/acme/tools", headers={"If-None-Match": etag})
    assert (again.status_code, remaining(again)) == (304, 0)


def test_a_changed_answer_is_sent_in_full(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    for path in ("/repos/acme/tools/commits/main", "/raw/acme/tools/main/SKILL.md", "/repos/acme/tools/git/trees/main"):
        stand_in.put_repository("acme", "tools", {"SKILL.md": f"before {path}"})
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": f'"other", {etag}'}).status_code == 304
        stand_in.put_repository("acme", "tools", {"SKILL.md": f"after {path}"})
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_a_request_without_a_user_agent_is_refused(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    request = client.build_request("GET", "/repos/acme/tools")
    del request.headers["User-Agent"]
    assert client.send(request).status_code == 403


def test_what_is_given_back_can_be_taken_again(clock: Clock) -> None:
    limits = RateLimits(Limits(core=1), clock)
    caller = Caller("alpha", "127.0.0.1")
    assert limits.take(caller, "core")[1]
    assert not limits.take(caller, "core")[1]
    assert limits.give_back(caller, "core").remaining == 1
    assert limits.take(caller, "core")[1]
