"""Sessions: a short access token, and a refresh token that is used once and stored hashed."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from skillgate.domain.errors import Unauthenticated
from skillgate.domain.ids import new_id
from skillgate.domain.principal import Principal, Role, Scheme
from skillgate.observability import logger
from skillgate.ports import Account, Backend, GitHubUser
from skillgate.services.accounts import jwt
from skillgate.settings import Settings

AUDIENCE = "skillgate-api"


@dataclass(frozen=True)
class Session:
    """What a client gets. The refresh token exists nowhere else in clear."""

    account: Account
    role: Role
    access_token: str
    refresh_token: str


def start(backend: Backend, user: GitHubUser) -> Session:
    now = backend.now()
    account = backend.accounts.sign_in(user, now)
    refresh_token = _new_token()
    backend.accounts.start_session(
        account.id,
        family=new_id(),
        token_hash=hash_of(refresh_token),
        at=now,
        expires_at=now + timedelta(days=backend.settings.session_days),
    )
    logger.info("signed_in", account_id=account.id)
    return _session(backend, account, refresh_token)


def refresh(backend: Backend, refresh_token: str) -> Session:
    """A new pair for an old refresh token. Raises Unauthenticated; one that comes a second time ends its family.

    Whoever uses it second is either a thief or was robbed, and nobody can tell which: both have to sign in anew.
    """
    now, new_token, old_hash = backend.now(), _new_token(), hash_of(refresh_token)
    account = backend.accounts.rotate_session(old_hash, hash_of(new_token), now)
    if account is None:
        ended = backend.accounts.end_reused_family(old_hash, now)
        if ended:
            logger.warning("refresh_token_reused", sessions_ended=ended)
        raise Unauthenticated("This session has ended; sign in again.", code="session_ended")
    return _session(backend, account, new_token)


def end(backend: Backend, refresh_token: str) -> None:
    """Ends the session with everything that came of the same sign-in. Unknown tokens are no error."""
    backend.accounts.end_session(hash_of(refresh_token), backend.now())


def end_all(backend: Backend, account_id: str) -> int:
    """Ends every session of the account; access tokens that are out run out by themselves, within minutes."""
    return backend.accounts.end_all_sessions(account_id, backend.now())


def principal_of(backend: Backend, access_token: str, scheme: Scheme) -> Principal:
    """Raises Unauthenticated."""
    claims = jwt.verify(access_token, signing_keys(backend.settings), audience=AUDIENCE, now=backend.now())
    try:
        return Principal.account(scheme, str(claims["sub"]), str(claims["login"]), Role(claims["role"]))
    except (KeyError, ValueError):
        raise Unauthenticated("The access token is not valid.", code="invalid_token") from None


def role_of(settings: Settings, login: str) -> Role:
    """The role that the configuration gives to a login; GitHub's names ignore case."""
    for role, logins in ((Role.SUPER_ADMIN, settings.admin_logins), (Role.REVIEWER, settings.reviewer_logins)):
        if login.lower() in {each.lower() for each in logins}:
            return role
    return Role.USER


def signing_keys(settings: Settings) -> list[str]:
    return [key.get_secret_value() for key in settings.jwt_secrets]


def hash_of(token: str) -> str:
    """What is stored of a token. It has 256 random bits of its own, so a plain digest cannot be guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


def _new_token() -> str:
    return secrets.token_urlsafe(32)


def _session(backend: Backend, account: Account, refresh_token: str) -> Session:
    role = role_of(backend.settings, account.login)
    access_token = jwt.sign(
        {"sub": account.id, "login": account.login, "role": role},
        signing_keys(backend.settings),
        audience=AUDIENCE,
        now=backend.now(),
        seconds=backend.settings.access_token_seconds,
    )
    return Session(account, role, access_token, refresh_token)
