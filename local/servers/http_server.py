"""A small HTTP/1.1 server with one thread per connection, for stand-ins that must be able to misbehave."""

import contextlib
import json
import logging
import socket
import socketserver
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

logger = logging.getLogger(__name__)

CHUNK = 64 * 1024


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    raw_query: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    address: str
    base_url: str

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.raw_query, keep_blank_values=True))

    def json(self) -> Any:
        """Raises ValueError for a body that is no JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Response:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    """Sent without its length."""
    cut_short: bool = False
    """The connection ends half way through the body."""

    @classmethod
    def of_json(cls, content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Self:
        body = json.dumps(content, ensure_ascii=True).encode()
        return cls(status, body, {"Content-Type": "application/json; charset=utf-8", **(headers or {})})


class ConnectionDropped(Exception):
    """The answer is a connection reset."""


Answer = Callable[[Request], Response]


class StandInServer:
    """Serves `answer` on 127.0.0.1 from start() to stop(); port 0 takes any that is free."""

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self._answer = answer
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        self._stopping.clear()
        self._server = _Server(self._port, self._answer)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def stop(self) -> None:
        """Ends open connections too, so that every thread is gone when this returns."""
        if self._server is None or self._thread is None:
            return
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.end_connections()
        self._server.server_close()
        self._server = self._thread = None

    def pause(self, seconds: float) -> None:
        """Hold the calling request back, but not a stop."""
        self._stopping.wait(seconds)

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("the server has not been started")
        return f"http://127.0.0.1:{self._server.server_address[1]}"


class StandIn(ABC):
    """Plays a service from start() to stop(). As a context manager it is started and stopped."""

    def __init__(self, port: int = 0) -> None:
        self._server = StandInServer(self._answer, port)

    @abstractmethod
    def _answer(self, request: Request) -> Response:
        """What the service would say."""

    def start(self) -> Self:
        self._server.start()
        return self

    def stop(self) -> None:
        self._server.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """What the service's endpoint is set to. Raises RuntimeError before it is started."""
        return self._server.url


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 256

    def __init__(self, port: int, answer: Answer) -> None:
        self.answer = answer
        self._connections: set[socket.socket] = set()
        self._to_reset: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer would ask the resolver for the host's name, which can take seconds without a network.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
            reset = request in self._to_reset
            self._to_reset.discard(request)
        if reset:
            # Closing with a linger time of zero, and without a shutdown before it, sends RST instead of FIN.
            request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def reset_at_end(self, connection: socket.socket) -> None:
        with self._lock:
            self._to_reset.add(connection)

    def end_connections(self) -> None:
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):  # the client may have closed it already
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        logger.exception("connection failed")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def _serve(self) -> None:
        try:
            self._send(self._answer())
        except ConnectionDropped:
            self.server.reset_at_end(self.connection)
            self.close_connection = True
        except ConnectionError:
            # The client went away, which is its right.
            self.close_connection = True

    def _answer(self) -> Response:
        request = self._request()
        try:
            return self.server.answer(request)
        except ConnectionDropped:
            raise
        except Exception:
            # A mistake of the stand-in's own, or of a metadata file: the client gets an answer, the log the reason.
            self._send(Response.of_json({"message": "The stand-in failed; its log says why."}, 500))
            raise

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def _request(self) -> Request:
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        host, port = self.server.server_address[:2]
        return Request(
            method=self.command,
            path=unquote(path),
            raw_query=query,
            headers=headers,
            body=self.rfile.read(int(headers.get("content-length", "0"))),
            address=str(self.client_address[0]),
            base_url=f"http://{headers.get('host') or f'{host!s}:{port}'}",
        )

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif response.status != 304:
            self.send_header("Content-Length", str(len(response.body)))
        if response.cut_short:
            self.close_connection = True
        self.end_headers()
        if self.command == "HEAD" or response.status == 304:
            return
        body = response.body[: len(response.body) // 2] if response.cut_short else response.body
        if not response.chunked:
            self.wfile.write(body)
            return
        for start in range(0, len(body), CHUNK):
            chunk = body[start : start + CHUNK]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if not response.cut_short:
            self.wfile.write(b"0\r\n\r\n")

    def version_string(self) -> str:
        return "stand-in"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the stand-ins keep a log of requests that can be asked for."""
