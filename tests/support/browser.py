"""A browser in front of the functions: it keeps cookies, says where its requests come from, and signs in."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import httpx
from admin_api.routes import build_api as build_admin_api
from public_api.routes import build_api as build_public_api
from skillgate.api.router import Api
from web_pages.pages import build_pages
from webhook_api.routes import build_api as build_webhook_api

from tests.support.backends import INTERNAL_KEY, World

HOST = "127.0.0.1:8080"
ORIGIN = f"http://{HOST}"
SESSION = "__Host-skillgate-session"
REFRESH = "__Secure-skillgate-refresh"
TICKET = "__Host-skillgate-sign-in"
KEY = {"x-internal-key": INTERNAL_KEY}
SAME_ORIGIN = {"sec-fetch-site": "same-origin", "origin": ORIGIN}


class _Context:
    aws_request_id = "request-1"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    cookies: list[str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """The code of a problem."""
        assert self.headers["content-type"] == "application/problem+json", self.text
        return str(self.json["code"])


@dataclass
class Browser:
    """Requests go to the function that the gateway would send them to."""

    world: World
    address: str = "203.0.113.7"
    cookies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        backend = self.world.backend
        self._apis: list[tuple[str, Api]] = [
            ("/api/v1/admin/", build_admin_api(backend)),
            ("/api/v1/webhooks/", build_webhook_api(backend)),
            ("/api/", build_public_api(backend)),
            ("/", build_pages(backend)),
        ]

    def api(self, prefix: str) -> Api:
        return dict(self._apis)[prefix]

    def get(self, target: str, **options: Any) -> Reply:
        return self.send("GET", target, **options)

    def post(self, target: str, body: Any = None, **options: Any) -> Reply:
        """A write as our own page makes it."""
        options["headers"] = SAME_ORIGIN | options.get("headers", {})
        return self.send("POST", target, body=body, **options)

    def send(
        self,
        method: str,
        target: str,
        *,
        body: Any = None,
        raw: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        path, _, query = target.partition("?")
        text = raw if raw is not None else None if body is None else json.dumps(body)
        event = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query,
            "headers": {"content-type": "application/json", "x-forwarded-proto": "http"} | (headers or {}),
            "cookies": [f"{name}={value}" for name, value in self.cookies.items()],
            "requestContext": {
                "http": {"method": method, "path": path, "sourceIp": self.address},
                "domainName": HOST,
                "stage": "$default",
            },
            "body": text,
            "isBase64Encoded": False,
        }
        api = next(api for prefix, api in self._apis if path.startswith(prefix))
        return self._kept(api.handle(event, _Context()))  # type: ignore[arg-type]

    def _kept(self, answer: dict[str, Any]) -> Reply:
        cookies = answer.get("cookies") or []
        for text in cookies:
            for name, morsel in SimpleCookie(text).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
        body = answer.get("body") or ""
        shown = base64.b64decode(body).decode() if answer.get("isBase64Encoded") else body
        return Reply(answer["statusCode"], answer["headers"], cookies, shown)

    def at_github(self, login: str, *, return_to: str = "/") -> str:
        """Sets out and chooses who to be; the address that GitHub sends the browser back to."""
        departure = self.get(f"/api/v1/auth/github?returnTo={return_to}")
        assert departure.status == 302, departure.text
        answer = httpx.get(f"{departure.headers['location']}&login={login}")
        back = urlsplit(answer.headers["location"])
        return f"{back.path}?{back.query}"

    def sign_in(self, login: str) -> Browser:
        assert self.get(self.at_github(login)).status == 303
        return self

    def bearer(self) -> dict[str, str]:
        """The session's access token as a header."""
        return {"authorization": f"Bearer {self.cookies[SESSION]}"}
