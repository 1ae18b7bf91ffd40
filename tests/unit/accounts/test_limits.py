"""Counting calls: who counts as whom, what kind a call is, and what happens when nobody can count."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from skillgate.domain.errors import RateLimited
from skillgate.domain.principal import Principal, Role, Scheme
from skillgate.ports import Backend
from skillgate.services.limits import Kind, Limiter, address_key, kind_of

from tests.support.fakes.counters import FakeCounters

NOW = datetime(2026, 1, 1, 12, 15, 30, tzinfo=UTC)
ADA = Principal.account(Scheme.BEARER, "account-1", "ada", Role.USER)
LIMITS = {
    "limit_reads": 5, "limit_submissions": 2, "limit_submissions_signed_in": 3, "limit_bulk": 1, "limit_installs": 9,
    "limit_sign_in": 4, "limit_writes": 6,
}  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def limiter(counters: FakeCounters, clock: Clock | None = None, now: datetime = NOW) -> Limiter:
    backend: Any = SimpleNamespace(settings=SimpleNamespace(**LIMITS), counters=counters, now=lambda: now)
    return Limiter(cast(Backend, backend), clock or Clock())


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/api/v1/skills", Kind.READS),
        ("GET", "/", Kind.READS),
        ("POST", "/api/v1/submissions", Kind.SUBMISSIONS),
        ("POST", "/api/v1/submissions/bulk", Kind.BULK),
        ("POST", "/api/v1/me/submissions/1/rescan", Kind.SUBMISSIONS),
        ("POST", "/api/v1/me/skills/a/b/c/rescan", Kind.SUBMISSIONS),
        ("POST", "/api/v1/skills/a/b/c/install", Kind.INSTALLS),
        ("GET", "/api/v1/skills/a/b/c/install", Kind.INSTALLS),
        ("GET", "/api/v1/auth/github", Kind.SIGN_IN),
        ("GET", "/api/v1/auth/github/callback", Kind.SIGN_IN),
        ("POST", "/api/v1/auth/github/exchange-for-vsk-token", Kind.SIGN_IN),
        ("POST", "/api/v1/auth/refresh", Kind.WRITES),
        ("POST", "/api/v1/me/disputes", Kind.WRITES),
        ("DELETE", "/api/v1/auth/tokens/1", Kind.WRITES),
        ("POST", "/api/v1/webhooks/scan-results", None),
    ],
)
def test_every_call_has_a_kind(method: str, path: str, kind: Kind | None) -> None:
    assert kind_of(method, path) is kind


def test_the_call_after_the_last_one_is_refused_with_the_time_to_wait() -> None:
    counting = limiter(FakeCounters())
    left = [counting.charge(Kind.SUBMISSIONS, None, "192.0.2.1") for _ in range(2)]
    assert [allowance.remaining for allowance in left if allowance] == [1, 0]
    with pytest.raises(RateLimited) as error:
        counting.charge(Kind.SUBMISSIONS, None, "192.0.2.1")
    assert (error.value.retry_after, error.value.limit) == (44 * 60 + 30, 2)


def test_reads_are_counted_by_the_minute() -> None:
    allowance = limiter(FakeCounters()).charge(Kind.READS, None, "192.0.2.1")
    assert allowance is not None and allowance.reset_seconds == 30
    assert allowance.headers() == {"ratelimit-limit": "5", "ratelimit-remaining": "4", "ratelimit-reset": "30"}


def test_an_account_has_a_budget_of_its_own_wherever_it_comes_from() -> None:
    counting = limiter(FakeCounters())
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
        counting.charge(Kind.SUBMISSIONS, ADA, address)
    with pytest.raises(RateLimited):
        counting.charge(Kind.SUBMISSIONS, ADA, "192.0.2.4")
    counting.charge(Kind.SUBMISSIONS, None, "192.0.2.1")


def test_kinds_and_windows_are_counted_apart() -> None:
    counters = FakeCounters()
    limiter(counters).charge(Kind.BULK, None, "192.0.2.1")
    limiter(counters).charge(Kind.SUBMISSIONS, None, "192.0.2.1")
    limiter(counters, now=NOW.replace(hour=13)).charge(Kind.BULK, None, "192.0.2.1")
    assert sorted(counters.counts.values()) == [1, 1, 1]


def test_internal_calls_are_not_counted() -> None:
    counters = FakeCounters()
    for _ in range(50):
        assert limiter(counters).charge(Kind.BULK, Principal.internal(), "192.0.2.1") is None
    assert counters.asked == 0


def test_with_the_store_away_calls_go_on_and_it_is_left_alone_for_a_while() -> None:
    counters, clock = FakeCounters(), Clock()
    counting = limiter(counters, clock)
    with counters.away():
        for _ in range(20):
            assert counting.charge(Kind.READS, None, "192.0.2.1") is None
    assert counters.asked == 1
    clock.at += 60
    assert counting.charge(Kind.READS, None, "192.0.2.1") is not None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:DB8:1:2::1", "2001:db8:1:2:0:0:0:9", True),
        ("fe80::1%eth0", "fe80::1%eth1", True),
    ],
)
def test_one_customer_of_ipv6_is_one_address(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) is same


def test_an_address_that_is_none_counts_with_its_like() -> None:
    assert address_key("") == address_key("nonsense#other") == "unknown"
