"""GitHub's sign-in, played: whoever comes chooses which example user to be, and no password is asked for.

Codes are good for once and only with the PKCE verifier whose challenge they were made for, as on GitHub.
"""

import base64
import hashlib
import hmac
import html
import re
import secrets
import threading
import zlib
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from local.servers.http_server import Request, Response

CLIENT_ID = "local-oauth-app"
CLIENT_SECRET = "local-oauth-secret"  # noqa: S105 - of an app that exists on this machine only
ADMIN, REVIEWER = "skillgate-admin", "skillgate-reviewer"
USERS = ("acme-labs", "example-org", "nightfall-demo", REVIEWER, ADMIN)

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_APP_TOKEN = re.compile(r"/applications/([^/]+)/token")
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in (stand-in for GitHub)</title>
<h1>This is not GitHub</h1>
<p>It is the stand-in that runs on this machine. No password is asked for: choose who you want to be.</p>
<ul>{links}</ul></html>"""


@dataclass(frozen=True)
class _Grant:
    login: str
    challenge: str
    redirect_uri: str


class SignIn:
    """Safe to use from many threads. Forgets codes and tokens when it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._grants: dict[str, _Grant] = {}
        self._tokens: dict[str, tuple[str, str]] = {}

    def handles(self, path: str) -> bool:
        return path.startswith("/login/oauth/") or path == "/user" or _APP_TOKEN.fullmatch(path) is not None

    def give_token(self, login: str, client_id: str = CLIENT_ID) -> str:
        """A token as if this user had signed in to that app."""
        token = f"gho_{secrets.token_hex(18)}"
        with self._lock:
            self._tokens[token] = (login, client_id)
        return token

    def answer(self, request: Request) -> Response:
        match request.method, request.path:
            case "GET", "/login/oauth/authorize":
                return self._authorise(request.query, request.base_url)
            case "POST", "/login/oauth/access_token":
                return self._exchange(dict(parse_qsl(request.body.decode(errors="replace"))))
            case "GET", "/user":
                found = self._owner(request.headers.get("authorization", "").partition(" ")[2])
                return Response.of_json(_user(found[0])) if found else _refusal(401, "Bad credentials")
        if request.method == "POST" and (named := _APP_TOKEN.fullmatch(request.path)):
            return self._check(request, named[1])
        return _refusal(404, "Not Found")

    def _authorise(self, query: dict[str, str], base_url: str) -> Response:
        redirect_uri, challenge = query.get("redirect_uri", ""), query.get("code_challenge", "")
        if query.get("client_id") != CLIENT_ID or urlsplit(redirect_uri).hostname not in ("127.0.0.1", "localhost"):
            return _refusal(404, "Not Found")
        login = query.get("login")
        if login is None:
            return _choice(query, base_url)
        if not _LOGIN.fullmatch(login) or query.get("code_challenge_method") != "S256" or not challenge:
            return _refusal(400, "A sign-in needs a login and a PKCE challenge")
        code = secrets.token_hex(10)
        with self._lock:
            self._grants[code] = _Grant(login, challenge, redirect_uri)
        back = urlencode({"code": code, "state": query.get("state", "")})
        return Response(302, b"", {"Location": f"{redirect_uri}?{back}"})

    def _exchange(self, form: dict[str, str]) -> Response:
        with self._lock:
            grant = self._grants.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        app = (form.get("client_id"), form.get("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
        if not app or grant is None or (grant.challenge, grant.redirect_uri) != (challenge, form.get("redirect_uri")):
            # GitHub says so with status 200.
            return Response.of_json({"error": "bad_verification_code"})
        return Response.of_json({"access_token": self.give_token(grant.login), "token_type": "bearer", "scope": ""})

    def _check(self, request: Request, client_id: str) -> Response:
        wanted = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if not hmac.compare_digest(request.headers.get("authorization", ""), wanted):
            return _refusal(401, "Bad credentials")
        found = self._owner(str(request.json().get("access_token")))
        if found is None or found[1] != client_id:
            return _refusal(404, "Not Found")
        return Response.of_json({"user": _user(found[0]), "app": {"client_id": client_id}})

    def _owner(self, token: str) -> tuple[str, str] | None:
        with self._lock:
            return self._tokens.get(token)


def _choice(query: dict[str, str], base_url: str) -> Response:
    links = ""
    for user in USERS:
        target = f"{base_url}/login/oauth/authorize?{urlencode(query | {'login': user})}"
        links += f'<li><a href="{html.escape(target)}">{user}</a></li>'
    return Response(200, _PAGE.format(links=links).encode(), {"Content-Type": "text/html; charset=utf-8"})


def _user(login: str) -> dict[str, object]:
    return {"id": zlib.crc32(login.lower().encode()), "login": login, "type": "User"}


def _refusal(status: int, message: str) -> Response:
    return Response.of_json({"message": message}, status)
