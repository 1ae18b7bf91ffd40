"""GitHub's search language: words, and `qualifier:value` pairs of which the stand-in knows a fixed set."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from local.github.answers import ApiError

_RANGE = re.compile(r"(?P<low>\d+|\*)\.\.(?P<high>\d+|\*)")
_COMPARISON = re.compile(r"(?P<sign>>=|<=|>|<|)(?P<number>\d+)")


@dataclass(frozen=True)
class SearchQuery:
    words: tuple[str, ...]
    qualifiers: dict[str, tuple[str, ...]]

    def values(self, qualifier: str) -> tuple[str, ...]:
        return self.qualifiers.get(qualifier, ())


def parse_query(text: str, known: frozenset[str]) -> SearchQuery:
    """Raises ApiError 422 for an empty query, and for a qualifier that the stand-in would silently get wrong."""
    words: list[str] = []
    qualifiers: dict[str, list[str]] = {}
    for part in _parts(text):
        name, colon, value = part.partition(":")
        if not colon:
            words.append(part)
        elif name in known:
            qualifiers.setdefault(name, []).append(value)
        else:
            raise invalid_query(f"The stand-in does not know the qualifier {name!r}")
    if not words and not qualifiers:
        raise invalid_query("Validation Failed")
    return SearchQuery(tuple(words), {name: tuple(values) for name, values in qualifiers.items()})


def number_test(expression: str) -> Callable[[int], bool]:
    """`10`, `>10`, `>=10`, `<10`, `<=10`, `10..20`, `10..*` or `*..10` as a test of a number."""
    if between := _RANGE.fullmatch(expression):
        low = 0 if between["low"] == "*" else int(between["low"])
        high = None if between["high"] == "*" else int(between["high"])
        return lambda number: number >= low and (high is None or number <= high)
    compared = _COMPARISON.fullmatch(expression)
    if compared is None:
        raise invalid_query(f"Not a number or a range: {expression!r}")
    bound = int(compared["number"])
    tests: dict[str, Callable[[int], bool]] = {
        ">=": lambda number: number >= bound,
        "<=": lambda number: number <= bound,
        ">": lambda number: number > bound,
        "<": lambda number: number < bound,
        "": lambda number: number == bound,
    }
    return tests[compared["sign"]]


def invalid_query(message: str) -> ApiError:
    return ApiError(422, message, errors=[{"resource": "Search", "field": "q", "code": "invalid"}])


def _parts(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise invalid_query(f"The query cannot be parsed: {error}") from error
