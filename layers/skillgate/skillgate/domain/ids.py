"""Identifiers that sort by the time they were made (UUID version 7)."""

from __future__ import annotations

import secrets
import time
import uuid


def new_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    value |= 0b10 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=value))


def is_id(text: str) -> bool:
    """Whether the text is a UUID in its canonical form (and so safe to look up)."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
