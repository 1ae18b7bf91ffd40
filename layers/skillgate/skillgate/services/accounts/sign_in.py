"""Signing in with GitHub: out with a state and a PKCE challenge, back with a code, each good for once.

What has to survive the way through GitHub's pages is a signed ticket in a cookie of the browser that set out: a code
and a state that somebody else obtained are worth nothing in another browser.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta

from skillgate.domain.errors import StoreUnavailable, Unauthenticated
from skillgate.ports import Backend
from skillgate.services.accounts import jwt, sessions

TICKET_SECONDS = 600
_AUDIENCE = "skillgate-sign-in"
# A path of our own. Browsers read `//host` and `/\host` as another host, and skip tabs and line breaks.
_OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]*", re.ASCII)


@dataclass(frozen=True)
class Departure:
    url: str
    ticket: str


@dataclass(frozen=True)
class Arrival:
    session: sessions.Session
    return_to: str


def depart(backend: Backend, *, redirect_uri: str, return_to: str) -> Departure:
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    ticket = jwt.sign(
        {"state": state, "verifier": verifier, "redirectUri": redirect_uri, "returnTo": own_path(return_to)},
        sessions.signing_keys(backend.settings),
        audience=_AUDIENCE,
        now=backend.now(),
        seconds=TICKET_SECONDS,
    )
    url = backend.identity.authorise_url(state=state, challenge=challenge, redirect_uri=redirect_uri)
    return Departure(url, ticket)


def arrive(backend: Backend, *, ticket: str, state: str, code: str) -> Arrival:
    """Raises Unauthenticated if this browser did not set out with this state, or has arrived with it before."""
    keys = sessions.signing_keys(backend.settings)
    claims = jwt.verify(ticket, keys, audience=_AUDIENCE, now=backend.now())
    if not hmac.compare_digest(str(claims["state"]).encode(), state.encode()):
        raise Unauthenticated("This sign-in was not started in this browser; start over.", code="state_mismatch")
    if not _first_use(backend, state):
        raise Unauthenticated("This sign-in was finished before; start over.", code="state_reused")
    user = backend.identity.user_by_code(code, verifier=claims["verifier"], redirect_uri=claims["redirectUri"])
    return Arrival(sessions.start(backend, user), claims["returnTo"])


def own_path(text: str) -> str:
    """Where to go after signing in: a path of ours, or the front page instead of anything else."""
    return text if _OWN_PATH.fullmatch(text) else "/"


def _first_use(backend: Backend, state: str) -> bool:
    name = hashlib.sha256(f"sign-in\0{state}".encode()).hexdigest()
    until, this_use = backend.now() + timedelta(seconds=TICKET_SECONDS), secrets.token_hex(16)
    try:
        return backend.idempotency.begin(name, this_use, until) is None
    except StoreUnavailable:
        return backend.idempotency_fallback.begin(name, this_use, until) is None
