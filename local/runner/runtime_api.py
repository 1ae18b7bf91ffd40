"""The Lambda Runtime API for one execution environment.

Each environment has its own port: the runtime client takes a host and a port and nothing else, so the port is what
tells environments apart.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from uuid import uuid4

from .http_server import HttpServer, Limits, Request, Response, listen

_PREFIX = "/2018-06-01/runtime"
RESPONSE_LIMIT = 6 * 1024 * 1024 + 100
_ACCEPTED = Response(202, (("content-type", "application/json"),), b'{"status":"OK"}\n')


@dataclass(frozen=True)
class Outcome:
    """How an invocation ended: the function's answer, or the description of its error."""

    payload: bytes
    failed: bool
    request_id: str = ""


def error_outcome(error_type: str, message: str, request_id: str = "") -> Outcome:
    """An error that the platform reports, in the shape of an error of the function."""
    return Outcome(json.dumps({"errorType": error_type, "errorMessage": message}).encode(), True, request_id)


class InitError(Exception):
    """The environment could not be started; the outcome carries the handler's own error message."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.payload.decode("utf-8", "replace"))
        self.outcome = outcome


@dataclass
class Invocation:
    """One event on its way through an environment."""

    payload: bytes
    function_arn: str
    timeout: float
    request_id: str = field(default_factory=lambda: str(uuid4()))
    delivered: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    outcome: "asyncio.Future[Outcome]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def headers(self) -> tuple[tuple[str, str], ...]:
        trace = f"{int(time.time()):08x}-{self.request_id.replace('-', '')[:24]}"
        return (
            ("content-type", "application/json"),
            ("Lambda-Runtime-Aws-Request-Id", self.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(int((time.time() + self.timeout) * 1000))),
            ("Lambda-Runtime-Invoked-Function-Arn", self.function_arn),
            ("Lambda-Runtime-Trace-Id", f"Root=1-{trace};Sampled=0"),
        )


class RuntimeApi:
    """Hands invocations to the runtime client, one at a time, and takes back what became of them."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the runtime first asks for work; fails with InitError when the handler could not be loaded."""
        self._offered: asyncio.Queue[Invocation] = asyncio.Queue()
        self._running: Invocation | None = None
        # The handler is trusted with memory, and a body over Lambda's limit is an outcome of its own.
        self._server = HttpServer(self._handle, Limits(body_bytes=2**30, idle_seconds=None, body_seconds=None))

    async def start(self) -> int:
        """Listens, and returns the port."""
        listener = listen("127.0.0.1")
        port: int = listener.getsockname()[1]
        await self._server.start(listener)
        return port

    async def stop(self) -> None:
        await self._server.stop()
        self.ready.cancel()

    def offer(self, invocation: Invocation) -> None:
        self._offered.put_nowait(invocation)

    async def _handle(self, request: Request) -> Response:
        path = request.target
        if request.method == "GET" and path == f"{_PREFIX}/invocation/next":
            return await self._next()
        if request.method == "POST" and path == f"{_PREFIX}/init/error":
            return self._init_error(request.body)
        if request.method == "POST" and path.startswith(f"{_PREFIX}/invocation/"):
            request_id, _, kind = path.removeprefix(f"{_PREFIX}/invocation/").partition("/")
            if kind in ("response", "error"):
                return self._finish(request_id, request.body, failed=kind == "error")
        return Response(404)

    async def _next(self) -> Response:
        if not self.ready.done():
            self.ready.set_result(None)
        invocation = await self._offered.get()
        self._running = invocation
        invocation.delivered.set_result(None)
        return Response(200, invocation.headers(), invocation.payload)

    def _init_error(self, body: bytes) -> Response:
        if not self.ready.done():
            self.ready.set_exception(InitError(Outcome(body, failed=True)))
        return _ACCEPTED

    def _finish(self, request_id: str, body: bytes, *, failed: bool) -> Response:
        running = self._running
        if running is None or running.request_id != request_id or running.outcome.done():
            return Response(400, (), b'{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}')
        self._running = None
        if len(body) > RESPONSE_LIMIT:
            message = f"Response payload size exceeded maximum allowed payload size ({RESPONSE_LIMIT} bytes)."
            running.outcome.set_result(error_outcome("Function.ResponseSizeTooLarge", message, request_id))
            return Response(413, (), b'{"errorType":"RequestEntityTooLarge","errorMessage":"Exceeded maximum payload"}')
        running.outcome.set_result(Outcome(body, failed, request_id))
        return _ACCEPTED
