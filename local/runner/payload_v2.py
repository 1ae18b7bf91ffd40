"""API Gateway's payload format 2.0: the event of a request, and the response that a function's answer stands for."""

import base64
import binascii
import json
import re
from datetime import UTC, datetime
from email.message import Message
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

from .http_server import Request, Response
from .model import ACCOUNT_ID, HttpApi
from .routing import Match

_TEXT_TYPES = {"application/json", "application/javascript", "application/xml"}
# Headers about the connection belong to the gateway, not to the function's answer.
_GATEWAY_HEADERS = {"connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"}


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class InvalidAnswer(Exception):
    """The function's answer is neither a structured response nor JSON."""


def build_event(
    request: Request, path: str, query: str, match: Match, api: HttpApi, local_port: int
) -> dict[str, object]:
    """The event for a request whose decoded path (with its stage, if that has a name) is `path`."""
    now = datetime.now(UTC)
    headers = _headers(request, local_port)
    body, is_base64 = _body(request)
    domain = headers.get("host", "localhost")
    event: dict[str, object] = {
        "version": "2.0",
        "routeKey": match.route.key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": ACCOUNT_ID,
            "apiId": api.api_id,
            "domainName": domain,
            "domainPrefix": domain.split(".")[0],
            "http": {
                "method": request.method,
                "path": path,
                "protocol": f"HTTP/{request.http_version}",
                "sourceIp": request.client_address,
                "userAgent": request.header("user-agent") or "",
            },
            "requestId": str(uuid4()),
            "routeKey": match.route.key,
            "stage": api.stage,
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(now.timestamp() * 1000),
        },
        "isBase64Encoded": is_base64,
    }
    if cookies := [part.strip() for part in _all(request, "cookie", ";").split(";") if part.strip()]:
        event["cookies"] = cookies
    if query:
        event["queryStringParameters"] = _query_parameters(query)
    if match.path_parameters:
        event["pathParameters"] = match.path_parameters
    if body is not None:
        event["body"] = body
    return event


def _all(request: Request, name: str, separator: str) -> str:
    return separator.join(value for key, value in request.headers if key == name)


def _headers(request: Request, local_port: int) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in request.headers:
        if name != "cookie":
            headers[name] = f"{headers[name]},{value}" if name in headers else value
    forwarded = headers.get("x-forwarded-for")
    headers["x-forwarded-for"] = f"{forwarded}, {request.client_address}" if forwarded else request.client_address
    headers["x-forwarded-port"] = str(local_port)
    headers["x-forwarded-proto"] = "http"
    return headers


def _query_parameters(query: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, encoding="utf-8", errors="replace"):
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    return parameters


def _body(request: Request) -> tuple[str | None, bool]:
    """The body as text where its type says text and it is UTF-8, else in base64."""
    if not request.body:
        return None, False
    content_type = Message()
    content_type["content-type"] = request.header("content-type") or "application/octet-stream"
    kind = content_type.get_content_type()
    if kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml")):
        try:
            return request.body.decode("utf-8"), False
        except UnicodeDecodeError:
            return base64.b64encode(request.body).decode(), True
    return base64.b64encode(request.body).decode(), True


def split_target(target: str) -> tuple[str, str]:
    """The decoded path and the raw query of a request target. API Gateway decodes the path before it routes."""
    if not target.startswith("/"):  # the absolute form that proxies use, or the asterisk of OPTIONS
        target = "/" + target.partition("://")[2].partition("/")[2]
    path, _, query = target.partition("?")
    return unquote(path, errors="replace") or "/", query


def build_response(payload: bytes) -> Response:
    """The HTTP response for a function's answer. Raises InvalidAnswer."""
    try:
        answer = json.loads(payload)
    except ValueError as error:
        raise InvalidAnswer("the answer is not JSON") from error
    if not isinstance(answer, dict) or "statusCode" not in answer:
        body = answer if isinstance(answer, str) else json.dumps(answer, separators=(",", ":"))
        return Response(200, (("content-type", "application/json"),), body.encode())
    return Response(_status(answer["statusCode"]), tuple(_response_headers(answer)), _response_body(answer))


def _status(value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or not 200 <= int(text) <= 599:
        raise InvalidAnswer(f"statusCode {value!r}")
    return int(text)


def _response_headers(answer: dict[str, object]) -> list[tuple[str, str]]:
    given = answer.get("headers") or {}
    cookies = answer.get("cookies") or []
    if not isinstance(given, dict) or not isinstance(cookies, list):
        raise InvalidAnswer("headers or cookies have the wrong type")
    if not all(_HEADER_NAME.fullmatch(name) for name in given):
        raise InvalidAnswer("a header has an impossible name")
    headers = [
        (name.lower(), _header_value(value))
        for name, value in given.items()
        if value is not None and name.lower() not in _GATEWAY_HEADERS
    ]
    if not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    return [*headers, *(("set-cookie", _header_value(cookie)) for cookie in cookies)]


def _header_value(value: object) -> str:
    if isinstance(value, dict | list):
        raise InvalidAnswer(f"header value {value!r}")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    # A line break would forge a header.
    if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in text):
        raise InvalidAnswer("a header value has control characters")
    # Text beyond latin-1 travels as the bytes of its UTF-8 form.
    return text.strip().encode("utf-8").decode("latin-1")


def _response_body(answer: dict[str, object]) -> bytes:
    body = answer.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise InvalidAnswer("the body is not text")
    if answer.get("isBase64Encoded") is True:
        try:
            return base64.b64decode(body, validate=True)
        except binascii.Error as error:
            raise InvalidAnswer("the body is not base64") from error
    return body.encode("utf-8")
