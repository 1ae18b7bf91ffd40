"""Who somebody is, what is theirs, what they dispute and how often they ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from skillgate.ports.submissions import ScanRecord


@dataclass(frozen=True)
class GitHubUser:
    """Whom GitHub says somebody is. The number stays when the login changes."""

    id: int
    login: str


class IdentityProvider(Protocol):
    """Sign-in with GitHub. Raises Unauthenticated for what GitHub refuses, SourceUnavailable if it does not answer."""

    def authorise_url(self, *, state: str, challenge: str, redirect_uri: str) -> str: ...
    def user_by_code(self, code: str, *, verifier: str, redirect_uri: str) -> GitHubUser: ...
    def user_by_token(self, token: str) -> GitHubUser: ...


@dataclass(frozen=True)
class Account:
    id: str
    github_id: int
    login: str
    created_at: datetime


@dataclass(frozen=True)
class ApiToken:
    """A token for command-line clients, without its secret, which only its owner has."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True)
class OwnSkill:
    """What an author sees of a skill of theirs, whatever has become of it."""

    id: str
    name: str
    repo_url: str
    skill_path: str
    current_version: str
    content_hash: str
    cert_score: int
    status: str
    status_reason: str | None
    updated_at: datetime


class AccountStore(Protocol):
    """Accounts, sessions and API tokens; secrets only as hashes. Raises StoreUnavailable."""

    def sign_in(self, user: GitHubUser, at: datetime) -> Account: ...
    def start_session(
        self, account_id: str, *, family: str, token_hash: str, at: datetime, expires_at: datetime
    ) -> None: ...
    def rotate_session(self, old_hash: str, new_hash: str, at: datetime) -> Account | None: ...
    def end_reused_family(self, token_hash: str, at: datetime) -> int: ...
    def end_session(self, token_hash: str, at: datetime) -> int: ...
    def end_all_sessions(self, account_id: str, at: datetime) -> int: ...
    def add_token(self, account_id: str, token: ApiToken, token_hash: str, *, at_most: int) -> bool: ...
    def tokens(self, account_id: str, at: datetime) -> Sequence[ApiToken]: ...
    def revoke_token(self, account_id: str, token_id: str, at: datetime) -> bool: ...
    def use_token(self, token_hash: str, at: datetime) -> tuple[Account, ApiToken] | None: ...
    def submissions_of(
        self, account_id: str, login: str, *, after: tuple[datetime, str] | None, limit: int
    ) -> Sequence[tuple[datetime, str]]: ...
    def skills_of(self, login: str, *, after: str, limit: int) -> Sequence[OwnSkill]: ...
    def withdraw_skill(self, skill_id: str, *, reason: str, at: datetime) -> bool: ...


@dataclass(frozen=True)
class Dispute:
    """An author's word against a rule, for one content of a skill. `status` is open, overturned or upheld."""

    id: str
    repo_key: str
    skill_path: str
    rule_id: str
    content_hash: str
    finding_ids: tuple[str, ...]
    note: str
    account_id: str
    login: str
    created_at: datetime
    status: str = "open"
    reason: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True)
class Overturned:
    """A rule that was overturned for a skill, and the findings (by id) that were looked at."""

    rule_id: str
    finding_ids: frozenset[str]


@dataclass(frozen=True)
class OverturnRate:
    rule_id: str
    disputes: int
    overturned: int
    upheld: int


class DisputeStore(Protocol):
    """Disputes and their decisions. Raises StoreUnavailable."""

    def scanned(self, content_hash: str, *, account_id: str, login: str) -> ScanRecord | None: ...
    def open(self, dispute: Dispute) -> Dispute: ...
    def get(self, dispute_id: str) -> Dispute | None: ...
    def decide(self, dispute_id: str, *, status: str, reason: str, by: str, at: datetime) -> Dispute | None: ...
    def page(
        self, *, statuses: Sequence[str], account_id: str | None, after: tuple[datetime, str] | None, limit: int
    ) -> Sequence[Dispute]: ...
    def overturned(self, repo_key: str, skill_path: str) -> Sequence[Overturned]: ...
    def rates(self) -> Sequence[OverturnRate]: ...


class Counters(Protocol):
    """Counts that end by themselves. Raises StoreUnavailable."""

    def add(self, key: str, *, expires_at: datetime) -> int: ...
