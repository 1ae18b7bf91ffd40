"""Who may call what, as the routes declare it."""

from __future__ import annotations

import pytest
from skillgate.api.auth import authorise
from skillgate.domain.errors import Forbidden, Unauthenticated
from skillgate.domain.principal import Principal, Requirement, Role, Scheme, Scope, everybody, operators, signed_in


def somebody(role: Role = Role.USER, scheme: Scheme = Scheme.BEARER) -> Principal:
    return Principal.account(scheme, "id", "ada", role)


def token(*scopes: Scope) -> Principal:
    return Principal.account(Scheme.API_TOKEN, "id", "ada", Role.USER, frozenset(scopes))


def verdict(principal: Principal | None, requirement: Requirement | None) -> int:
    try:
        authorise(principal, requirement)
    except Unauthenticated:
        return 401
    except Forbidden:
        return 403
    return 200


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        (None, 401),
        (somebody(Role.USER), 403),
        (somebody(Role.REVIEWER), 403),
        (somebody(Role.SUPER_ADMIN), 200),
        (somebody(Role.SUPER_ADMIN, Scheme.SESSION), 200),
        (token(*Scope), 403),
        (Principal.internal(), 200),
    ],
)
def test_operators_are_internal_or_super_admin(principal: Principal | None, expected: int) -> None:
    assert verdict(principal, operators()) == expected


def test_a_higher_role_may_what_a_lower_one_may() -> None:
    assert [verdict(somebody(role), operators(Role.REVIEWER)) for role in Role] == [403, 200, 200]


def test_an_api_token_may_what_its_scopes_say_and_no_more() -> None:
    assert verdict(token(Scope.READ), signed_in(Scope.READ)) == 200
    assert verdict(token(Scope.READ), signed_in(Scope.WRITE)) == 403
    assert verdict(token(*Scope), signed_in()) == 403, "tokens are not managed with tokens"


def test_an_internal_key_is_no_account() -> None:
    assert verdict(Principal.internal(), signed_in(Scope.READ)) == 403


def test_what_is_open_to_everybody_still_looks_at_a_token_s_scope() -> None:
    assert verdict(None, everybody(Scope.SUBMIT)) == 200
    assert verdict(token(Scope.SUBMIT), everybody(Scope.SUBMIT)) == 200
    assert verdict(token(Scope.READ), everybody(Scope.SUBMIT)) == 403


def test_no_requirement_requires_nothing() -> None:
    assert verdict(None, None) == 200
