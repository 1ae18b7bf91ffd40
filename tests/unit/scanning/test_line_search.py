"""Searching a whole text finds what asking each of its lines would find."""

from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from skillgate.scanning.line_search import LineSearch, widened
from skillgate.scanning.rules import RULES
from skillgate.scanning.rules.concepts import CONCEPTS
from skillgate.scanning.rules.lines import LINES

_PATTERNS = {**CONCEPTS, **LINES}


def _examples() -> bytes:
    texts: list[str] = []
    for rule in RULES:
        for example in (*rule.hits, *rule.misses):
            texts += [example] if isinstance(example, str) else example.values()
    return "\n".join(texts).lower().encode()


def _asked_one_by_one(patterns: tuple[str, ...], text: bytes) -> list[int]:
    options = re2.Options()
    options.case_sensitive = False
    compiled = [re2.compile(f"(?m){pattern}", options) for pattern in patterns]
    return [n for n, line in enumerate(text.split(b"\n")) if any(pattern.search(line) for pattern in compiled)]


@pytest.mark.parametrize("name", sorted(_PATTERNS))
def test_the_lines_found_are_those_that_match_by_themselves(name: str) -> None:
    text = _examples()
    found = [line.number for line in LineSearch(_PATTERNS[name]).lines(text)]
    assert found == _asked_one_by_one(_PATTERNS[name], text)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a.{0,40}b", "a.{0,}b"),
        (r"(?:\w+ ){1,3}x{4}", r"(?:\w+ ){1,}x{4}"),
        (r"\{0,3} x{2,}", r"\{0,3} x{2,}"),
        ("a?b*c+", "a?b*c+"),
    ],
)
def test_only_upper_bounds_are_taken_from_a_pattern(pattern: str, expected: str) -> None:
    assert widened(pattern) == expected


@given(st.text("ab \n", max_size=60))
def test_a_gap_is_never_wider_than_written_and_never_reaches_into_the_next_line(text: str) -> None:
    patterns = (r"a.{0,3}b", r"b\s{1,2}b")
    found = [line.number for line in LineSearch(patterns).lines(text.encode())]
    assert found == _asked_one_by_one(patterns, text.encode())
