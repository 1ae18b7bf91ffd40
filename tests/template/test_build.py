"""The template as SAM takes it: valid, built, small enough, and for the right processor."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.backends import PROJECT
from tests.support.commands import run

LAMBDA_BYTES = 250 * 1024 * 1024  # unzipped, a function with its layers
AARCH64 = 183
LAYERS = ("DependenciesLayer", "SkillgateLayer")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def size_of(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def test_the_template_is_valid_and_lint_has_nothing_to_say(environment: Mapping[str, str]) -> None:
    run("sam", "validate", "--lint", environment=environment)


def test_a_function_and_its_layers_fit_into_lambda(built: Path) -> None:
    sizes = {name: size_of(built / name) for name in LAYERS}
    assert min(sizes.values()) > 0
    assert sum(sizes.values()) + size_of(PROJECT / "functions") < LAMBDA_BYTES, sizes


def test_every_compiled_module_is_for_the_functions_own_processor(built: Path) -> None:
    libraries = [path for name in LAYERS for path in (built / name).rglob("*.so*")]
    assert len(libraries) > 10
    for library in libraries:
        header = library.read_bytes()[:20]
        (machine,) = struct.unpack_from("<H", header, 18)
        assert header[:4] == b"\x7fELF" and machine == AARCH64, library.name


def test_the_layer_has_the_whole_library(built: Path) -> None:
    source = PROJECT / "layers" / "skillgate" / "skillgate"
    wanted = {
        path.relative_to(source) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    layer = built / "SkillgateLayer" / "python" / "skillgate"
    missing = {path for path in wanted if not (layer / path).is_file()}
    assert wanted and not missing


def test_the_layers_are_compiled_for_the_runtime(built: Path) -> None:
    for name, module in (("DependenciesLayer", "pydantic/main"), ("SkillgateLayer", "skillgate/settings")):
        folder, _, file = module.rpartition("/")
        assert (built / name / "python" / folder / "__pycache__" / f"{file}.cpython-313.pyc").is_file(), name
