"""`python -m tests.bench [ONLY]`: runs the benchmarks, prints a table and writes bench.json."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import yaml

from tests.bench.harness import REGISTERED, Result


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("only", nargs="?", help="the name of one benchmark")
    parser.add_argument("--out", type=Path, default=Path("bench.json"))
    parser.add_argument("--measured", type=Path, help="write what the cost model needs to this file")
    arguments = parser.parse_args()
    for module in sorted(Path(__file__).parent.glob("bench_*.py")):
        importlib.import_module(f"tests.bench.{module.stem}")
    if arguments.only and arguments.only not in REGISTERED:
        print(f"There is no benchmark {arguments.only}; there are: {', '.join(REGISTERED)}", file=sys.stderr)
        return 2
    results: list[Result] = []
    figures: dict[str, dict[str, object]] = {}
    for name, measure in REGISTERED.items():
        if arguments.only in (None, name):
            print(f"{name} …", file=sys.stderr, flush=True)
            with _quiet():
                found = measure()
                several = [found] if isinstance(found, Result) else list(found)
            results += several
            figures |= {result.figure: _figure(name, result) for result in several if result.figure}
    _print_table(results)
    if arguments.measured:
        arguments.measured.write_text(_measured(figures))
    arguments.out.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return 0


@contextmanager
def _quiet() -> Iterator[None]:
    """Functions log to the standard output, which is the table's here. Turned at the descriptor: children count too."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _figure(benchmark: str, result: Result) -> dict[str, object]:
    value = float(f"{result.ours:.4g}")
    return {"value": value, "unit": result.unit, "source": f"bench {benchmark}: {result.note}"}


def _measured(figures: dict[str, dict[str, object]]) -> str:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    head = {"date": datetime.now(UTC).date(), "machine": machine}
    return (
        "# What one submission takes. Written by `make measured`; never by hand.\n"
        + yaml.safe_dump(head, sort_keys=False)
        + yaml.safe_dump({"figures": figures}, sort_keys=True, width=150)
    )


def _print_table(results: list[Result]) -> None:
    width = max((len(result.name) for result in results), default=4)
    print(f"{'what':<{width}}  {'ours':>12}  {'baseline':>12}  {'ratio':>8}  unit      note")
    for result in results:
        baseline = "" if result.baseline is None else f"{result.baseline:,.4g}"
        ratio = "" if result.ratio is None else f"{result.ratio:,.2f}×"
        print(
            f"{result.name:<{width}}  {result.ours:>12,.4g}  {baseline:>12}  {ratio:>8}  {result.unit:<8}  "
            + result.note
        )


if __name__ == "__main__":
    sys.exit(main())
