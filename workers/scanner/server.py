"""The worker's HTTP side: `POST /jobs`, signed, and `GET /healthz`."""

from __future__ import annotations

import json
import logging
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workers.scanner.config import Config
from workers.scanner.jobs import Added
from workers.scanner.model import InvalidJob, Job
from workers.scanner.service import Worker
from workers.scanner.signatures import job_is_genuine

logger = logging.getLogger(__name__)

MAX_BODY_BYTES = 64 * 1024
_READ_SECONDS = 10


class JobServer:
    def __init__(self, config: Config, worker: Worker) -> None:
        self._server = _Server(config, worker)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="http")

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a client that says nothing for ten seconds does not hold up a stop
    request_queue_size = 128

    def __init__(self, config: Config, worker: Worker) -> None:
        self.config, self.worker = config, worker
        super().__init__((config.host, config.port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer would ask the resolver for the host's name, which can take seconds without a network.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _READ_SECONDS
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        if self.path == "/healthz":
            self._answer(200, self.server.worker.health())
        else:
            self._answer(404, {"code": "not_found"})

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self._answer(413, {"code": "too_large"})
        body = self.rfile.read(int(length))
        if self.path != "/jobs":
            return self._answer(404, {"code": "not_found"})
        headers = {name.lower(): value for name, value in self.headers.items()}
        if not job_is_genuine(headers, body, self.server.config.secrets, time.time()):
            return self._answer(401, {"code": "bad_signature"})
        return self._take(body)

    def _take(self, body: bytes) -> None:
        try:
            job = Job.parse(body)
        except InvalidJob as error:
            return self._answer(400, {"code": "invalid_job", "message": str(error)})
        worker = self.server.worker
        if not worker.can_run(job.provider):
            return self._answer(422, {"code": "scanner_not_installed"})
        added = worker.submit(job, body.decode())
        if added is Added.FULL:
            return self._answer(503, {"code": "busy"})
        return self._answer(202 if added is Added.ACCEPTED else 200, {"status": added.value})

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        return "scanner"

    def log_message(self, format: str, *args: Any) -> None:
        logger.debug(format, *args)
