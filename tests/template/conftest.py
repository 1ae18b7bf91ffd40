"""The template: as it is written, and as it is with every reference resolved."""

from __future__ import annotations

from typing import Any

import pytest

from local.runner import Template, load_template
from local.runner.intrinsics import parse_yaml
from tests.support.backends import PROJECT


@pytest.fixture(scope="session")
def written() -> dict[str, Any]:
    return parse_yaml((PROJECT / "template.yaml").read_text())


@pytest.fixture(scope="session")
def resolved() -> Template:
    return load_template(
        PROJECT / "template.yaml", sqs_endpoint="http://sqs.invalid", http_endpoint="http://api.invalid"
    )
