"""Building the published index: read everything, write new chunks, swap the pointer. Nothing is edited in place.

An index never gains or loses a skill by itself. It is made from Postgres, or from the KV while Postgres is away, and
whatever is published while one is being made is seen by the next: the transaction horizon is read before the skills.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from skillgate.concurrency import chunks
from skillgate.domain.errors import Conflict, StoreUnavailable
from skillgate.domain.ids import new_id
from skillgate.domain.listing import Listing, popularity
from skillgate.market_ports import IndexPointer
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.search.packed import Packed, UnreadableIndex, from_bytes, to_bytes
from skillgate.search.writer import IndexWriter
from skillgate.services.marketplace import KV, POSTGRES, REBUILD_WANTED, enumerate_kv
from skillgate.services.seeds import seed_ids, seeds

CHUNK_BYTES = 350_000  # of DynamoDB's 400 KB for an item


@dataclass(frozen=True)
class Built:
    """`built` False: the index there is holds what there is."""

    built: bool
    count: int
    source: str
    skipped: int = 0
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def build_index(backend: Backend, *, full: bool = False) -> Built:
    """Builds the index if something changed, or in any case with `full`. Raises StoreUnavailable or Conflict."""
    started = backend.now()
    current = backend.index.pointer()
    wanted = backend.live.control(REBUILD_WANTED)
    why = "full" if full else "first" if current is None else wanted["why"] if wanted and wanted.get("why") else ""
    try:
        horizon = backend.catalogue.horizon()
        if not why and current is not None:
            if current.horizon is not None and not backend.catalogue.changed_since(current.horizon):
                return Built(False, current.count, current.source)
            why = "changed"
        packed, skipped, source = _packed_from_postgres(backend), 0, POSTGRES
    except StoreUnavailable as error:
        logger.warning("postgres_away", reading="index", error=error.message)
        if not why and current is not None:
            return Built(False, current.count, current.source, why="Postgres is away")
        horizon, source = None, KV
        packed, skipped = _packed_from_kv(backend, current)
    _publish(backend, packed, current, started, source, horizon)
    backend.kv_skills.drop_overrides(started)
    if wanted and wanted.get("why") and datetime.fromisoformat(wanted["updatedAt"]) < started:
        backend.live.set_control(REBUILD_WANTED, {"why": ""}, at=started, by="index_builder")
    built = Built(True, len(packed), source, skipped, why)
    logger.info("index_built", **built.as_dict())
    return built


def read_index(backend: Backend) -> tuple[IndexPointer, Packed] | None:
    """The whole current index, for who compares or continues it. None if there is none that can be read."""
    pointer = backend.index.pointer()
    if pointer is None:
        return None
    parts = backend.index.read(pointer.generation, range(pointer.chunks))
    try:
        return pointer, from_bytes(b"".join(parts[number] for number in range(pointer.chunks)))
    except (KeyError, UnreadableIndex):
        logger.warning("index_unreadable", generation=pointer.generation)
        return None


def _packed_from_postgres(backend: Backend) -> Packed:
    known = backend.catalogue.known(sorted(seed_ids()))
    with backend.catalogue.everything() as listings:
        return _written(listings, (seed for seed in seeds() if seed.skill_id not in known))


def _packed_from_kv(backend: Backend, current: IndexPointer | None) -> tuple[Packed, int]:
    """From the KV; what it lists and cannot be read there keeps the entry that the index has now."""
    listings, skipped = enumerate_kv(backend)
    found = {listing.skill_id: listing for listing in listings}
    if skipped and current is not None and (before := read_index(backend)) is not None:
        for listing in before[1].listings():
            found.setdefault(listing.skill_id, listing)
    rest = [seed for seed in seeds() if seed.skill_id not in found]
    return _written(sorted(found.values(), key=popularity, reverse=True), rest), skipped


def _written(listings: Iterable[Listing], rest: Iterable[Listing]) -> Packed:
    writer = IndexWriter()
    merged: Iterator[Listing] = heapq.merge(
        listings, sorted(rest, key=popularity, reverse=True), key=popularity, reverse=True
    )
    for listing in merged:
        writer.add(listing)
    return writer.finish()


def _publish(
    backend: Backend, packed: Packed, current: IndexPointer | None, started: datetime, source: str, horizon: str | None
) -> None:
    data = to_bytes(packed)
    parts: Sequence[bytes] = [bytes(part) for part in chunks(data, CHUNK_BYTES)]
    generation = new_id()
    backend.index.write(generation, parts)
    pointer = IndexPointer(
        generation=generation,
        chunks=len(parts),
        count=len(packed),
        built_at=started,
        source=source,
        horizon=horizon,
        sha256=hashlib.sha256(data).hexdigest(),
        previous=current.generation if current else None,
        previous_chunks=current.chunks if current else 0,
    )
    if not backend.index.swap(pointer, replacing=current.generation if current else None):
        backend.index.delete(generation, len(parts))
        raise Conflict("Another index was made current meanwhile.", code="index_conflict")
    if current is not None and current.previous is not None:  # nobody loads the one before the last any more
        backend.index.delete(current.previous, current.previous_chunks)
