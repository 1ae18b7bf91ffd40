"""Who is calling, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

INTERNAL = "internal"

# What an OpenAPI operation says of who may call it: alternatives, each a scheme with the roles or scopes it needs. An
# empty alternative lets everybody in.
Requirement = Sequence[Mapping[str, Sequence[str]]]


class Role(StrEnum):
    USER = "USER"
    REVIEWER = "REVIEWER"
    SUPER_ADMIN = "SUPER_ADMIN"

    def covers(self, other: Role) -> bool:
        """Whether who has this role may do what the other one may."""
        order = tuple(Role)
        return order.index(self) >= order.index(other)


class Scheme(StrEnum):
    """How somebody proved who they are. The values name the security schemes of the API's description."""

    INTERNAL_KEY = "internalKey"
    SESSION = "session"  # an access token in a cookie
    BEARER = "bearer"  # the same token in the Authorization header
    API_TOKEN = "apiToken"  # noqa: S105 - a name


class Scope(StrEnum):
    """What an API token may be used for. It never carries more than its owner's own role USER."""

    SUBMIT = "submit"
    READ = "me:read"
    WRITE = "me:write"


@dataclass(frozen=True)
class Principal:
    """`name` is what the audit log shows."""

    scheme: Scheme
    name: str
    account_id: str | None = None
    login: str | None = None
    role: Role = Role.USER
    scopes: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def internal(cls) -> Principal:
        return cls(Scheme.INTERNAL_KEY, INTERNAL, role=Role.SUPER_ADMIN)

    @classmethod
    def account(
        cls, scheme: Scheme, account_id: str, login: str, role: Role, scopes: frozenset[str] = frozenset()
    ) -> Principal:
        return cls(scheme, f"github:{login}", account_id, login, role, scopes)

    def meets(self, requirement: Requirement) -> bool:
        return any(self.scheme in alternative and self._has(alternative[self.scheme]) for alternative in requirement)

    def _has(self, needed: Sequence[str]) -> bool:
        if self.scheme is Scheme.INTERNAL_KEY:
            return True
        if self.scheme is Scheme.API_TOKEN:
            return self.scopes.issuperset(needed)
        return all(self.role.covers(Role(name)) for name in needed)


def operators(role: Role = Role.SUPER_ADMIN) -> list[dict[str, list[str]]]:
    """For whoever runs the product: an internal key, or somebody signed in with this role."""
    return [{Scheme.INTERNAL_KEY: []}, {Scheme.BEARER: [role]}, {Scheme.SESSION: [role]}]


def signed_in(scope: Scope | None = None) -> list[dict[str, list[str]]]:
    """For anybody with an account; by API token only where a scope is named."""
    people: list[dict[str, list[str]]] = [{Scheme.BEARER: [Role.USER]}, {Scheme.SESSION: [Role.USER]}]
    return [*people, {Scheme.API_TOKEN: [scope]}] if scope else people


def everybody(scope: Scope) -> list[dict[str, list[str]]]:
    """For anybody at all; an API token, where one is sent, must have the scope."""
    return [{}, {Scheme.INTERNAL_KEY: []}, *signed_in(scope)]
