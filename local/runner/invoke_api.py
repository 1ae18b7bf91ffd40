"""Lambda's Invoke API, for boto3's Lambda client: people who try a function, and functions that call others."""

import json
import re
import socket
from collections.abc import Mapping
from urllib.parse import unquote
from uuid import uuid4

from .async_invocations import AsyncInvoker
from .http_server import HttpServer, Limits, Request, Response
from .pools import FunctionPool, PayloadTooLarge, Throttled

_INVOCATIONS = re.compile(r"/2015-03-31/functions/([^/?]+)/invocations(?:\?.*)?")
_BODY_LIMIT = 8 * 1024 * 1024


def _error(status: int, kind: str, message: str, **details: str) -> Response:
    body = json.dumps({"Type": "User", "Message": message, "message": message, **details}).encode()
    return Response(status, (("content-type", "application/json"), ("x-amzn-errortype", kind)), body)


class InvokeApi:
    """Invokes functions by name, logical id or ARN."""

    def __init__(self, pools: Mapping[str, FunctionPool], async_invoker: AsyncInvoker) -> None:
        self._async = async_invoker
        self._pools = {
            key: pool
            for logical_id, pool in pools.items()
            for key in (logical_id, pool.function.name, pool.function.arn, f"{pool.function.arn}:$LATEST")
        }
        self._server = HttpServer(self._handle, Limits(body_bytes=_BODY_LIMIT))

    async def start(self, listener: socket.socket) -> None:
        await self._server.start(listener)

    async def stop(self) -> None:
        await self._server.stop()

    async def _handle(self, request: Request) -> Response:
        match = _INVOCATIONS.fullmatch(request.target)
        if match is None or request.method != "POST":
            return _error(404, "ResourceNotFoundException", f"{request.method} {request.target} is not served here")
        name = unquote(match[1])
        pool = self._pools.get(name)
        if pool is None:
            return _error(404, "ResourceNotFoundException", f"Function not found: {name}")
        payload = request.body or b"{}"
        try:
            json.loads(payload)
        except ValueError as error:
            message = f"Could not parse request body into json: {error}"
            return _error(400, "InvalidRequestContentException", message)
        try:
            return await self._invoke(pool, payload, request.header("x-amz-invocation-type") or "RequestResponse")
        except Throttled:
            reason = "ReservedFunctionConcurrentInvocationLimitExceeded"
            return _error(429, "TooManyRequestsException", "Rate Exceeded.", Reason=reason)
        except PayloadTooLarge as error:
            return _error(413, "RequestTooLargeException", f"Request must be smaller: {error}")

    async def _invoke(self, pool: FunctionPool, payload: bytes, kind: str) -> Response:
        if kind == "DryRun":
            return Response(204)
        if kind == "Event":
            return Response(202, (("x-amzn-requestid", self._async.submit(pool, payload)),))
        if kind != "RequestResponse":
            return _error(400, "InvalidParameterValueException", f"{kind} is not an invocation type")
        request_id = str(uuid4())
        outcome = await pool.invoke(payload, request_id=request_id)
        headers = [
            ("content-type", "application/json"),
            ("x-amzn-requestid", request_id),
            ("x-amz-executed-version", "$LATEST"),
        ]
        if outcome.failed:
            headers.append(("x-amz-function-error", "Unhandled"))
        return Response(200, tuple(headers), outcome.payload)
