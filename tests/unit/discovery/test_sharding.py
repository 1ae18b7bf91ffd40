"""Walking through more results than one query shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.adapters.discovery.sharding import MOST_RESULTS, PER_PAGE, Results, walk
from skillgate.domain.errors import SourceUnavailable

EVERYTHING = (0, 400_000)


class Searched:
    """Files by size, searched as GitHub does."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.files = list(enumerate(sizes))
        self.queries = 0

    def __call__(self, lowest: int, highest: int, page: int) -> Results:
        self.queries += 1
        found = [name for name, size in self.files if lowest <= size <= highest]
        shown = found[:MOST_RESULTS][(page - 1) * PER_PAGE : page * PER_PAGE]
        return Results(shown, len(found), False)


def found(search: Searched) -> list[int]:
    return [item for page in walk(search, None, EVERYTHING) for item in page.results.items]


def test_a_range_with_more_than_a_thousand_is_split_until_all_are_seen() -> None:
    search = Searched([(n * 37) % 20_000 for n in range(7_500)])
    assert sorted(found(search)) == list(range(7_500))
    assert search.queries < 130, "75 pages, and a few questions for where to split"


@given(st.lists(st.integers(0, 400_000), max_size=60), st.integers(1, 40))
def test_every_file_is_seen_exactly_once_whatever_the_sizes(sizes: list[int], copies: int) -> None:
    search = Searched(sizes * copies)
    pages = list(walk(search, None, EVERYTHING))
    seen = [item for page in pages for item in page.results.items]
    assert len(seen) == len(set(seen))
    assert len(seen) + sum(page.hidden for page in pages) == len(search.files)


def test_from_any_checkpoint_the_rest_is_seen() -> None:
    search = Searched([(n * 37) % 9_000 for n in range(3_000)])
    pages = list(walk(search, None, EVERYTHING))
    for cut in range(len(pages)):
        rest = [item for page in walk(search, pages[cut].after, EVERYTHING) for item in page.results.items]
        before = [item for page in pages[: cut + 1] for item in page.results.items]
        assert sorted(before + rest) == list(range(3_000))
        again = next(walk(search, pages[cut].at, EVERYTHING))
        assert again == pages[cut]


def test_what_cannot_be_split_is_counted_as_hidden() -> None:
    pages = list(walk(Searched([500] * 1_234), None, EVERYTHING))
    assert sum(len(page.results.items) for page in pages) == MOST_RESULTS
    assert sum(page.hidden for page in pages) == 234


@pytest.mark.parametrize("checkpoint", [{}, {"shards": "x", "page": 1}, {"shards": [[1]], "page": 1}, {"shards": []}])
def test_a_checkpoint_that_is_not_understood_means_the_beginning(checkpoint: dict[str, object]) -> None:
    search = Searched(range(50))
    assert [page.at for page in walk(search, checkpoint, EVERYTHING)] == [{"shards": [[0, 400_000]], "page": 1}]


@pytest.mark.parametrize("value", [None, [], {"items": 1, "total_count": 2}, {"items": [], "total_count": "many"}])
def test_an_answer_in_another_form_is_not_an_empty_result(value: object) -> None:
    with pytest.raises(SourceUnavailable):
        Results.of(value)
