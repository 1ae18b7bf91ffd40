"""A queue service of a few dozen lines that boto3 can speak to, with a visibility timeout short enough for tests."""

import hashlib
import json
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = dict[str, Any]


@dataclass
class _Message:
    body: str
    attributes: Answer
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    receipt: str = ""
    receives: int = 0
    visible_at: float = 0.0


class FakeSqs:
    """Queues come into being when they are first named; `dead_letters` says where messages go, and after how many."""

    def __init__(
        self, visibility: float, dead_letters: dict[str, tuple[str, int]] | None = None, port: int = 0
    ) -> None:
        self._visibility = visibility
        self._dead_letters = dead_letters or {}
        self._queues: dict[str, list[_Message]] = {}
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def send(self, queue: str, body: Any, attributes: Answer | None = None) -> None:
        with self._changed:
            self._queues.setdefault(queue, []).append(_Message(json.dumps(body), attributes or {}))
            self._changed.notify_all()

    def bodies(self, queue: str) -> list[Any]:
        with self._changed:
            return [json.loads(message.body) for message in self._queues.get(queue, [])]

    def visible(self, queue: str) -> int:
        with self._changed:
            return sum(message.visible_at <= time.monotonic() for message in self._queues.get(queue, []))

    def send_message(self, queue: str, request: Answer) -> Answer:
        self.send(queue, json.loads(request["MessageBody"]))
        return {"MessageId": "1", "MD5OfMessageBody": hashlib.md5(request["MessageBody"].encode()).hexdigest()}

    def receive_message(self, queue: str, request: Answer) -> Answer:
        deadline = time.monotonic() + request["WaitTimeSeconds"]
        with self._changed:
            while not (taken := self._take(queue, request["MaxNumberOfMessages"])) and time.monotonic() < deadline:
                self._changed.wait(0.02)
        return {"Messages": [_received(message) for message in taken]}

    def delete_message_batch(self, queue: str, request: Answer) -> Answer:
        receipts = {entry["ReceiptHandle"] for entry in request["Entries"]}
        with self._changed:
            self._queues[queue] = [message for message in self._queues[queue] if message.receipt not in receipts]
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]], "Failed": []}

    def change_message_visibility_batch(self, queue: str, request: Answer) -> Answer:
        receipts = {entry["ReceiptHandle"]: entry["VisibilityTimeout"] for entry in request["Entries"]}
        with self._changed:
            for message in self._queues[queue]:
                if message.receipt in receipts:
                    message.visible_at = time.monotonic() + receipts[message.receipt]
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]], "Failed": []}

    def _take(self, queue: str, count: int) -> list[_Message]:
        target, most = self._dead_letters.get(queue, ("", 1_000_000))
        taken: list[_Message] = []
        for message in list(self._queues.get(queue, [])):
            if len(taken) == count or message.visible_at > time.monotonic():
                continue
            if message.receives >= most:
                self._queues[queue].remove(message)
                self._queues.setdefault(target, []).append(message)
                continue
            message.receives += 1
            message.receipt = str(uuid.uuid4())
            message.visible_at = time.monotonic() + self._visibility
            taken.append(message)
        return taken

    def end_visibility(self) -> None:
        """Shows again, now, what was received and not deleted."""
        for messages in self._queues.values():
            for message in messages:
                message.visible_at = 0.0

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        operations = {
            "SendMessage": self.send_message,
            "ReceiveMessage": self.receive_message,
            "DeleteMessageBatch": self.delete_message_batch,
            "ChangeMessageVisibilityBatch": self.change_message_visibility_batch,
        }

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                operation = operations[self.headers["x-amz-target"].split(".")[1]]
                answer = json.dumps(operation(request["QueueUrl"].rsplit("/")[-1], request)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/x-amz-json-1.0")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are of no interest."""

        return Handler


def _received(message: _Message) -> Answer:
    return {
        "MessageId": message.id,
        "ReceiptHandle": message.receipt,
        "Body": message.body,
        "MD5OfBody": hashlib.md5(message.body.encode()).hexdigest(),
        "Attributes": {"ApproximateReceiveCount": str(message.receives), "SenderId": "test"},
        "MessageAttributes": message.attributes,
    }
