"""Requests as API Gateway sends them to a function, and their answers."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from skillgate.api.router import Api
from skillgate.ports import Backend

from tests.support.backends import INTERNAL_KEY

REQUEST_ID = "request-1"


class FakeLambdaContext:
    """What a handler looks at of Lambda's context."""

    aws_request_id = REQUEST_ID
    function_name = "test"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:test"

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """The code of a problem; fails for an answer that is none."""
        assert self.headers["content-type"] == "application/problem+json", self
        assert self.json["status"] == self.status and self.json["detail"] and self.json["requestId"]
        return str(self.json["code"])


def request(
    method: str,
    target: str,
    *,
    body: str | None = None,
    headers: dict[str, str] | None = None,
    base64_encoded: bool = False,
) -> dict[str, Any]:
    """An event of payload format 2.0. `target` is the path and, after a `?`, the raw query."""
    path, _, query = target.partition("?")
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "ANY /api/{proxy+}",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"content-type": "application/json"} | (headers or {}),
        "requestContext": {
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "t"},
            "requestId": REQUEST_ID,
            "stage": "$default",
        },
        "isBase64Encoded": base64_encoded,
    }
    if body is not None:
        event["body"] = base64.b64encode(body.encode()).decode() if base64_encoded else body
    return event


def call(api: Api, method: str, target: str, *, json_body: Any = None, **options: Any) -> Answer:
    if json_body is not None:
        options["body"] = json.dumps(json_body)
    return send(api, request(method, target, **options))


def send(api: Api, event: dict[str, Any]) -> Answer:
    answer = api.handle(event, FakeLambdaContext())  # type: ignore[arg-type]
    body = answer.get("body") or ""
    text = base64.b64decode(body).decode() if answer.get("isBase64Encoded") else body
    return Answer(answer["statusCode"], answer["headers"], text)


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
        target = f"{path}?{urlencode(query)}" if query else path
        return send(self.api, request(method, target, body=body, headers=self.headers | (headers or {})))


def public_client(backend: Backend) -> Client:
    from public_api.routes import build_api

    return Client(build_api(backend))


def admin_client(backend: Backend, key: str | None = INTERNAL_KEY) -> Client:
    from admin_api.routes import build_api

    return Client(build_api(backend), {"x-internal-key": key} if key else {})
