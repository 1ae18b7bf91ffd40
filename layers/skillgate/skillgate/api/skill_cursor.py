"""Cursors of skill lists: the sort and the key of the last one shown. Opaque to everybody else."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from skillgate.domain.errors import InvalidInput
from skillgate.domain.listing import SORTS, Key

_MAX_NUMBER = 2**62


def encode(sort: str, key: Key | None) -> str | None:
    if key is None:
        return None
    text = json.dumps([sort, *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str | None, sort: str) -> Key | None:
    """Raises InvalidInput for what we did not write, or wrote for another order."""
    if cursor is None:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(values, list) or values[0] != sort or len(values) != len(SORTS[sort]) + 1:
            raise ValueError
        if not all(_fits(value, kind) for value, kind in zip(values[1:], SORTS[sort], strict=True)):
            raise ValueError
    except (ValueError, TypeError, KeyError, IndexError, binascii.Error, RecursionError):
        raise InvalidInput("This cursor is not one of ours, or of another order.", code="invalid_cursor") from None
    return tuple(values[1:])


def _fits(value: Any, kind: type) -> bool:
    if kind is int:
        return type(value) is int and abs(value) < _MAX_NUMBER
    if type(value) is not str or "\0" in value:
        return False
    value.encode()  # a lone surrogate is no text
    return True
