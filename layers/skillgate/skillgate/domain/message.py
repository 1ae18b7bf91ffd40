"""What travels through the queue: an id, never a body."""

from __future__ import annotations

import json

from skillgate.domain.ids import is_id


def to_body(submission_id: str) -> str:
    return json.dumps({"submissionId": submission_id})


def submission_id_of(body: str) -> str | None:
    """The id that a message carries; None for a body that is not ours."""
    return _id_in(body, "submissionId")


def scan_to_body(job_id: str) -> str:
    return json.dumps({"scanJobId": job_id})


def scan_job_id_of(body: str) -> str | None:
    """The external scan that a message is about; None for a body that is not ours."""
    return _id_in(body, "scanJobId")


def _id_in(body: str, name: str) -> str | None:
    try:
        value = json.loads(body)[name]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return value if isinstance(value, str) and is_id(value) else None
