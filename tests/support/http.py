"""Calling the HTTP functions as the gateway does: with payload 2.0 events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from skillgate.api.router import Api
from skillgate.ports import Backend

from tests.support.backends import INTERNAL_KEY


@dataclass(frozen=True)
class Invocation:
    """What a function sees of Lambda."""

    aws_request_id: str = "00000000-0000-4000-8000-000000000000"
    function_name: str = "test"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:000000000000:function:test"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a problem; fails for an answer that is none."""
        assert self.headers["content-type"] == "application/problem+json", self
        problem = self.json()
        assert problem["status"] == self.status and problem["detail"] and problem["requestId"]
        return str(problem["code"])


@dataclass
class Client:
    """Speaks to one function's routes. `headers` go with every call."""

    api: Api
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        """`headers` by their names with underscores; a body that is text is sent as it is."""
        named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        return self.call("POST", path, body=text, headers=named)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        event = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": urlencode(query or {}),
            "headers": {"content-type": "application/json", **self.headers, **(headers or {})},
            "requestContext": {
                "http": {"method": method, "path": path, "sourceIp": "127.0.0.1"},
                "requestId": "gateway",
                "stage": "$default",
            },
            "isBase64Encoded": False,
            **({"queryStringParameters": {k: str(v) for k, v in query.items()}} if query else {}),
            **({"body": body} if body is not None else {}),
        }
        answer = self.api.handle(event, Invocation())  # type: ignore[arg-type]
        return Answer(answer["statusCode"], answer["headers"], answer.get("body") or "")


def public_client(backend: Backend) -> Client:
    from public_api.routes import build_api

    return Client(build_api(backend))


def admin_client(backend: Backend, key: str | None = INTERNAL_KEY) -> Client:
    from admin_api.routes import build_api

    return Client(build_api(backend), {"x-internal-key": key} if key else {})
