"""Server-sent events for a gateway that buffers: each answer is what has happened, and then it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from skillgate.domain.errors import InvalidInput
from skillgate.ports import StreamEvent

RETRY_MS = 2000
_ID = re.compile(r"(\d{1,19})-(\d{1,18})", re.ASCII)


def parse_event_id(text: str | None) -> tuple[str, int] | None:
    if text is None or text == "":
        return None
    match = _ID.fullmatch(text)
    if match is None:
        raise InvalidInput("This event id is not one of ours.", code="invalid_event_id")
    return match[1], int(match[2])


def render(events: Sequence[StreamEvent], cursor: tuple[str, int]) -> str:
    parts = [f"retry: {RETRY_MS}\n"]
    parts += [f"id: {_event_id(e.cursor)}\nevent: submission\ndata: {json.dumps(_data(e))}\n" for e in events]
    parts.append(f"id: {_event_id(cursor)}\nevent: end\ndata: {{}}\n")
    return "\n".join(parts) + "\n"


def _event_id(cursor: tuple[str, int]) -> str:
    return f"{cursor[0]}-{cursor[1]}"


def _data(item: StreamEvent) -> dict[str, object]:
    event = item.event
    return {
        "submissionId": event.submission_id,
        "version": event.version,
        "fromState": event.from_state,
        "state": event.to_state,
        "at": event.at.isoformat(),
        "reasonCode": event.reason.code if event.reason else None,
        "reason": event.reason.message if event.reason else None,
        "repoUrl": item.repo_url,
        "skillName": item.skill_name,
        "skillPath": item.skill_path,
    }
