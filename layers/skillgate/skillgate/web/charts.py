"""Charts as SVG shapes; the template draws them, the style colours them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 120
_GAP = 3.0


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    label: str


def bars(values: Sequence[float], labels: Sequence[str]) -> list[Bar]:
    """One bar for each value, the highest as high as the chart; a value that is not nothing can be seen."""
    highest = max([*values, 1])
    step = WIDTH / max(1, len(values))
    drawn = []
    for index, (value, label) in enumerate(zip(values, labels, strict=True)):
        height = 0.0 if value == 0 else max(2.0, value / highest * (HEIGHT - 4))
        drawn.append(
            Bar(round(index * step + _GAP / 2, 2), round(HEIGHT - height, 2), round(step - _GAP, 2), height, label)
        )
    return drawn
