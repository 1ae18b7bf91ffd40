"""Every handler imports from what `sam build` built, and brings in only what its function uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.backends import PROJECT
from tests.support.cold_start import FUNCTIONS, Import, fresh_import, native_layer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EVERYWHERE = {
    *("aws_lambda_powertools", "jmespath", "botocore"),  # of botocore just its name: Powertools looks at it
    *("pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"),
}
FRONT_MATTER = {"yaml"}  # publishing, and replaying what was published, reads a skill's front matter
RULES = {"re2"}  # deciding a dispute scores the findings again
SCANNER = {*RULES, "tree_sitter", "tree_sitter_bash", "tree_sitter_javascript", "tree_sitter_python"}
PAGES = {"jinja2", "markupsafe", "markdown_it", "mdurl"}
BEYOND = {
    "admin_api": FRONT_MATTER | RULES,
    "discovery": set(),
    "external_scan_dispatcher": set(),
    "index_builder": set(),
    "public_api": FRONT_MATTER | RULES,
    "schema_migrator": set(),
    "submission_consumer": FRONT_MATTER | SCANNER,
    "sweeper": FRONT_MATTER,
    "web_pages": FRONT_MATTER | RULES | PAGES,
    "webhook_api": FRONT_MATTER,
}
# Parts of the library that come with their first use, or never.
NOT_AT_THE_START = (
    *("botocore.session", "boto3", "psycopg", "httpx"),
    *("skillgate.adapters", "skillgate.scanning.tier2", "skillgate.cli", "skillgate.api.security_schemes"),
)


@pytest.fixture(scope="session")
def dependencies(environment: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native_layer(tmp_path_factory.mktemp("dependencies"))


@pytest.fixture(scope="session")
def started(built: Path, dependencies: Path) -> dict[str, Import]:
    path = [dependencies, built / "SkillgateLayer" / "python", PROJECT / "functions"]
    return {name: fresh_import(f"import {name}.app", path) for name in FUNCTIONS}


def test_every_function_is_held_to_a_list() -> None:
    assert set(BEYOND) == set(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_comes_from_the_built_library(started: dict[str, Import], built: Path, function: str) -> None:
    assert started[function].packages_from(built / "SkillgateLayer") == {"skillgate"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_imports_the_packages_that_its_function_uses_and_no_other(
    started: dict[str, Import], dependencies: Path, function: str
) -> None:
    assert started[function].packages_from(dependencies) == EVERYWHERE | BEYOND[function]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_stores_and_models_wait_for_their_first_use(started: dict[str, Import], function: str) -> None:
    too_early = [name for name in started[function].files if name.startswith(NOT_AT_THE_START)]
    assert not too_early


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - {"submission_consumer"}))
def test_only_the_consumer_has_the_scanner(started: dict[str, Import], function: str) -> None:
    assert "skillgate.scanning.engine" not in started[function].files


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - {"web_pages"}))
def test_only_the_pages_have_templates(started: dict[str, Import], function: str) -> None:
    assert not [name for name in started[function].files if name.startswith("skillgate.web")]


def test_a_store_s_first_use_brings_its_own_driver_and_no_other(
    built: Path, dependencies: Path, started: dict[str, Import]
) -> None:
    path = [dependencies, built / "SkillgateLayer" / "python", PROJECT / "functions"]
    used = fresh_import("import sweeper.app\nsweeper.app._backend.store.find_open", path)
    brought = used.packages_from(dependencies) - started["sweeper"].packages_from(dependencies)
    assert brought == {"psycopg", "psycopg_binary"}
