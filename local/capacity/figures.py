"""The figures under the models: measured, assumed or a price; each in its file, with a date and a source."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_REMEDY = {
    "measured.yaml": "run `make measured`, or add it to tests/bench/bench_capacity.py",
    "assumptions.yaml": "add it, with its reason",
    "prices.yaml": "look it up, and add it",
}


class MissingFigure(LookupError):
    """A model wants a figure that its file does not have. The message names both."""


@dataclass(frozen=True)
class Figures:
    """One file of figures. Asking for one that is not there is an error with its name, never a zero."""

    file: str
    date: str
    values: Mapping[str, float]
    sources: Mapping[str, str]
    machine: str = ""

    def __getitem__(self, name: str) -> float:
        try:
            return self.values[name]
        except KeyError:
            raise MissingFigure(f"{self.file} has no {name}: {_REMEDY[self.file]}") from None


@dataclass(frozen=True)
class Basis:
    measured: Figures
    assumed: Figures
    prices: Figures

    def __str__(self) -> str:
        return "\n".join(
            (
                f"measured  {self.measured.date} on {self.measured.machine}: durations, requests, units, bytes",
                f"assumed   {self.assumed.date}, with reasons in local/capacity/assumptions.yaml:",
                textwrap.fill(
                    ", ".join(f"{name} {value:g}" for name, value in self.assumed.values.items()),
                    width=110,
                    initial_indent=" " * 10,
                    subsequent_indent=" " * 10,
                ),
                f"prices    {self.prices.date}: on-demand list prices of us-east-1, without free tiers and discounts",
            )
        )


def load(folder: Path = HERE) -> Basis:
    return Basis(_read(folder / "measured.yaml"), _read(folder / "assumptions.yaml"), _read(folder / "prices.yaml"))


def _read(path: Path) -> Figures:
    content: dict[str, Any] = yaml.safe_load(path.read_text())
    entries = content["figures"]
    return Figures(
        file=path.name,
        date=str(content["date"]),
        values={name: float(entry["value"]) for name, entry in entries.items()},
        sources={name: str(entry.get("source", "")) for name, entry in entries.items()},
        machine=str(content.get("machine", "")),
    )
