"""Words that were probably meant: one slip is found exactly, two in longer words by the trigrams they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

MIN_LENGTH = 3
_MIN_FOR_TWO = 6
_CANDIDATES = 120
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def one_slip(word: str) -> set[str]:
    """Every word that is one missing, added, wrong or swapped letter away."""
    splits = [(word[:cut], word[cut:]) for cut in range(len(word) + 1)]
    missing = (left + letter + right for left, right in splits for letter in _LETTERS)
    added = (left + right[1:] for left, right in splits if right)
    wrong = (left + letter + right[1:] for left, right in splits if right for letter in _LETTERS)
    swapped = (left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1)
    return {*missing, *added, *wrong, *swapped} - {word}


def trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def corrections(
    word: str,
    known: Callable[[str], int | None],
    sharing: Callable[[str], Iterable[int]],
    spelled: Callable[[int], str],
) -> list[int]:
    """Numbers of known words that `word` was probably meant to be; the closest kind only."""
    if len(word) < MIN_LENGTH:
        return []
    near = [number for number in map(known, one_slip(word)) if number is not None]
    if near or len(word) < _MIN_FOR_TWO:
        return near
    shared: Counter[int] = Counter()
    for trigram in trigrams(word):
        shared.update(sharing(trigram))
    likely = (number for number, _ in shared.most_common(_CANDIDATES))
    return [number for number in likely if within_two(word, spelled(number))]


def within_two(first: str, second: str) -> bool:
    """Whether two slips or fewer lie between the words (swapped neighbours count as one)."""
    if abs(len(first) - len(second)) > 2:
        return False
    return _distance(first, second) <= 2


def _distance(first: str, second: str) -> int:
    before_last: list[int] = []
    last = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row, *_row(letter, row, first, second, last, before_last)]
        if min(current) > 2:
            return 3
        before_last, last = last, current
    return last[-1]


def _row(letter: str, row: int, first: str, second: str, last: list[int], before_last: list[int]) -> Iterator[int]:
    left = row
    for column, other in enumerate(second, 1):
        cost = min(last[column] + 1, left + 1, last[column - 1] + (letter != other))
        if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
            cost = min(cost, before_last[column - 2] + 1)
        left = cost
        yield cost
