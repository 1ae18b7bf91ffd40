"""Counting installs: once per machine, skill and day, without keeping who.

A machine is known only as a hash under a salt that exists for its day. When the day is over the salt is deleted, and
nobody can tell any more which machine a mark stood for, nor whether two days saw the same one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from skillgate.ports import Backend


def count_installs(backend: Backend, skill_ids: Sequence[str], machine: str) -> set[str]:
    """The skills whose count went up. Unknown and blocked ones are not counted. Raises StoreUnavailable."""
    day = backend.now().date()
    salt = backend.installs.salt(day)
    ids = sorted({skill_id.lower() for skill_id in skill_ids})
    return backend.installs.count(day, [(skill_id, _mark(salt, skill_id, machine)) for skill_id in ids])


def _mark(salt: bytes, skill_id: str, machine: str) -> bytes:
    """Of the skill as well, so that marks do not tell which skills one machine installed."""
    return hmac.digest(salt, f"{skill_id}\0{machine}".encode(), hashlib.sha256)[:16]
