"""The one authorisation helper: who calls, and whether they may.

A route says in its OpenAPI `security` who may call it (`domain.principal.operators`, `signed_in`, `everybody`); the
router asks `authorise` with just that, so what is documented is what is enforced.
"""

from __future__ import annotations

import hmac

from skillgate import context
from skillgate.api.event import ApiEvent
from skillgate.domain.errors import Forbidden, Unauthenticated
from skillgate.domain.principal import Principal, Requirement, Scheme
from skillgate.ports import Backend
from skillgate.services.accounts import api_tokens, sessions
from skillgate.services.operate import Operator

HEADER = "x-internal-key"
ACCESS_COOKIE = "__Host-skillgate-session"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def identify(backend: Backend, event: ApiEvent) -> Principal | None:
    """Who calls; None for nobody in particular. Raises Unauthenticated for a proof that does not hold.

    A stale cookie is no such proof: a browser sends it by itself, also to what is open to everybody.
    """
    if (key := event.headers.get(HEADER)) is not None:
        return _by_internal_key(backend, key)
    if (header := event.headers.get("authorization")) is not None:
        kind, _, token = header.partition(" ")
        if kind.lower() != "bearer":
            raise Unauthenticated("Authorization is `Bearer` and a token here.", code="invalid_token")
        if token.startswith(api_tokens.PREFIX):
            return api_tokens.principal_of(backend, token.strip())
        return sessions.principal_of(backend, token.strip(), Scheme.BEARER)
    if (cookie := event.cookie_jar.get(ACCESS_COOKIE)) is not None:
        try:
            return sessions.principal_of(backend, cookie, Scheme.SESSION)
        except Unauthenticated:
            return None
    return None


def authorise(principal: Principal | None, requirement: Requirement | None) -> None:
    """Raises Unauthenticated for nobody, Forbidden for somebody with too little. None requires nothing."""
    if requirement is None:
        return
    if principal is None:
        if {} not in requirement:
            raise Unauthenticated("This route needs a credential.")
    elif not principal.meets(requirement):
        raise Forbidden("Your credential is good, but not for this.")


def require_same_site(event: ApiEvent, public_url: str) -> None:
    """Refuses a write that another site's page made with our visitor's cookies. Raises Forbidden.

    Browsers say where a request comes from, and a page cannot change what they say; one that says nothing is refused.
    """
    if event.method in SAFE_METHODS:
        return
    site = event.headers.get("sec-fetch-site")
    allowed = site == "same-origin" if site is not None else event.headers.get("origin") == event.origin(public_url)
    if not allowed:
        raise Forbidden("A write with a cookie must come from our own pages.", code="cross_site_request")


def current_principal() -> Principal:
    """Who calls the route that is being answered. Raises Unauthenticated if nobody said."""
    principal = context.current().principal
    if principal is None:
        raise Unauthenticated("This route needs a credential.")
    return principal


def operator_because(reason: str) -> Operator:
    """Who really acts, for the audit log."""
    return Operator(current_principal().name, reason)


def _by_internal_key(backend: Backend, given: str) -> Principal:
    keys = [key.get_secret_value().encode() for key in backend.settings.internal_keys]
    # Every key is compared, in constant time: how long it takes says nothing about which one was close.
    if not any([hmac.compare_digest(given.encode(), key) for key in keys]):  # noqa: C419
        raise Unauthenticated("This X-Internal-Key is not valid.")
    return Principal.internal()
