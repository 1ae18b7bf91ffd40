"""What a route's description says of answers other than the usual 200 with JSON."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def answers(model: type[BaseModel], **by_status: str) -> dict[int, Any]:
    """The same model under several statuses: `answers(Thing, _200="It was there.", _202="It is on its way.")`."""
    return {
        int(status.removeprefix("_")): {"description": text, "content": {"application/json": {"model": model}}}
        for status, text in by_status.items()
    }


def plain(status: int, description: str) -> dict[int, Any]:
    """An answer whose point is in its headers."""
    return {status: {"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}}}


def event_stream(description: str) -> dict[int, Any]:
    """Server-sent events, whose fields no schema of a document describes."""
    return {200: {"description": description, "content": {"text/event-stream; charset=utf-8": {"schema": {}}}}}
