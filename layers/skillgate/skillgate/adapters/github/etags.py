"""Answers kept with their ETag, so that asking again costs a 304. Bounded; the least recently used goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Kept(Generic[T]):
    etag: str
    answer: T
    size: int


class EtagCache(Generic[T]):
    def __init__(self, *, entries: int = 512, total_bytes: int = 16_000_000, entry_bytes: int = 2_000_000) -> None:
        self._most_entries = entries
        self._most_bytes = total_bytes
        self._largest = entry_bytes
        self._kept: OrderedDict[str, Kept[T]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> Kept[T] | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: str, etag: str, answer: T, size: int) -> None:
        if size > self._largest:
            return
        with self._lock:
            self._drop(key)
            self._kept[key] = Kept(etag, answer, size)
            self._bytes += size
            while len(self._kept) > self._most_entries or self._bytes > self._most_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: str) -> None:
        old = self._kept.pop(key, None)
        if old is not None:
            self._bytes -= old.size
