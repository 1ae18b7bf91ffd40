"""The SQS server: the operations behind the AWS JSON 1.0 protocol, and a control endpoint for faults."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any

from local.sqs.calls import Arrivals, Call, Handler, Queues
from local.sqs.errors import SqsError
from local.sqs.faults import Faults, unavailable
from local.sqs.message_operations import MessageOperations
from local.sqs.moves import MoveOperations
from local.sqs.queue_operations import QueueOperations
from local.sqs.store import Store
from local.sqs.wire import HttpAnswer, HttpRequest, HttpServer

DEFAULT_REGION = "us-east-1"
DEFAULT_ACCOUNT = "000000000000"
_TARGET = "AmazonSQS."
_JSON = "application/x-amz-json-1.0"

logger = logging.getLogger(__name__)


class SqsService:
    """One server's life inside an event loop."""

    def __init__(self, data: Path | None, *, region: str = DEFAULT_REGION, account: str = DEFAULT_ACCOUNT) -> None:
        self._faults = Faults()
        self._store = Store(data)
        self._arrivals = Arrivals()
        queues = Queues(self._store, region, account)
        queue_operations = QueueOperations(queues, self._arrivals)
        self._moves = MoveOperations(queues, self._arrivals, queue_operations)
        self._handlers: dict[str, Handler] = {
            **queue_operations.handlers(),
            **MessageOperations(queues, self._arrivals).handlers(),
            **self._moves.handlers(),
        }
        self._http = HttpServer(self._answer)
        self._address = ""

    def release(self) -> None:
        with self._store.transaction():
            self._store.release()

    async def start(self, host: str, port: int) -> str:
        """Listen, and return the endpoint's URL."""
        self._address = f"{host}:{await self._http.start(host, port)}"
        self._moves.resume()
        return f"http://{self._address}"

    async def stop(self) -> None:
        self._arrivals.close()
        await self._http.stop()
        await self._moves.close()
        self._store.close()

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        headers = {"x-amzn-RequestId": str(uuid.uuid4()), "Content-Type": _JSON}
        try:
            if request.path == "/_control/faults":
                return _json_answer(200, self._control(request), headers)
            return _json_answer(200, await self._operate(request), headers)
        except SqsError as error:
            refusal = error
        except Exception:
            # The one place that may meet an error of our own: the client gets a 500, the log gets what it was.
            logger.exception("request failed")
            refusal = SqsError("InternalError", "The server failed; its log says why.", status=500)
        return _json_answer(
            refusal.status, refusal.body(), {**headers, "x-amzn-query-error": refusal.query_error_header}
        )

    async def _operate(self, request: HttpRequest) -> dict[str, Any]:
        target = request.headers.get("x-amz-target", "")
        operation = target.removeprefix(_TARGET)
        handler = self._handlers.get(operation)
        if request.method != "POST" or not target.startswith(_TARGET) or handler is None:
            raise SqsError("InvalidAction", f"This server has no operation {operation[:80]!r}.")
        document = _document(request.body)
        if not isinstance(document, dict):
            raise SqsError("SerializationException", "The request must be a JSON object.")
        faults = self._faults.for_call(operation)
        if "latency" in faults:
            await asyncio.sleep(faults.seconds)
        if "error" in faults:
            raise unavailable()
        endpoint = f"http://{request.headers.get('host', self._address)}"
        answer = await handler(Call(document, endpoint, faults, request.client_is_gone))
        if "lost" in faults:
            raise unavailable()
        return answer

    def _control(self, request: HttpRequest) -> list[dict[str, Any]]:
        if request.method == "PUT":
            try:
                self._faults.replace(_document(request.body))
            except (TypeError, ValueError) as error:
                raise SqsError("InvalidParameterValue", f"These are no faults: {error}") from error
        elif request.method != "GET":
            raise SqsError("InvalidAction", "Faults can be read with GET and replaced with PUT.", status=405)
        return self._faults.describe()


class SqsServer:
    """The server in a thread of this process, for tests: `with SqsServer() as server: … server.url`."""

    def __init__(
        self,
        data: Path | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        region: str = DEFAULT_REGION,
        account: str = DEFAULT_ACCOUNT,
    ) -> None:
        self._data, self._host, self._port = data, host, port
        self._region, self._account = region, account
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._url = ""
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    @property
    def url(self) -> str:
        return self._url

    def start(self) -> SqsServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="sqs")
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def stop(self) -> None:
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._thread = None

    def __enter__(self) -> SqsServer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    async def _main(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        try:
            service = SqsService(self._data, region=self._region, account=self._account)
            self._url = await service.start(self._host, self._port)
        except Exception as error:  # noqa: BLE001 -- handed to the thread that called start()
            self._failure = error
            return
        finally:
            self._started.set()
        await self._stopping.wait()
        await service.stop()


def _document(body: bytes) -> Any:
    try:
        document = json.loads(body or b"{}")
        json.dumps(document, ensure_ascii=False).encode()  # half a surrogate pair is valid JSON, but no text
    except (ValueError, RecursionError) as error:
        raise SqsError("SerializationException", "The request is not valid JSON.") from error
    return document


def _json_answer(status: int, document: object, headers: dict[str, str]) -> HttpAnswer:
    return HttpAnswer(status, json.dumps(document).encode(), headers)
