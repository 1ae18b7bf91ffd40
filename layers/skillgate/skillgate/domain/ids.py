"""Identifiers that sort by the time they were made (UUID version 7)."""

from __future__ import annotations

import secrets
import time
import uuid


def new_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    chance = secrets.randbits(74)  # drawn once: each draw lets other threads in between
    value = (milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | (chance >> 62) << 64
    value |= 0b10 << 62 | chance & (1 << 62) - 1
    return str(uuid.UUID(int=value))


def is_id(text: str) -> bool:
    """Whether the text is a UUID in its canonical form (and so safe to look up)."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
