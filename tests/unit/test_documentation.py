"""What is documented is what there is: every setting, every route."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from public_api.routes import build_api
from skillgate.settings import Settings

from local.docs import SETTINGS_PAGE, settings_page
from local.openapi import FUNCTIONS, OPENAPI, apis, text
from tests.support.backends import PROJECT
from tests.support.fakes import fake_backend
from tests.support.http import call

# The document does not describe itself, and what a browser is sent through is for browsers.
NOT_DESCRIBED = {"/api/v1/openapi.json"}
DOCUMENT = json.loads(OPENAPI.read_text())


def test_the_settings_page_is_up_to_date() -> None:
    assert SETTINGS_PAGE.read_text() == settings_page(), "a setting has changed: run `make docs`"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_says_what_it_is(name: str) -> None:
    description = Settings.model_fields[name].description or ""
    assert description.endswith(".") and len(description) > 10
    assert f"| `{name.upper()}` |" in SETTINGS_PAGE.read_text()


def test_the_api_s_description_is_up_to_date() -> None:
    assert OPENAPI.read_text() == text(), "a route or a model has changed: run `make docs`"


def test_the_api_s_description_is_served() -> None:
    answer = call(build_api(fake_backend()), "GET", "/api/v1/openapi.json")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == DOCUMENT
    assert (answer.json["openapi"], answer.json["info"]["title"]) == ("3.1.0", "Skillgate")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_route_is_described(function: str) -> None:
    routes = apis()[function].routes
    assert routes
    for route in routes:
        path = re.sub(r"<(\w+)>", r"{\1}", route.path)
        if path not in NOT_DESCRIBED:
            assert route.method.lower() in DOCUMENT["paths"].get(path, {}), f"{route.method} {path} is not described"


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_has_a_summary_a_tag_and_an_id_of_its_own() -> None:
    for name, operation in operations():
        assert operation.get("summary") and operation.get("tags"), name
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(set(ids)) == len(ids)


def test_every_operation_answers_errors_with_problems() -> None:
    for name, operation in operations():
        for status in ("4XX", "5XX"):
            content = operation["responses"][status]["content"]
            assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}, name
        assert "422" not in operation["responses"], name


def test_every_reference_leads_somewhere() -> None:
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', OPENAPI.read_text()):
        target: Any = DOCUMENT
        for part in reference.split("/"):
            assert part in target, reference
            target = target[part]


def test_a_problem_is_described_as_it_is_sent() -> None:
    schema = DOCUMENT["components"]["schemas"]["Problem"]
    sent = call(build_api(fake_backend()), "GET", "/api/v1/submissions?limit=0&unknown=1").json
    assert set(schema["required"]) <= set(sent) <= set(schema["properties"])
    assert set(sent["errors"][0]) == set(schema["properties"]["errors"]["items"]["properties"])


# --- the map ---------------------------------------------------------------------------------------------------------

ARCHITECTURE = (PROJECT / "ARCHITECTURE.md").read_text()
README = (PROJECT / "README.md").read_text()
LIBRARY = PROJECT / "layers" / "skillgate" / "skillgate"
SCREENSHOTS = PROJECT / "docs" / "screenshots"


def test_the_readme_shows_three_screenshots_and_no_other_is_kept() -> None:
    shown = re.findall(r"!\[[^]]{20,}\]\((docs/screenshots/[^)]+)\)", README)
    assert len(shown) == 3 and set(shown) == {f"docs/screenshots/{path.name}" for path in SCREENSHOTS.iterdir()}


def test_the_readme_begins_with_the_two_commands_and_ends_on_aws() -> None:
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert README.index("make run ") < README.index("make test ") < README.index("\n## ")
    assert headings[0] == "What one sees" and headings[-2:] == ["How it is built", "On AWS"]


def test_every_kind_of_item_in_dynamodb_is_in_the_map() -> None:
    adapters = "".join(path.read_text() for path in (LIBRARY / "adapters" / "dynamodb").glob("*.py"))
    keys = set(re.findall(r'"pk": f?"([A-Z-]+#?)', adapters)) | set(re.findall(r'f"([A-Z-]+#)\{', adapters))
    assert len(keys) > 12
    for key in keys - {"CHUNK#", "PART#"}:  # sort keys
        assert f"`{key}" in ARCHITECTURE, f"{key} is not in ARCHITECTURE.md"


def test_every_folder_is_in_the_map() -> None:
    parts = {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"}
    for top in ("functions", "local", "tests"):
        parts |= {path.name for path in (PROJECT / top).iterdir() if path.is_dir() and path.name != "__pycache__"}
    folders = ARCHITECTURE.partition("## The folders")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w/]+?)/?`", folders))
    assert parts <= named | {name.rpartition("/")[2] for name in named}


def test_every_file_that_the_map_names_is_there() -> None:
    named = set(re.findall(r"`((?:\w+/)+\w+\.(?:py|sql))", ARCHITECTURE))
    assert len(named) > 20
    missing = [name for name in named if not (LIBRARY / name).exists() and not (PROJECT / name).exists()]
    assert missing == []
