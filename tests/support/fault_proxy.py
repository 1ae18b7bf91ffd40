"""A proxy in front of an AWS emulator that fails on order, as the service itself may on a bad day."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import urlsplit

from local.servers.http_server import ConnectionDropped, Request, Response, StandInServer

Kind = Literal["refuse", "error", "throttle", "delay", "lost"]
_DROPPED = ("connection", "content-length", "transfer-encoding", "host")


@dataclass(frozen=True)
class Fault:
    """`refuse` resets the connection, `lost` does the work and then fails; `operation` is part of the target's name."""

    kind: Kind
    operation: str = ""
    seconds: float = 0.0


class FaultProxy:
    """As a context manager it is started and stopped. Passes everything on until a fault is set."""

    def __init__(self, target: str) -> None:
        self._address = urlsplit(target).netloc
        self._server = StandInServer(self._answer)
        self._local = threading.local()
        self._fault: Fault | None = None
        self._lock = threading.Lock()
        self._met: Counter[Fault] = Counter()
        self._open: list[http.client.HTTPConnection] = []

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        for connection in self._open:
            connection.close()

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def met(self) -> Counter[Fault]:
        """How many requests each fault has met."""
        with self._lock:
            return self._met.copy()

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        self._fault = fault
        try:
            yield
        finally:
            self._fault = None

    def _answer(self, request: Request) -> Response:
        fault = self._fault
        operation = request.headers.get("x-amz-target", "")
        if fault is None or fault.operation not in operation:
            return self._passed_on(request)
        with self._lock:
            self._met[fault] += 1
        if fault.kind == "refuse":
            raise ConnectionDropped
        if fault.kind == "error":
            return _error(500, "InternalServerError")
        if fault.kind == "throttle":
            return _error(400, "ProvisionedThroughputExceededException")
        if fault.kind == "delay":
            self._server.pause(fault.seconds)
            return self._passed_on(request)
        self._passed_on(request)
        return _error(500, "InternalServerError")

    def _passed_on(self, request: Request) -> Response:
        headers = {name: value for name, value in request.headers.items() if name not in _DROPPED}
        deadline = time.monotonic() + 2
        while True:
            connection = self._connection()
            try:
                connection.request(request.method, request.path, request.body, headers)
                answer = connection.getresponse()
                body = answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()  # the next request opens it anew
                if time.monotonic() > deadline:
                    raise ConnectionDropped from None
                continue
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _DROPPED}
            return Response(answer.status, body, kept)

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = http.client.HTTPConnection(self._address, timeout=30)
            with self._lock:
                self._open.append(connection)
        return connection


def _error(status: int, name: str) -> Response:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": "an injected fault"})
    return Response(status, body.encode(), {"Content-Type": "application/x-amz-json-1.0"})
