"""Published skills as items.

SKILL#<id>      STATE      everything; gsi1: UNSYNCED-SKILL#<shard> while Postgres lacks it
                LISTING    what lists show; gsi1: PUBLISHED#<shard>, sorted by id and revision
ALIAS#<name>    <id>       gsi1: ALIAS#<shard>
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from skillgate.domain.listing import VISIBLE, Listing
from skillgate.domain.skill import Published
from skillgate.search.text import key

SHARDS = 16
_TIMES = ("published_at", "created_at", "updated_at", "source_removed_at")


def shard(name: str) -> int:
    return zlib.crc32(name.encode()) % SHARDS


def partitions(prefix: str) -> list[str]:
    return [f"{prefix}#{number}" for number in range(SHARDS)]


def time_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def skill_items(published: Published, *, synced: bool) -> list[dict[str, Any]]:
    """The items of one skill, which are written together."""
    id_ = published.skill_id
    state: dict[str, Any] = {
        "pk": f"SKILL#{id_}",
        "sk": "STATE",
        "version": published.revision,
        "document": _packed(_document(published)),
    }
    if not synced:
        state |= {"gsi1pk": f"UNSYNCED-SKILL#{shard(id_)}", "gsi1sk": id_}
    listing: dict[str, Any] = {
        "pk": f"SKILL#{id_}",
        "sk": "LISTING",
        "version": published.revision,
        "document": _packed(Listing.of(published).to_dict()),
    }
    if published.status in VISIBLE:
        listing |= {"gsi1pk": f"PUBLISHED#{shard(id_)}", "gsi1sk": f"{id_}#{published.revision}"}
    return [state, listing]


def alias_item(published: Published) -> dict[str, Any]:
    alias = key(published.slug)
    pk = f"ALIAS#{alias}"
    return {
        "pk": pk,
        "sk": published.skill_id,
        "gsi1pk": f"ALIAS#{shard(alias)}",
        "gsi1sk": f"{alias}#{published.skill_id}",
    }


def skill_of(item: Mapping[str, Any]) -> Published:
    values = _unpacked(item)
    values |= {name: datetime.fromisoformat(values[name]) for name in _TIMES if values[name] is not None}
    return Published(**values | {"labels": tuple(values["labels"]), "agents": tuple(values["agents"])})


def listing_of(item: Mapping[str, Any]) -> Listing:
    """Raises KeyError, TypeError, ValueError or zlib.error for an item that is not a listing."""
    return Listing.from_dict(_unpacked(item))


def _document(published: Published) -> dict[str, Any]:
    values = dict(vars(published)) | {
        "labels": list(published.labels),
        "agents": list(published.agents),
        "files": list(published.files),
    }
    return values | {name: time_text(values[name]) for name in _TIMES if values[name] is not None}


def _packed(values: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(values, separators=(",", ":")).encode())


def _unpacked(item: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(zlib.decompress(bytes(item["document"])))
    return values
