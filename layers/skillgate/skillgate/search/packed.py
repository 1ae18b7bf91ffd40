"""The index as arrays and sorted lists, and as bytes. Small in memory, quick to load: nothing is computed on loading.

Skills are numbered by popularity, the most popular first, so every list of numbers is in the order in which hits of
equal rank are shown.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from skillgate.domain.listing import Listing

FORMAT = 1
BLOCK = 16  # listings compressed together: one is read without unpacking many others


class UnreadableIndex(Exception):
    """The bytes are not an index of this format."""


@dataclass(frozen=True, slots=True)
class Postings:
    """For each of many terms the numbers of what has it, one after the other."""

    starts: array[int]
    numbers: array[int]

    def of(self, first: int, last: int | None = None) -> array[int]:
        """The numbers of the term, or of all terms from `first` up to `last`: neighbours lie side by side."""
        return self.numbers[self.starts[first] : self.starts[first + 1 if last is None else last]]

    def size(self, first: int, last: int) -> int:
        return self.starts[last] - self.starts[first]


@dataclass(frozen=True, slots=True)
class Packed:
    ids: list[str]
    installs: array[int]
    stars: array[int]
    updated: array[int]
    created: array[int]
    score: array[int]
    scripts: array[int]
    categories: list[str]
    category: array[int]
    tiers: list[str]
    tier: array[int]
    agents: list[str]
    agent_docs: Postings
    any_agent: array[int]  # 1 where a skill names none
    labels: list[str]
    label_docs: Postings
    repos: list[str]
    repo: array[int]
    repo_docs: Postings
    keys: list[str]  # of names and slugs, sorted
    key_doc: array[int]
    words: list[str]  # sorted
    name_docs: Postings
    description_docs: Postings
    trigrams: list[str]
    trigram_words: Postings
    by_id: array[int]  # numbers in the order of their ids, then in the other orders of a list
    by_updated: array[int]
    by_created: array[int]
    by_stars: array[int]
    by_score: array[int]
    by_name: array[int]
    blocks: list[bytes]

    def __len__(self) -> int:
        return len(self.ids)

    def listing(self, number: int) -> Listing:
        rows = json.loads(zlib.decompress(self.blocks[number // BLOCK]))
        return Listing.from_dict(rows[number % BLOCK])

    def listings(self) -> Iterator[Listing]:
        for block in self.blocks:
            yield from (Listing.from_dict(row) for row in json.loads(zlib.decompress(block)))


def to_bytes(packed: Packed) -> bytes:
    sections: list[tuple[str, str, bytes]] = []
    for field in fields(Packed):
        value = getattr(packed, field.name)
        if isinstance(value, Postings):
            sections.append((f"{field.name}.starts", *_array(value.starts)))
            sections.append((f"{field.name}.numbers", *_array(value.numbers)))
        elif isinstance(value, array):
            sections.append((field.name, *_array(value)))
        elif field.name == "blocks":
            sections.append(("blocks.sizes", *_array(array("I", map(len, value)))))
            sections.append(("blocks", "bytes", b"".join(value)))
        else:
            sections.append((field.name, "text", zlib.compress("\n".join(value).encode(), 6)))
    head = {
        "format": FORMAT,
        "count": len(packed),
        "order": sys.byteorder,
        "sections": [(name, kind, len(data)) for name, kind, data in sections],
    }
    return json.dumps(head).encode() + b"\n" + b"".join(data for _, _, data in sections)


def from_bytes(data: bytes) -> Packed:
    """Raises UnreadableIndex."""
    try:
        end = data.index(b"\n")
        head = json.loads(data[:end])
        if head["format"] != FORMAT or head["order"] != sys.byteorder:
            raise UnreadableIndex(f"The index has format {head['format']}, {head['order']} endian.")
        return _assembled(head, memoryview(data)[end + 1 :])
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise UnreadableIndex("The index is damaged.") from error


def _assembled(head: dict[str, Any], body: memoryview) -> Packed:
    raw: dict[str, tuple[str, memoryview]] = {}
    at = 0
    for name, kind, size in head["sections"]:
        raw[name] = kind, body[at : at + size]
        at += size
    if at != len(body):
        raise ValueError("sections are missing")
    values: dict[str, Any] = {}
    for field in fields(Packed):
        if field.name == "blocks":
            values["blocks"] = list(_blocks(_loaded(*raw["blocks.sizes"]), raw["blocks"][1]))
        elif f"{field.name}.starts" in raw:
            parts = (_loaded(*raw[f"{field.name}.{part}"]) for part in ("starts", "numbers"))
            values[field.name] = Postings(*parts)
        else:
            values[field.name] = _loaded(*raw[field.name])
    return Packed(**values)


def _array(values: array[int]) -> tuple[str, bytes]:
    return f"array:{values.typecode}", zlib.compress(values.tobytes(), 3)


def _loaded(kind: str, data: memoryview) -> Any:
    content = zlib.decompress(data)
    if kind == "text":
        return content.decode().split("\n") if content else []
    values: array[int] = array(kind.removeprefix("array:"))
    values.frombytes(content)
    return values


def _blocks(sizes: array[int], data: memoryview) -> Iterator[bytes]:
    at = 0
    for size in sizes:
        yield bytes(data[at : at + size])
        at += size
