"""Opaque cursors: where a page ended, as text that only we read."""

from __future__ import annotations

import base64
import json
from datetime import datetime

from skillgate.domain.errors import InvalidInput
from skillgate.domain.ids import is_id

Position = tuple[datetime, str]


def encode(position: Position | None) -> str | None:
    if position is None:
        return None
    text = json.dumps([position[0].isoformat(), position[1]])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str | None) -> Position | None:
    """Raises InvalidInput for what we did not write."""
    if cursor is None:
        return None
    try:
        at, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None or not isinstance(key, str) or "\0" in key:
            raise ValueError
        key.encode()  # a lone surrogate is text that no store can look for
    except (ValueError, TypeError):
        raise InvalidInput("This cursor is not one of ours.", code="invalid_cursor") from None
    return moment, key


def decode_with_id(cursor: str | None) -> Position | None:
    """For lists whose keys are ids. Raises InvalidInput for what we did not write."""
    position = decode(cursor)
    if position is not None and not is_id(position[1]):
        raise InvalidInput("This cursor is not one of ours.", code="invalid_cursor")
    return position
