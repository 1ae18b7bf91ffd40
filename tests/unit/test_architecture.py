"""Who may import whom. The arrows are read from the source of every module, so nothing has to run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LIBRARY = PROJECT / "layers" / "skillgate" / "skillgate"
FUNCTIONS = PROJECT / "functions"

# What each part of the library may import of the rest, itself aside.
ARROWS: dict[str, set[str]] = {
    "domain": set(),
    "settings": set(),
    "concurrency": set(),
    "deferred": set(),
    "sql": set(),
    "data": set(),
    "web": {"domain"},
    "context": {"domain", "settings"},
    "search": {"domain"},
    "ports": {"domain", "settings", "search"},
    "redaction": set(),
    "observability": {"context", "settings", "redaction"},
    "scanning": {"domain"},
    "scanning.tier2": {"domain", "ports", "observability", "scanning"},
    "services": {"domain", "ports", "context", "concurrency", "observability", "settings", "scanning", "search"},
    "adapters": {
        *("domain", "ports", "context", "concurrency", "observability", "settings", "sql", "search"),
        "scanning.tier2",  # a judge is a model behind tier 2's prompt
    },
    "api": {"domain", "ports", "context", "observability", "settings", "services"},
    "bootstrap": {
        "adapters",
        "deferred",
        "domain",
        "ports",
        "settings",
        "scanning.tier2",
        "search",
        "context",
        "observability",
    },
    # The command line is an edge of its own: it scans what is on a disk, and what lies outside comes by the bootstrap.
    "skill_folders": {"domain"},
    "cli": {"domain", "scanning", "skill_folders", "bootstrap"},
    "__main__": {"cli"},
}
FUNCTIONS_MAY = {
    *("bootstrap", "api", "services", "domain", "ports", "context", "observability", "settings", "web", "search")
}
SDKS = {"boto3", "botocore", "psycopg", "psycopg_pool", "httpx"}
BOOTSTRAP_MAY = {"boto3", "botocore", "httpx"}
STARTS_THREADS = {"ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "Timer", "Process", "start_new_thread"}
STARTS_PROCESSES = {"subprocess", "multiprocessing", "asyncio"}


def library_modules() -> list[Path]:
    return sorted(LIBRARY.rglob("*.py"))


def function_modules() -> list[Path]:
    return sorted(FUNCTIONS.rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a module imports, wherever in it; `from a import b` counts as a.b."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(path)} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(dotted: str) -> str | None:
    """The part of the library that a dotted name belongs to; None for somebody else's."""
    top, _, rest = dotted.partition(".")
    if top != "skillgate":
        return None
    if rest.startswith("scanning.tier2"):
        return "scanning.tier2"
    return rest.partition(".")[0]


def own_part(path: Path) -> str:
    dotted = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
    return part_of(f"skillgate.{dotted}") or ""


@pytest.mark.parametrize("path", library_modules(), ids=named)
def test_a_module_imports_only_what_its_part_may(path: Path) -> None:
    own = own_part(path)
    if own == "__init__":
        own = "domain"  # the package itself knows nothing
    wanted = {part for name in imports(path) if (part := part_of(name)) is not None} - {own, ""}
    assert wanted <= ARROWS[own], f"{own} may not import {sorted(wanted - ARROWS[own])}"


@pytest.mark.parametrize("path", function_modules(), ids=named)
def test_a_function_imports_only_the_library_s_upper_floors(path: Path) -> None:
    wanted = {part for name in imports(path) if (part := part_of(name)) is not None}
    assert wanted <= FUNCTIONS_MAY


@pytest.mark.parametrize("path", function_modules(), ids=named)
def test_a_function_does_not_import_another(path: Path) -> None:
    own = path.relative_to(FUNCTIONS).parts[0]
    others = {folder.name for folder in FUNCTIONS.iterdir() if folder.is_dir()} - {own}
    assert not {name.partition(".")[0] for name in imports(path)} & others


@pytest.mark.parametrize("path", [*library_modules(), *function_modules()], ids=named)
def test_only_adapters_and_the_bootstrap_import_an_sdk_or_a_driver(path: Path) -> None:
    wanted = {name.partition(".")[0] for name in imports(path)} & SDKS
    if path.is_relative_to(LIBRARY / "adapters"):
        return
    assert wanted <= (BOOTSTRAP_MAY if path == LIBRARY / "bootstrap.py" else set())


@pytest.mark.parametrize("path", [*library_modules(), *function_modules()], ids=named)
def test_nothing_but_the_bootstrap_reads_the_environment(path: Path) -> None:
    if path == LIBRARY / "bootstrap.py":
        return
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            assert node.attr not in {"environ", "environb", "getenv", "putenv"}, f"line {node.lineno}"
    assert not {"os.environ", "os.environb", "os.getenv"} & set(imports(path))


@pytest.mark.parametrize("path", [*library_modules(), *function_modules()], ids=named)
def test_nothing_but_concurrency_starts_threads_and_nothing_starts_processes(path: Path) -> None:
    names = set(imports(path))
    assert not {name.partition(".")[0] for name in names} & STARTS_PROCESSES
    if path == LIBRARY / "concurrency.py":
        return
    assert not {name.rpartition(".")[2] for name in names} & STARTS_THREADS
    used = {node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}
    assert not used & STARTS_THREADS


def test_the_walk_sees_the_whole_library() -> None:
    """An empty walk would pass every test above."""
    parts = {own_part(path) for path in library_modules()}
    assert {"domain", "services", "adapters", "scanning", "scanning.tier2", "api", "bootstrap"} <= parts
    assert "boto3" in set(imports(LIBRARY / "bootstrap.py"))
    assert len(function_modules()) >= 20


@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.py")), ids=named)
def test_what_a_subclass_must_bring_is_abstract_and_not_found_missing_when_it_is_called(path: Path) -> None:
    raised = [node.exc for node in ast.walk(tree(path)) if isinstance(node, ast.Raise)]
    assert not [each for each in raised if each is not None and "NotImplementedError" in ast.unparse(each)]
