"""Migrations and named queries, as plain SQL.

A query is a block that begins with `-- name: <name>`; what follows up to the next such line is its text, comments and
all, so that a slow statement seen in Postgres can be found here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Migration:
    number: int
    name: str
    text: str


@cache
def queries(file: str) -> dict[str, str]:
    """The named queries of one file under queries/."""
    parts = _NAME.split((files(__name__) / "queries" / f"{file}.sql").read_text())
    return {name: f"-- {file}.{name}\n{text.strip()}" for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def migrations() -> list[Migration]:
    """Every migration, in order. Raises ValueError where the numbers have a gap or repeat."""
    entries = [entry for entry in (files(__name__) / "migrations").iterdir() if entry.name.endswith(".sql")]
    found = [Migration(int(e.name.split("_", 1)[0]), e.name.removesuffix(".sql"), e.read_text()) for e in entries]
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"Migrations must be numbered from 1 without gaps: {[m.name for m in found]}")
    return found
