"""The front door: an HTTP API of API Gateway in front of the functions."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Mapping
from typing import Protocol
from uuid import uuid4

from .http_server import HttpServer, Limits, Request, Response
from .model import Cors, HttpApi
from .payload_v2 import InvalidAnswer, build_event, build_response, split_target
from .pools import PayloadTooLarge, Throttled
from .routing import find_route
from .runtime_api import Outcome

REQUEST_LIMIT = 10 * 1024 * 1024


class Invocable(Protocol):
    """What the gateway needs of a function."""

    def invoke(self, payload: bytes) -> Awaitable[Outcome]: ...


def _message(status: int, text: str) -> Response:
    return Response(status, (("content-type", "application/json"),), json.dumps({"message": text}).encode())


_NOT_FOUND = _message(404, "Not Found")
_TOO_LARGE = _message(413, "Request Entity Too Large")
_FAILED = _message(500, "Internal Server Error")
# What the gateway answers when the integration is too slow, and when Lambda throttles it.
_UNAVAILABLE = _message(503, "Service Unavailable")


class Gateway:
    """Serves the API. `functions` are the pools by logical id."""

    def __init__(self, api: HttpApi, functions: Mapping[str, Invocable], *, limits: Limits | None = None) -> None:
        self._api = api
        self._functions = functions
        refusals = {400: _message(400, "Bad Request"), 413: _TOO_LARGE}
        self._server = HttpServer(self._handle, limits or Limits(body_bytes=REQUEST_LIMIT), refusals)
        self._port = 0

    async def start(self, listener: socket.socket) -> None:
        self._port = listener.getsockname()[1]
        await self._server.start(listener)

    async def stop(self, grace: float) -> None:
        await self._server.stop(grace)

    async def _handle(self, request: Request) -> Response:
        cors, origin = self._api.cors, request.header("origin")
        if cors is not None and origin is not None and _is_preflight(request):
            response = Response(204, _cors_headers(cors, origin, preflight=True))
        else:
            response = await self._respond(request)
            if cors is not None:
                # The gateway's configuration replaces whatever the function says about CORS.
                kept = (entry for entry in response.headers if not entry[0].startswith("access-control-"))
                added = _cors_headers(cors, origin, preflight=False) if origin is not None else ()
                response = Response(response.status, (*kept, *added), response.body)
        return Response(response.status, (*response.headers, ("apigw-requestid", uuid4().hex[:16])), response.body)

    async def _respond(self, request: Request) -> Response:
        path, query = split_target(request.target)
        routed = self._without_stage(path)
        match = None if routed is None else find_route(self._api.routes, request.method, routed)
        if match is None:
            return _NOT_FOUND
        event = build_event(request, path, query, match, self._api, self._port)
        try:
            async with asyncio.timeout(match.route.timeout):
                outcome = await self._functions[match.route.function].invoke(json.dumps(event).encode())
        except (TimeoutError, Throttled):
            return _UNAVAILABLE
        except PayloadTooLarge:
            return _TOO_LARGE
        if outcome.failed:
            return _FAILED
        try:
            return build_response(outcome.payload)
        except InvalidAnswer:
            return _FAILED

    def _without_stage(self, path: str) -> str | None:
        """The path that routes see, or None when it is not under the API's named stage."""
        if self._api.stage == "$default":
            return path
        prefix = f"/{self._api.stage}"
        if path == prefix:
            return "/"
        return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else None


def _is_preflight(request: Request) -> bool:
    return request.method == "OPTIONS" and request.header("access-control-request-method") is not None


def _cors_headers(cors: Cors, origin: str, *, preflight: bool) -> tuple[tuple[str, str], ...]:
    if "*" not in cors.allow_origins and origin not in cors.allow_origins:
        return ()
    headers = [("access-control-allow-origin", "*" if "*" in cors.allow_origins else origin)]
    if "*" not in cors.allow_origins:
        headers.append(("vary", "Origin"))
    if cors.allow_credentials:
        headers.append(("access-control-allow-credentials", "true"))
    if cors.expose_headers and not preflight:
        headers.append(("access-control-expose-headers", ",".join(cors.expose_headers)))
    if preflight:
        if cors.allow_methods:
            headers.append(("access-control-allow-methods", ",".join(cors.allow_methods)))
        if cors.allow_headers:
            headers.append(("access-control-allow-headers", ",".join(cors.allow_headers)))
        if cors.max_age is not None:
            headers.append(("access-control-max-age", str(cors.max_age)))
    return tuple(headers)
