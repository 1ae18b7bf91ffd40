"""Cursors: ours come back as they were; anybody else's are refused."""

from __future__ import annotations

import base64
import contextlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.api.cursor import decode, encode
from skillgate.domain.errors import InvalidInput


def cursor_of(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


storable = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.datetimes(timezones=st.just(UTC)), storable)
def test_a_cursor_comes_back_as_it_was(at: datetime, key: str) -> None:
    cursor = encode((at, key))
    assert cursor is not None and decode(cursor) == (at, key)


def test_a_cursor_can_stand_in_a_url_as_it_is() -> None:
    for number in range(64):
        cursor = encode((datetime(2025, 1, 1, tzinfo=timezone(timedelta(hours=2))), chr(0x3FFF + number)))
        assert cursor is not None and cursor.replace("-", "").replace("_", "").isalnum()


def test_no_position_is_no_cursor() -> None:
    assert encode(None) is None and decode(None) is None


NOW = "2025-06-01T12:00:00+00:00"


@pytest.mark.parametrize(
    "cursor",
    [
        *("", "x", "%%%", "é", "\ud800", "a" * 499, base64.urlsafe_b64encode(b"\xff\xfe").decode()),
        *map(cursor_of, [None, 7, "text", {}, [], [NOW], [NOW, "a", "b"], [NOW, 7], [7, "a"], ["yesterday", "a"]]),
        cursor_of(["2025-06-01T12:00:00", "without a time zone"]),
        cursor_of([NOW, "nul \0"]),
        cursor_of([NOW, "lone surrogate \ud800"]),
        cursor_of(["99999-01-01T00:00:00Z", "a"]),
    ],
    ids=lambda cursor: cursor[:24].encode("unicode_escape").decode(),
)
def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(cursor)
    assert refused.value.code == "invalid_cursor"


@given(st.text(max_size=200))
def test_no_text_at_all_does_worse_than_be_refused(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        decode(text)
