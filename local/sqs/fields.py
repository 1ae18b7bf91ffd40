"""Reading a request's fields: everything a client sends is checked for its type and range before it is used."""

from __future__ import annotations

import re
from typing import Any

from local.sqs.errors import SqsError, invalid_value

BATCH_LIMIT = 10
_ENTRY_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")

Json = dict[str, Any]


def text(request: Json, name: str) -> str:
    value = request.get(name)
    if value is None:
        raise SqsError("MissingParameter", f"The request must contain the parameter {name}.")
    if not isinstance(value, str):
        raise invalid_value(value, name, "Must be a string.")
    return value


def optional_text(request: Json, name: str) -> str | None:
    return None if request.get(name) is None else text(request, name)


def integer(request: Json, name: str, low: int, high: int) -> int | None:
    """The whole number under `name`, or None where the request has none."""
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid_value(value, name, f"Must be between {low} and {high}, if provided.")
    return value


def names(request: Json, *fields: str) -> set[str]:
    """The names listed under any of `fields` (SQS has renamed one of its fields and still takes both)."""
    found: set[str] = set()
    for field in fields:
        value = request.get(field) or []
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise invalid_value(value, field, "Must be a list of names.")
        found.update(value)
    return found


def mapping(request: Json, name: str) -> Json:
    value = request.get(name) or {}
    if not isinstance(value, dict):
        raise invalid_value(value, name, "Must be a map.")
    return value


def batch(request: Json, entry_type: str) -> list[Json]:
    """The entries of a batch, in order, each with an `Id` of its own."""
    entries = request.get("Entries") or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise invalid_value("[...]", "Entries", "Must be a list of entries.")
    if not entries:
        raise SqsError("EmptyBatchRequest", f"There should be at least one {entry_type} in the request.")
    if len(entries) > BATCH_LIMIT:
        raise SqsError(
            "TooManyEntriesInBatchRequest",
            f"Maximum number of entries per request are {BATCH_LIMIT}. You have sent {len(entries)}.",
        )
    seen: set[str] = set()
    for entry in entries:
        entry_id = text(entry, "Id")
        if not _ENTRY_ID.fullmatch(entry_id):
            raise SqsError(
                "InvalidBatchEntryId",
                "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
                "It can be at most 80 letters long.",
            )
        if entry_id in seen:
            raise SqsError("BatchEntryIdsNotDistinct", f"Id {entry_id} repeated.")
        seen.add(entry_id)
    return entries
