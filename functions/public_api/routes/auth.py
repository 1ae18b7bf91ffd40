"""Signing in with GitHub, staying signed in, signing out, and tokens for command-line clients."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.shared.cookies import Cookie, SameSite
from skillgate.api.account_models import (
    ApiTokenIn,
    ApiTokenList,
    ApiTokenOut,
    MeOut,
    NewApiTokenOut,
    SessionOut,
    SignedOutOut,
)
from skillgate.api.auth import ACCESS_COOKIE, current_principal, require_same_site
from skillgate.api.event import ApiEvent
from skillgate.api.models import DoneOut
from skillgate.api.responses import answers, text
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput, Unauthenticated
from skillgate.domain.principal import Scheme, Scope, signed_in
from skillgate.ports import Backend
from skillgate.services.accounts import api_tokens, sessions, sign_in
from skillgate.services.owners import Owner

# `__Host-` and `__Secure-` are promises that the browser holds us to: no other host can plant these cookies. The
# refresh token goes to no other path than the one that takes it.
REFRESH_COOKIE = "__Secure-skillgate-refresh"
TICKET_COOKIE = "__Host-skillgate-sign-in"
_AUTH_PATH = "/api/v1/auth"
_TAGS = ["accounts"]


def register(api: Api, backend: Backend) -> None:
    @api.get(
        f"{_AUTH_PATH}/github",
        tags=_TAGS,
        summary="Set out to sign in with GitHub",
        responses=text(302, "To GitHub, with a cookie that ties the way back to this browser."),
    )
    def depart(return_to: Annotated[str, Query(alias="returnTo", max_length=500)] = "/") -> Response[str]:
        redirect_uri = f"{_event(api).origin(backend.settings.public_url)}{_AUTH_PATH}/github/callback"
        departure = sign_in.depart(backend, redirect_uri=redirect_uri, return_to=return_to)
        ticket = _cookie(TICKET_COOKIE, departure.ticket, sign_in.TICKET_SECONDS)
        return Response(302, "text/plain", "", headers={"Location": departure.url}, cookies=[ticket])

    @api.get(
        f"{_AUTH_PATH}/github/callback",
        tags=_TAGS,
        summary="Back from GitHub",
        responses=text(303, "Signed in; to where the browser wanted to go."),
    )
    def arrive(
        code: Annotated[str | None, Query(max_length=500)] = None,
        state: Annotated[str | None, Query(max_length=500)] = None,
        error: Annotated[str | None, Query(max_length=500)] = None,
        error_description: Annotated[str | None, Query(max_length=2000)] = None,
        error_uri: Annotated[str | None, Query(max_length=2000)] = None,
    ) -> Response[str]:
        ticket = _event(api).cookie_jar.get(TICKET_COOKIE)
        if error is not None:
            raise Unauthenticated("GitHub did not let you in, or you changed your mind.", code="sign_in_refused")
        if code is None or state is None:
            raise InvalidInput("A sign-in comes back with a code and a state.", code="validation_failed")
        if ticket is None:
            raise Unauthenticated("This sign-in was not started in this browser; start over.", code="state_mismatch")
        arrival = sign_in.arrive(backend, ticket=ticket, state=state, code=code)
        cookies = [*_session_cookies(backend, arrival.session), _cookie(TICKET_COOKIE, "", 0)]
        return Response(303, "text/plain", "", headers={"Location": arrival.return_to}, cookies=cookies)

    @api.get(
        f"{_AUTH_PATH}/me", tags=_TAGS, summary="Who I am", security=[{Scheme.INTERNAL_KEY: []}, *signed_in(Scope.READ)]
    )
    def me() -> MeOut:
        return MeOut.of(current_principal())

    @api.post(f"{_AUTH_PATH}/refresh", tags=_TAGS, summary="A new access token for the refresh token in the cookie")
    def refresh() -> Response[SessionOut]:
        session = sessions.refresh(backend, _refresh_token(api, backend))
        seconds = backend.settings.access_token_seconds
        answer = SessionOut(login=session.account.login, role=session.role, expires_in=seconds)
        return Response(200, "application/json", answer, cookies=_session_cookies(backend, session))

    @api.post(f"{_AUTH_PATH}/logout", tags=_TAGS, summary="End this session")
    def logout() -> Response[DoneOut]:
        sessions.end(backend, _refresh_token(api, backend))
        return Response(200, "application/json", DoneOut(), cookies=_no_cookies())

    @api.post(f"{_AUTH_PATH}/sign-out-all", tags=_TAGS, summary="End all my sessions", security=signed_in())
    def sign_out_all() -> Response[SignedOutOut]:
        ended = sessions.end_all(backend, Owner.of(current_principal()).account_id)
        return Response(200, "application/json", SignedOutOut(sessions_ended=ended), cookies=_no_cookies())

    @api.post(
        f"{_AUTH_PATH}/github/exchange-for-vsk-token",
        tags=_TAGS,
        summary="A scoped API token for command-line clients",
        description="For who is signed in, or who has a token that GitHub gave to this product's own app.",
        security=[{}, *signed_in()],
        responses=answers(NewApiTokenOut, _201="The token, shown this once."),
    )
    def exchange(body: ApiTokenIn) -> Response[NewApiTokenOut]:
        wanted = {"name": body.name, "scopes": body.scopes, "days": body.expires_in_days}
        if body.github_token is not None:
            token, secret = api_tokens.issue_for_github_token(backend, body.github_token, **wanted)  # type: ignore[arg-type]
        else:
            token, secret = api_tokens.issue(backend, Owner.of(current_principal()).account_id, **wanted)  # type: ignore[arg-type]
        answer = NewApiTokenOut.model_validate(ApiTokenOut.of(token).model_dump() | {"token": secret})
        return Response(201, "application/json", answer)

    @api.get(f"{_AUTH_PATH}/tokens", tags=_TAGS, summary="My API tokens", security=signed_in())
    def list_tokens() -> ApiTokenList:
        tokens = api_tokens.of_account(backend, Owner.of(current_principal()).account_id)
        return ApiTokenList(tokens=[ApiTokenOut.of(token) for token in tokens])

    @api.delete(f"{_AUTH_PATH}/tokens/<token_id>", tags=_TAGS, summary="Revoke an API token", security=signed_in())
    def revoke(token_id: str) -> DoneOut:
        api_tokens.revoke(backend, Owner.of(current_principal()).account_id, token_id)
        return DoneOut()


def _event(api: Api) -> ApiEvent:
    event = api.current_event
    assert isinstance(event, ApiEvent)  # the router makes no other
    return event


def _refresh_token(api: Api, backend: Backend) -> str:
    """From the cookie, which a browser also sends for a page of another site: so the request must be our own."""
    token = _event(api).cookie_jar.get(REFRESH_COOKIE)
    if not token:
        raise Unauthenticated("There is no session here; sign in.", code="session_ended")
    require_same_site(_event(api), backend.settings.public_url)
    return token


def _session_cookies(backend: Backend, session: sessions.Session) -> list[Cookie]:
    settings = backend.settings
    return [
        _cookie(ACCESS_COOKIE, session.access_token, settings.access_token_seconds),
        _cookie(REFRESH_COOKIE, session.refresh_token, settings.session_days * 86_400, path=_AUTH_PATH, strict=True),
    ]


def _no_cookies() -> list[Cookie]:
    return [_cookie(ACCESS_COOKIE, "", 0), _cookie(REFRESH_COOKIE, "", 0, path=_AUTH_PATH, strict=True)]


def _cookie(name: str, value: str, seconds: int, *, path: str = "/", strict: bool = False) -> Cookie:
    same_site = SameSite.STRICT_MODE if strict else SameSite.LAX_MODE
    return Cookie(name, value, path=path, http_only=True, secure=True, max_age=seconds, same_site=same_site)
