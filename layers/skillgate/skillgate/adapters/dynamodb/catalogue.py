"""Published skills as DynamoDB lists them, for when Postgres is away and for comparing the two.

A sparse, sharded index lists the skills; the items are then read side by side. OVERRIDES holds the few statuses that
changed after the index of the marketplace was built.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from skillgate.adapters.dynamodb.skill_items import SHARDS, listing_of, partitions, time_text
from skillgate.adapters.dynamodb.table import Table
from skillgate.concurrency import chunks, settle
from skillgate.domain.archive import StoredFile
from skillgate.domain.listing import Listing
from skillgate.market_ports import Enumerated, Override

_PART_BYTES = 350_000  # an item holds 400 KB with everything
_FEW_KEYS = 10  # large items: a read returns 16 MB at most
_WORKERS = 8


class DynamoSkills:
    def __init__(self, table: Table) -> None:
        self._table = table

    def revisions(self) -> dict[str, int]:
        """Every listed skill with its revision, from the index's keys alone."""
        found: dict[str, int] = {}
        for outcome in settle(self._table.index_sort_keys, partitions("PUBLISHED"), workers=SHARDS):
            for entry in outcome.unwrap():
                skill_id, _, revision = entry.rpartition("#")
                found[skill_id] = int(revision)
        return found

    def read(self, ids: Sequence[str]) -> Enumerated:
        items, unread = self._table.get_many([(f"SKILL#{id_}", "LISTING") for id_ in ids])
        listings: list[Listing] = []
        unreadable = 0
        for item in items:
            try:
                listings.append(listing_of(item))
            except (KeyError, ValueError, TypeError, zlib.error):
                unreadable += 1
        gone = max(0, len(set(ids)) - len(items) - unread)
        return Enumerated(listings, skipped=unread + unreadable + gone)

    def named(self, key: str) -> list[str]:
        return [item["sk"] for item in self._table.query(f"ALIAS#{key}")]

    def aliases(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for outcome in settle(self._table.index_sort_keys, partitions("ALIAS"), workers=SHARDS):
            found += [(alias, id_) for alias, _, id_ in (entry.partition("#") for entry in outcome.unwrap())]
        return sorted(found)

    def overrides(self) -> list[Override]:
        return [
            Override(item["sk"], item["status"], item.get("reason"), datetime.fromisoformat(item["at"]))
            for item in self._table.query("OVERRIDES")
        ]

    def override(self, override: Override) -> None:
        self._table.put(
            {
                "pk": "OVERRIDES",
                "sk": override.skill_id,
                "status": override.status,
                "reason": override.reason,
                "at": time_text(override.at),
            }
        )

    def drop_overrides(self, before: datetime) -> None:
        """Forgets those that an index built after them knows."""
        for override in self.overrides():
            if override.at < before:
                self._table.delete("OVERRIDES", override.skill_id)


class DynamoContents:
    """Contents of published files by hash, in parts where one item cannot hold them."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def put(self, files: Iterable[StoredFile]) -> None:
        items = [
            {
                "pk": f"CONTENT#{file.sha256}",
                "sk": f"PART#{number:04d}",
                "parts": len(parts),
                "size": file.size,
                "crc32": file.crc32,
                "deflated": bytes(part),
            }
            for file in {file.sha256: file for file in files}.values()
            for parts in [chunks(file.deflated, _PART_BYTES)]
            for number, part in enumerate(parts)
        ]
        self._table.put_many(items)

    def get(self, hashes: Sequence[str]) -> dict[str, StoredFile]:
        keys = [(f"CONTENT#{hash_}", "PART#0000") for hash_ in dict.fromkeys(hashes)]
        first = self._read(keys)
        rest = [
            (pk, f"PART#{number:04d}") for (pk, _), item in first.items() for number in range(1, int(item["parts"]))
        ]
        items = first | self._read(rest)
        found: dict[str, StoredFile] = {}
        for (pk, _), head in first.items():
            parts = [items.get((pk, f"PART#{number:04d}")) for number in range(int(head["parts"]))]
            if all(part is not None for part in parts):
                data = b"".join(bytes(part["deflated"]) for part in parts if part is not None)
                hash_ = pk.removeprefix("CONTENT#")
                found[hash_] = StoredFile(hash_, int(head["size"]), int(head["crc32"]), data)
        return found

    def _read(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for outcome in settle(self._table.get_many, chunks(keys, _FEW_KEYS), workers=_WORKERS):
            items, _ = outcome.unwrap()
            found |= {(item["pk"], item["sk"]): item for item in items}
        return found
