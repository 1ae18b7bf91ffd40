"""The template: as it is written, as it is with every reference resolved, and as SAM builds it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.runner import Template, load_template
from local.runner.intrinsics import parse_yaml
from tests.support.backends import PROJECT
from tests.support.commands import run


@pytest.fixture(scope="session")
def written() -> dict[str, Any]:
    return parse_yaml((PROJECT / "template.yaml").read_text())


@pytest.fixture(scope="session")
def resolved() -> Template:
    return load_template(
        PROJECT / "template.yaml", sqs_endpoint="http://sqs.invalid", http_endpoint="http://api.invalid"
    )


@pytest.fixture(scope="session")
def environment() -> Mapping[str, str]:
    """What SAM needs. A machine that lacks it fails here, with what is missing, rather than pass unbuilt."""
    path = f"{PROJECT / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    missing = [tool for tool in ("sam", "uv", "make", "python3.13") if shutil.which(tool, path=path) is None]
    runs = (
        not missing and subprocess.run([shutil.which("python3.13", path=path) or "", "-V"], check=False).returncode == 0
    )
    if missing or not runs:
        pytest.fail(
            f"The layers cannot be built on this machine: it has no working {', '.join(missing) or 'python3.13'}"
        )
    return os.environ | {"PATH": path, "AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"}


@pytest.fixture(scope="session")
def built(environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `sam build` fills, left outside of the checkout."""
    folder = tmp_path_factory.mktemp("build")
    run("sam", "build", "--build-dir", str(folder), environment=environment)
    return folder
