"""API tokens for command-line clients: scoped, listed, revocable, shown once and stored hashed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from datetime import timedelta

from skillgate.domain.errors import Conflict, NotFound, Unauthenticated
from skillgate.domain.ids import is_id, new_id
from skillgate.domain.principal import Principal, Role, Scheme, Scope
from skillgate.observability import logger
from skillgate.ports import ApiToken, Backend
from skillgate.services.accounts.sessions import hash_of

PREFIX = "vsk_"
MAX_TOKENS = 20
_TOKEN = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)


def issue(backend: Backend, account_id: str, *, name: str, scopes: Sequence[Scope], days: int) -> tuple[ApiToken, str]:
    """The token's record, and the token itself, which nobody can be shown again. Raises Conflict for one too many."""
    now = backend.now()
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(new_id(), name, tuple(sorted(set(scopes))), now, now + timedelta(days=days))
    if not backend.accounts.add_token(account_id, token, hash_of(secret), at_most=MAX_TOKENS):
        raise Conflict(f"An account has at most {MAX_TOKENS} tokens; revoke one first.", code="too_many_tokens")
    logger.info("api_token_issued", account_id=account_id, api_token_id=token.id)
    return token, secret


def issue_for_github_token(
    backend: Backend, github_token: str, *, name: str, scopes: Sequence[Scope], days: int
) -> tuple[ApiToken, str]:
    """For a client that signed in to GitHub through our app by itself. Raises Unauthenticated."""
    account = backend.accounts.sign_in(backend.identity.user_by_token(github_token), backend.now())
    return issue(backend, account.id, name=name, scopes=scopes, days=days)


def of_account(backend: Backend, account_id: str) -> Sequence[ApiToken]:
    return backend.accounts.tokens(account_id, backend.now())


def revoke(backend: Backend, account_id: str, token_id: str) -> None:
    if not is_id(token_id) or not backend.accounts.revoke_token(account_id, token_id, backend.now()):
        raise NotFound("You have no such token.", code="token_not_found")


def principal_of(backend: Backend, secret: str) -> Principal:
    """Raises Unauthenticated. Whatever its owner's role, a token acts as a USER."""
    found = backend.accounts.use_token(hash_of(secret), backend.now()) if _TOKEN.fullmatch(secret) else None
    if found is None:
        raise Unauthenticated("This API token is unknown, expired or revoked.", code="invalid_token")
    account, token = found
    return Principal.account(Scheme.API_TOKEN, account.id, account.login, Role.USER, frozenset(token.scopes))
