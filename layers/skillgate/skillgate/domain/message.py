"""What travels through the queue: an id, never a body."""

from __future__ import annotations

import json

from skillgate.domain.ids import is_id


def to_body(submission_id: str) -> str:
    return json.dumps({"submissionId": submission_id})


def submission_id_of(body: str) -> str | None:
    """The id that a message carries; None for a body that is not ours."""
    try:
        value = json.loads(body)["submissionId"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return value if isinstance(value, str) and is_id(value) else None
