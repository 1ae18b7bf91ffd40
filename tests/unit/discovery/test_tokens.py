"""The pool: which token is lent, and when."""

from __future__ import annotations

import threading
import time

import pytest
from skillgate import context
from skillgate.adapters.github.tokens import Token, TokenPool
from skillgate.concurrency import settle
from skillgate.domain.errors import NoTokenLeft
from skillgate.settings import Settings

from tests.support.discovery import TestClock

CORE, SEARCH = "core", "search"


@pytest.fixture
def clock() -> TestClock:
    return TestClock(1_000.0)


def pool_of(clock: TestClock, *tokens: str, at_once: int = 8, longest_wait: float = 90) -> TokenPool:
    return TokenPool(tokens, clock=clock, sleep=clock.sleep, at_once=at_once, longest_wait=longest_wait)


def use(pool: TokenPool, resource: str = CORE, *, remaining: int | None = None, reset: int = 2_000) -> Token:
    with pool.lend(resource) as token:
        if remaining is not None:
            headers = {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": str(reset)}
            pool.learn(token, resource, headers)
    return token


def test_the_token_with_most_left_is_lent(clock: TestClock) -> None:
    pool = pool_of(clock, "a", "b", "c")
    first = {use(pool, remaining=left).text for left in (10, 500, 70)}
    assert first == {"a", "b", "c"}, "of what is not known, one request finds out"
    assert [use(pool).text for _ in range(3)] == ["b", "b", "b"]


def test_of_equals_the_one_that_resets_first_is_lent(clock: TestClock) -> None:
    pool = pool_of(clock, "a", "b")
    late = use(pool, remaining=50, reset=3_000)
    soon = use(pool, remaining=50, reset=1_500)
    assert use(pool) is soon and soon is not late


def test_a_used_up_budget_is_waited_for_and_belongs_to_its_resource(clock: TestClock) -> None:
    pool = pool_of(clock, "a")
    use(pool, SEARCH, remaining=0, reset=1_060)
    use(pool, CORE)
    assert clock.slept == []
    use(pool, SEARCH)
    assert clock() >= 1_060


def test_a_rest_of_the_whole_token_is_one_of_every_resource(clock: TestClock) -> None:
    pool = pool_of(clock, "a", "b")
    with pool.lend(CORE) as resting:
        pool.rest(resting, CORE, 30, whole_token=True)
    assert all(use(pool, SEARCH, remaining=9) is not resting for _ in range(5))
    clock.sleep(31)
    assert use(pool, SEARCH) is resting, "nothing is known of its searches yet"


def test_requests_under_way_are_counted_before_their_answers_are_here(clock: TestClock) -> None:
    pool = pool_of(clock, "a", longest_wait=0)
    use(pool, remaining=2)
    with pool.lend(CORE), pool.lend(CORE), pytest.raises(NoTokenLeft), pool.lend(CORE):
        pass


def test_a_share_of_every_budget_is_left_to_others(clock: TestClock) -> None:
    pool = TokenPool(["a"], clock=clock, sleep=clock.sleep, longest_wait=0, share=0.8)
    with pool.lend(CORE) as token:
        headers = {"x-ratelimit-limit": "50", "x-ratelimit-remaining": "13", "x-ratelimit-reset": "2000"}
        pool.learn(token, CORE, headers)
    for _ in range(3):
        use(pool)
    with pytest.raises(NoTokenLeft):
        use(pool)
    assert pool.states()[0].remaining == 10, "the log shows what is there"


def test_answers_that_arrive_late_do_not_give_back_what_was_spent(clock: TestClock) -> None:
    pool = pool_of(clock, "a", longest_wait=0)
    token = use(pool, remaining=5)
    use(pool, remaining=0)
    pool.learn(token, CORE, {"x-ratelimit-remaining": "4", "x-ratelimit-reset": "2000"})
    with pytest.raises(NoTokenLeft):
        use(pool)


def test_no_more_than_so_many_requests_of_one_token_are_under_way(clock: TestClock) -> None:
    pool = pool_of(clock, "a", at_once=3)
    use(pool, remaining=1_000)
    under_way, most, lock = 0, 0, threading.Lock()
    full = threading.Barrier(3)

    def request(number: int) -> None:
        nonlocal under_way, most
        with pool.lend(CORE):
            with lock:
                under_way += 1
                most = max(most, under_way)
            full.wait(timeout=20)  # nobody goes on before three are here, and never are there four
            with lock:
                under_way -= 1

    assert all(outcome.ok for outcome in settle(request, range(9), workers=9))
    assert most == 3


def test_a_retired_token_is_never_lent_again_and_without_any_it_ends(clock: TestClock) -> None:
    pool = pool_of(clock, "a", "b")
    first = use(pool)
    pool.retire(first)
    assert all(use(pool, remaining=5) is not first for _ in range(4))
    pool.retire(use(pool))
    with pytest.raises(NoTokenLeft):
        use(pool)
    assert [state.retired for state in pool.states()] == [True, True]


def test_a_wait_that_is_too_long_is_not_begun(clock: TestClock) -> None:
    pool = pool_of(clock, "a", longest_wait=90)
    use(pool, remaining=0, reset=1_100)
    with pytest.raises(NoTokenLeft) as left:
        use(pool)
    assert clock.slept == [] and left.value.retry_after == 101


def test_a_wait_beyond_the_end_of_the_invocation_is_not_begun(clock: TestClock) -> None:
    pool = pool_of(clock, "a")
    use(pool, remaining=0, reset=1_060)
    environment = context.Environment(
        settings=Settings.model_construct(), request_id="r", deadline=time.monotonic() + 30
    )
    with pytest.raises(NoTokenLeft):
        context.run_with_context(environment, lambda: use(pool))


def test_a_github_that_counts_nothing_is_not_asked_one_by_one(clock: TestClock) -> None:
    pool = pool_of(clock, "a")
    with pool.lend(CORE) as token:
        pool.learn(token, CORE, {})
    with pool.lend(CORE), pool.lend(CORE):
        pass


def test_without_tokens_requests_go_without_and_the_same_token_twice_is_one(clock: TestClock) -> None:
    assert use(pool_of(clock)).text is None
    assert len(pool_of(clock, "a", "a").states()) == 1
