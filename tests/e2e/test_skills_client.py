"""The `skills` command-line client from npm, unchanged, against the running local stack."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from local.logs import LogStream
from local.stack import EXAMPLES, Options, Stack

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90
REPOSITORY = "acme-labs/csv-tools"
SKILL = EXAMPLES / "repositories" / REPOSITORY / "skills" / "csv-summary"


@pytest.fixture(scope="module")
def client() -> list[str]:
    """How the client is started. SKILLS_CLIENT names another copy of it than the one in node_modules."""
    script = Path(os.environ.get("SKILLS_CLIENT", PROJECT / "node_modules" / "skills" / "bin" / "cli.mjs"))
    node = Path(sys.executable).parent / "node"
    if not script.exists() or not node.exists():
        pytest.fail(f"The skills client is not installed ({script}). Run: make setup", pytrace=False)
    return [str(node), str(script)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A stack in which the examples that the test installs are published."""
    data = tmp_path_factory.mktemp("stack")
    options = Options(data=data, port=0, fast=True, parameters={"ConsumerConcurrency": "2"})
    with Stack(options, LogStream(io.StringIO())) as stack, httpx.Client(base_url=stack.address, timeout=30) as http:
        for repo, path in ((REPOSITORY, "skills/csv-summary/SKILL.md"), ("example-org/commit-helper", "SKILL.md")):
            body = {"repoUrl": f"https://github.com/{repo}", "skillPath": path}
            _wait_until_published(http, http.post("/api/v1/submissions", json=body).json()["id"])
        yield stack.address


def _wait_until_published(http: httpx.Client, submission_id: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := http.get(f"/api/v1/submissions/{submission_id}").json()["state"]) != "PUBLISHED":
        assert time.monotonic() < deadline, f"the example is still {state}"
        time.sleep(0.1)


def run(client: list[str], folder: Path, *arguments: str, **variables: str) -> str:
    environment = {
        "HOME": str(folder / "home"),
        "PATH": os.environ["PATH"],
        "DISABLE_TELEMETRY": "1",
        "NO_COLOR": "1",
        "CI": "1",
        **variables,
    }
    (folder / "home").mkdir(exist_ok=True)
    done = subprocess.run(
        [*client, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_client_lists_a_repository_and_installs_it_byte_for_byte(
    client: list[str], address: str, tmp_path: Path
) -> None:
    listed = run(client, tmp_path, "add", f"{address}/{REPOSITORY}", "--list")
    assert "csv-summary" in listed and "commit-helper" not in listed

    run(client, tmp_path, "add", f"{address}/{REPOSITORY}", "--yes", "--copy", "--agent", "claude-code")

    wanted = contents(SKILL)
    assert len(wanted) == 3
    assert contents(tmp_path / ".claude" / "skills" / "csv-summary") == wanted


def test_the_client_installs_one_skill_given_nothing_but_the_address(
    client: list[str], address: str, tmp_path: Path
) -> None:
    listed = run(client, tmp_path, "add", address, "--list")
    assert "csv-summary" in listed and "commit-helper" in listed

    arguments = ["--skill", "commit-helper", "--yes", "--copy", "--agent", "claude-code"]
    run(client, tmp_path, "add", address, *arguments)

    source = EXAMPLES / "repositories" / "example-org" / "commit-helper" / "SKILL.md"
    installed = tmp_path / ".claude" / "skills"
    assert [path.name for path in installed.iterdir()] == ["commit-helper"]
    assert (installed / "commit-helper" / "SKILL.md").read_bytes() == source.read_bytes()


def test_the_client_finds_skills_by_a_word(client: list[str], address: str, tmp_path: Path) -> None:
    found = run(client, tmp_path, "find", "csv", SKILLS_API_URL=address)
    assert "csv-summary" in found and REPOSITORY in found
