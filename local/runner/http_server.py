"""A small HTTP/1.1 server on asyncio streams and h11, for the gateway, the Invoke API and the Runtime API."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import h11

_READ_SIZE = 65536
_LINGER_SECONDS = 2.0


@dataclass(frozen=True)
class Request:
    """A request that was read in full. Header names are lower case; repeated headers stay apart."""

    method: str
    target: str
    http_version: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    client_address: str

    def header(self, name: str) -> str | None:
        """The first value of a header."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(frozen=True)
class Response:
    """A status, headers (without content-length, which the server adds) and a body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def listen(host: str, port: int = 0) -> socket.socket:
    """A listening socket; port 0 takes any that is free."""
    listener = socket.create_server((host, port), backlog=128)
    # Connections inherit it. asyncio sets it only where the socket names its protocol, which this one does not.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Limits:
    """How much of a client's input, and how much of its slowness, the server accepts."""

    body_bytes: int = 10 * 1024 * 1024
    head_bytes: int = 64 * 1024
    idle_seconds: float | None = 75.0
    """How long a kept-alive connection may wait for the start and the head of a request."""
    body_seconds: float | None = 60.0
    """How long a client may take to send a body, and to read a response."""


class _Refused(Exception):
    """The request is answered with this status and the connection is closed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class HttpServer:
    """Serves one handler until it is stopped."""

    def __init__(
        self, handler: Handler, limits: Limits | None = None, refusals: dict[int, Response] | None = None
    ) -> None:
        self._handler = handler
        self._limits = limits or Limits()
        self._refusals = refusals or {}
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], _Connection] = {}

    async def start(self, listener: socket.socket) -> None:
        """Serves on a socket that already listens, and takes it over."""
        self._server = await asyncio.start_server(self._accept, sock=listener)

    async def stop(self, grace: float = 0.0) -> None:
        """Stops listening. Requests that are being handled have the grace period to be answered."""
        if self._server is None:
            return
        self._server.close()
        for connection in self._connections.values():
            connection.closing = True
        busy = [task for task, connection in self._connections.items() if connection.busy]
        if busy and grace > 0:
            await asyncio.wait(busy, timeout=grace)
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connection = _Connection(reader, writer, self._handler, self._limits, self._refusals)
        self._connections[task] = connection
        try:
            await connection.serve()
        except asyncio.CancelledError:
            # Only stop() cancels; asyncio's stream callback would report the cancellation as an error.
            return
        except (ConnectionError, TimeoutError):
            return
        finally:
            del self._connections[task]
            writer.close()


class _Connection:
    """One client: reads requests and writes responses until either side wants to close."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        handler: Handler,
        limits: Limits,
        refusals: dict[int, Response],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._limits = limits
        self._refusals = refusals
        self.busy = False
        self.closing = False
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        peer = writer.get_extra_info("peername")
        self._client_address = str(peer[0]) if peer else ""

    async def serve(self) -> None:
        while True:
            try:
                request = await self._read_request()
            except _Refused as refused:
                await self._refuse(refused.status)
                return
            except h11.RemoteProtocolError as error:
                await self._refuse(error.error_status_hint)
                return
            if request is None:
                return
            self.busy = True
            await self._write(await self._handler(request), head_only=request.method == "HEAD")
            self.busy = False
            if self.closing or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _read_request(self) -> Request | None:
        async with asyncio.timeout(self._limits.idle_seconds):
            head = await self._next_event()
        if not isinstance(head, h11.Request):
            return None
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
        declared = next((value for name, value in headers if name == "content-length"), "0")
        if int(declared) > self._limits.body_bytes:
            raise _Refused(413)
        if self._http.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[]))
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await self._read_body()
        except TimeoutError as error:
            raise _Refused(408) from error
        return Request(
            method=head.method.decode("ascii"),
            target=head.target.decode("latin-1"),
            http_version=head.http_version.decode("ascii"),
            headers=headers,
            body=body,
            client_address=self._client_address,
        )

    async def _read_body(self) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while True:
            event = await self._next_event()
            if isinstance(event, h11.EndOfMessage):
                return b"".join(chunks)
            if not isinstance(event, h11.Data):
                raise ConnectionResetError("the client went away in the middle of a request")
            size += len(event.data)
            if size > self._limits.body_bytes:
                raise _Refused(413)
            chunks.append(bytes(event.data))

    async def _next_event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_READ_SIZE))
        return event

    async def _refuse(self, status: int) -> None:
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        refusal = self._refusals.get(status, Response(status))
        await self._write(Response(status, (*refusal.headers, ("connection", "close")), refusal.body), head_only=False)
        # Closing while the client still sends would reset the connection before it has read the refusal.
        self._writer.write_eof()
        async with asyncio.timeout(_LINGER_SECONDS):
            while await self._reader.read(_READ_SIZE):
                continue

    async def _write(self, response: Response, *, head_only: bool) -> None:
        has_body = not head_only and response.status not in (204, 304)
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
        if response.status != 204:
            headers.append((b"content-length", str(len(response.body)).encode()))
        events: list[h11.Event] = [h11.Response(status_code=response.status, headers=headers)]
        if has_body:
            events.append(h11.Data(data=response.body))
        self._send(*events, h11.EndOfMessage())
        async with asyncio.timeout(self._limits.body_seconds):
            await self._writer.drain()

    def _send(self, *events: h11.Event) -> None:
        # One write, hence one packet for a small response: the client never waits for the rest of it.
        self._writer.write(b"".join(self._http.send(event) or b"" for event in events))
