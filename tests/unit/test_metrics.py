"""What an invocation reports at its end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from skillgate.observability import Measure, measure, measure_lowest, metrics


@pytest.fixture(autouse=True)
def _none_left_over() -> Iterator[None]:
    metrics.clear_metrics()
    yield
    metrics.clear_metrics()


def test_of_a_level_only_the_lowest_is_reported() -> None:
    for left in (60, 12, 40):
        measure_lowest(Measure.GITHUB_QUOTA_LEFT, left)
    assert metrics.metric_set[Measure.GITHUB_QUOTA_LEFT]["Value"] == [12]


def test_of_what_happens_every_time_is_reported() -> None:
    measure(Measure.PUBLISHED)
    measure(Measure.PUBLISHED)
    assert metrics.metric_set[Measure.PUBLISHED]["Value"] == [1, 1]
