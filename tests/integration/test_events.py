"""Every event in events/ is understood by the function that its name says."""

import json
from pathlib import Path

import pytest

from tests.support.backends import PROJECT

EVENTS = sorted((PROJECT / "events").glob("*.json"))
FUNCTIONS = [
    "public-api", "admin-api", "webhook-api", "web-pages", "submission-consumer", "external-scan-dispatcher", "sweeper",
    "discovery", "index-builder", "schema-migrator",
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_an_event(function: str) -> None:
    assert [event for event in EVENTS if event.stem.startswith(function)]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.stem)
def test_an_event_names_its_function_and_is_json(event: Path) -> None:
    assert any(event.stem.startswith(function) for function in FUNCTIONS)
    assert isinstance(json.loads(event.read_text()), dict)
