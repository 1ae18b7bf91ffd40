"""The requests that were made, for tests and for people who want to see what a client does."""

import threading
from collections import deque
from dataclasses import dataclass

MOST_RECORDS = 100_000
SHORTEST_REAL_TOKEN = 40


@dataclass(frozen=True)
class RequestRecord:
    time: float
    method: str
    path: str
    query: str
    token: str | None
    status: int | None
    """None when the connection was dropped instead of answered."""
    conditional: bool


class RequestLog:
    """Keeps the newest records; the oldest fall out when there are very many."""

    def __init__(self) -> None:
        self._records: deque[RequestRecord] = deque(maxlen=MOST_RECORDS)
        self._lock = threading.Lock()

    def add(self, record: RequestRecord) -> None:
        with self._lock:
            self._records.append(record)

    def records(self) -> list[RequestRecord]:
        with self._lock:
            return list(self._records)

    def clear(self) -> None:
        with self._lock:
            self._records.clear()


def token_name(token: str | None) -> str | None:
    """What the log calls a token: itself, unless it is long enough to be a real one that strayed in here."""
    if token is None or len(token) < SHORTEST_REAL_TOKEN:
        return token
    return f"…{token[-4:]}"
