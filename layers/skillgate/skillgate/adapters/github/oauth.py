"""Sign-in with GitHub: the authorisation code flow with PKCE, and the check of tokens that our own app was given.

Talks to the two configured addresses only and follows no redirect. GitHub's token is used for one question, who this
is, and then forgotten.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import httpx

from skillgate.domain.errors import SourceUnavailable, Unauthenticated, Unavailable
from skillgate.ports import GitHubUser
from skillgate.settings import Settings

_MAX_ANSWER_BYTES = 100_000
_TIMEOUT = httpx.Timeout(8, connect=3)


class GitHubSignIn:
    def __init__(self, client: httpx.Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    def authorise_url(self, *, state: str, challenge: str, redirect_uri: str) -> str:
        client_id, _ = self._app()
        query = {
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "scope": "",
        }
        return f"{self._settings.github_oauth_url}/login/oauth/authorize?{urlencode(query)}"

    def user_by_code(self, code: str, *, verifier: str, redirect_uri: str) -> GitHubUser:
        """Raises Unauthenticated if GitHub does not know the code, or has seen it before."""
        client_id, secret = self._app()
        form = {
            "client_id": client_id,
            "client_secret": secret,
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
        }
        answer = self._json("POST", f"{self._settings.github_oauth_url}/login/oauth/access_token", data=form)
        token = answer.get("access_token")
        if not isinstance(token, str):
            raise Unauthenticated("GitHub did not accept this sign-in; start over.", code="code_refused")
        headers = {"Authorization": f"Bearer {token}"}
        return _user(self._json("GET", f"{self._settings.github_api_url}/user", headers=headers))

    def user_by_token(self, token: str) -> GitHubUser:
        """Whose token this is. It must have been given to our own app: one that somebody gave to another app proves
        only that the other app has it."""
        client_id, secret = self._app()
        url = f"{self._settings.github_api_url}/applications/{quote(client_id, safe='')}/token"
        answer = self._json("POST", url, json={"access_token": token}, auth=(client_id, secret))
        return _user(answer.get("user"))

    def _app(self) -> tuple[str, str]:
        client_id, secret = self._settings.github_oauth_client_id, self._settings.github_oauth_client_secret
        if not client_id or secret is None or not secret.get_secret_value():
            raise Unavailable("Sign-in with GitHub is not configured here.", retry_after=3600)
        return client_id, secret.get_secret_value()

    def _json(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        headers = {"Accept": "application/json", **options.pop("headers", {})}
        try:
            with self._client.stream(method, url, headers=headers, timeout=_TIMEOUT, **options) as response:
                body = b"".join(_limited(response))
        except httpx.HTTPError as error:
            raise SourceUnavailable("GitHub did not answer.", retry_after=10) from error
        if response.status_code in (400, 401, 403, 404, 422):
            raise Unauthenticated("GitHub does not accept this credential.", code="credential_refused")
        if response.status_code != 200:
            raise SourceUnavailable(f"GitHub answered {response.status_code}.", retry_after=30)
        try:
            value = httpx.Response(200, content=body).json()
        except (ValueError, RecursionError) as error:
            raise SourceUnavailable("GitHub's answer was not JSON.", retry_after=30) from error
        return value if isinstance(value, dict) else {}


def _limited(response: httpx.Response) -> list[bytes]:
    """The body. Raises SourceUnavailable for one that is far longer than these answers are."""
    parts, size = [], 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > _MAX_ANSWER_BYTES:
            raise SourceUnavailable("GitHub's answer was too long.", retry_after=30)
        parts.append(chunk)
    return parts


def _user(value: Any) -> GitHubUser:
    if not isinstance(value, dict) or not isinstance(value.get("id"), int) or not isinstance(value.get("login"), str):
        raise SourceUnavailable("GitHub did not say who this is.", retry_after=30)
    return GitHubUser(value["id"], value["login"])
