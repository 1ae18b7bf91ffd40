"""HTTP/1.1 as SDKs speak it to a local endpoint: one request at a time on connections that are kept open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

# A message of 1 MiB may grow six-fold in JSON's escapes (\u0000), and a batch is no longer than a message.
_MAX_BODY = 8 * 1024 * 1024
_MAX_HEAD = 64 * 1024
_STOP_SECONDS = 5


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    client_is_gone: Callable[[], bool]


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class BadRequest(Exception):
    """What the client sent cannot be read as a request; the connection is closed after the answer."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class HttpServer:
    def __init__(self, answer: Callable[[HttpRequest], Awaitable[HttpAnswer]]) -> None:
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._idle: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the port."""
        self._server = await asyncio.start_server(self._connection, host, port, limit=_MAX_HEAD, backlog=512)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Take no new request, finish the ones under way, close."""
        assert self._server is not None
        self._server.close()
        for connection in self._idle:
            connection.cancel()
        if self._connections:
            _, unfinished = await asyncio.wait(self._connections, timeout=_STOP_SECONDS)
            for connection in unfinished:
                connection.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None and self._server is not None
        self._connections.add(task)
        try:
            while self._server.is_serving():
                self._idle.add(task)
                request = await _read_request(reader)
                self._idle.discard(task)
                if request is None:
                    break
                writer.write(_encode(await self._answer(request)))
                await writer.drain()
        except BadRequest as error:
            writer.write(_encode(HttpAnswer(error.status, b"", {"Connection": "close"})))
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client went away, or the server stops: either way this connection is over
        finally:
            self._idle.discard(task)
            self._connections.discard(task)
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request on a connection, or None where the client has closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from error
    request_line, *lines = head.decode("latin-1").split("\r\n")[:-2]
    parts = request_line.split(" ")
    if len(parts) != 3:
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await _read_body(reader, headers)
    return None if body is None else HttpRequest(parts[0], parts[1], headers, body, reader.at_eof)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes | None:
    if "transfer-encoding" in headers:
        raise BadRequest(HTTPStatus.LENGTH_REQUIRED)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    if int(length) > _MAX_BODY:
        raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        return await reader.readexactly(int(length))
    except asyncio.IncompleteReadError:
        return None


def _encode(answer: HttpAnswer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}", f"Content-Length: {len(answer.body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.body
