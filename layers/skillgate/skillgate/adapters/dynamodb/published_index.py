"""The published index in DynamoDB: chunks that are never changed, and a pointer that is swapped when all are there.

INDEX#<generation>  CHUNK#<number>
INDEX               POINTER
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from skillgate.adapters.dynamodb.skill_items import time_text
from skillgate.adapters.dynamodb.table import Table
from skillgate.concurrency import chunks as batches
from skillgate.concurrency import settle
from skillgate.market_ports import IndexPointer

CHUNK_BYTES = 350_000  # an item holds 400 KB with everything
_BATCH = 10  # chunks in one call: DynamoDB takes and returns 16 MB
_WORKERS = 4


class DynamoIndex:
    def __init__(self, table: Table) -> None:
        self._table = table

    def pointer(self) -> IndexPointer | None:
        item = self._table.get("INDEX", "POINTER")
        if item is None:
            return None
        return IndexPointer(
            generation=item["generation"],
            chunks=int(item["chunks"]),
            count=int(item["count"]),
            built_at=datetime.fromisoformat(item["built_at"]),
            source=item["source"],
            horizon=item.get("horizon"),
            sha256=item["sha256"],
            previous=item.get("previous"),
            previous_chunks=int(item.get("previous_chunks", 0)),
        )

    def read(self, generation: str, numbers: Sequence[int]) -> dict[int, bytes]:
        """The chunks that are there."""
        keys = [(f"INDEX#{generation}", _chunk(number)) for number in numbers]
        found: dict[int, bytes] = {}
        for outcome in settle(self._table.get_many, batches(keys, _BATCH), workers=_WORKERS):
            items, _ = outcome.unwrap()
            found |= {int(item["sk"].removeprefix("CHUNK#")): bytes(item["data"]) for item in items}
        return found

    def write(self, generation: str, chunks: Sequence[bytes]) -> None:
        items = [
            {"pk": f"INDEX#{generation}", "sk": _chunk(number), "data": data} for number, data in enumerate(chunks)
        ]
        for batch in batches(items, _BATCH):
            self._table.put_many(batch)

    def swap(self, pointer: IndexPointer, replacing: str | None) -> bool:
        """Makes this the current index. False if another was made current meanwhile."""
        item: dict[str, Any] = asdict(pointer) | {
            "pk": "INDEX",
            "sk": "POINTER",
            "built_at": time_text(pointer.built_at),
        }
        if replacing is None:
            return self._table.put(item, condition="attribute_not_exists(pk)")
        return self._table.put(item, condition="generation = :old", bound={":old": replacing})

    def delete(self, generation: str, chunks: int) -> None:
        def drop(number: int) -> None:
            self._table.delete(f"INDEX#{generation}", _chunk(number))

        for outcome in settle(drop, range(chunks), workers=_WORKERS):
            outcome.unwrap()


def _chunk(number: int) -> str:
    return f"CHUNK#{number:05d}"
