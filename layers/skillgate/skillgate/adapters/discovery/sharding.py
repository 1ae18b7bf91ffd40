"""Getting past the thousand results that one search shows: a range with more is split until none has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from skillgate.domain.errors import SourceUnavailable

MOST_RESULTS = 1_000
PER_PAGE = 100

Shard = tuple[int, int]


@dataclass(frozen=True)
class Results:
    items: Sequence[Any]
    total: int
    incomplete: bool

    @classmethod
    def of(cls, value: Any) -> Results:
        """Raises SourceUnavailable for what is not GitHub's form."""
        try:
            items, total = value["items"], value["total_count"]
            incomplete = bool(value.get("incomplete_results"))
        except (KeyError, TypeError, AttributeError) as error:
            raise SourceUnavailable("GitHub's search results could not be understood.", retry_after=60) from error
        if not isinstance(items, list) or not isinstance(total, int):
            raise SourceUnavailable("GitHub's search results could not be understood.", retry_after=60)
        return cls(items, total, incomplete)


@dataclass(frozen=True)
class ShardPage:
    """One page of one range. `hidden`: results of a range that cannot be split any further."""

    results: Results
    at: Mapping[str, Any]
    after: Mapping[str, Any]
    hidden: int


Search = Callable[[int, int, int], Results]  # lowest, highest, page


def walk(search: Search, checkpoint: Mapping[str, Any] | None, everything: Shard) -> Iterator[ShardPage]:
    """Every page of every range. The first page of a range also tells whether it has to be split."""
    shards, page = _position(checkpoint, everything)
    while shards:
        lowest, highest = shards[0]
        results = search(lowest, highest, page)
        if page == 1 and results.total > MOST_RESULTS and lowest < highest:
            middle = _middle(lowest, highest)
            shards = [(lowest, middle), (middle + 1, highest), *shards[1:]]
            continue
        more = bool(results.items) and page * PER_PAGE < min(results.total, MOST_RESULTS)
        after = (shards, page + 1) if more else (shards[1:], 1)
        hidden = max(0, results.total - MOST_RESULTS) if page == 1 else 0
        yield ShardPage(results, _checkpoint(shards, page), _checkpoint(*after), hidden)
        shards, page = after


def _middle(lowest: int, highest: int) -> int:
    """Small numbers are far more common than large ones, so the split is at the geometric mean."""
    return min(max(isqrt((lowest + 1) * (highest + 1)) - 1, lowest), highest - 1)


def _checkpoint(shards: Sequence[Shard], page: int) -> dict[str, Any]:
    return {"shards": [list(shard) for shard in shards], "page": page}


def _position(checkpoint: Mapping[str, Any] | None, everything: Shard) -> tuple[list[Shard], int]:
    try:
        assert checkpoint is not None
        shards = [(int(lowest), int(highest)) for lowest, highest in checkpoint["shards"]]
        return shards, max(1, int(checkpoint["page"]))
    except (AssertionError, KeyError, TypeError, ValueError):
        return [everything], 1
