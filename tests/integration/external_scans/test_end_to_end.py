"""The whole way on the local stack: published, dispatched, scanned by the real Semgrep and njsscan, reported, shown."""

import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.logs import LogStream
from local.parts.process import free_port
from local.stack import INTERNAL_KEY, Options, Stack

SKILL_MD = """---
name: folder-view
description: Shows what is in a folder as a small web page on this machine.
---
# Folder view
Run `node scripts/server.js` and open the page that it names.
"""
SERVER_JS = """const { exec } = require('child_process');
const express = require('express');

const app = express();
app.get('/', (request, response) => {
  exec('ls ' + request.query.folder, (error, listing) => response.send(listing)); // nosemgrep
});
app.listen(8000);
"""
LISTING_PY = """import os
import sys

ACCESS_KEY = "AKIAQ3EGUZ7XVJQ2MKTA"


def listing() -> None:
    os.system("ls " + sys.argv[1])  # nosemgrep
"""
FOLDER = "skills/folder-view"
SKILL = "/api/v1/skills/acme/folders/folder-view"


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    log = StringIO()
    options = Options(data=tmp_path, port=free_port(), worker=True, fast=True, parameters={"ConsumerConcurrency": "2"})
    with Stack(options, LogStream(log)) as running:
        yield running
    print(log.getvalue())  # shown where the test fails


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_planted_weakness_and_a_planted_secret_are_found_reported_and_shown(stack: Stack) -> None:
    assert stack.github is not None
    files = {
        f"{FOLDER}/SKILL.md": SKILL_MD,
        f"{FOLDER}/node_modules/server.js": SERVER_JS,  # where scanners do not look by themselves
        f"{FOLDER}/scripts/listing.py": LISTING_PY,
        f"{FOLDER}/.semgrepignore": "*\n",
        "other/weak.py": LISTING_PY,  # not part of the skill
    }
    httpx.put(f"{stack.github.url}/_control/repositories/acme/folders", json={"files": files}).raise_for_status()
    with httpx.Client(base_url=stack.address, timeout=30) as client:
        body = {"repoUrl": "https://github.com/acme/folders", "skillPath": f"{FOLDER}/SKILL.md"}
        submission = client.post("/api/v1/submissions", json=body).raise_for_status().json()["id"]
        where = f"/api/v1/submissions/{submission}"
        # Tier 1 sees the planted secret by itself; here a person lets it through, so that the scanners get to see it.
        _eventually(lambda: client.get(where).json()["state"], lambda state: state == "NEEDS_REVIEW")
        decision = {"ids": [submission], "decision": "approve", "reason": "The key is made up."}
        decided = client.post("/api/v1/admin/queue/decide", json=decision, headers={"X-Internal-Key": INTERNAL_KEY})
        assert decided.json()["done"] == 1

        shown = _eventually(lambda: _reports(client), lambda found: {"COMPLETED"} == _statuses(found))

        semgrep, njsscan = shown["semgrep"], shown["njsscan"]
        assert {(each["ruleId"], each["file"], each["line"]) for each in semgrep["findings"]} == {
            ("python-shell-from-input", f"{FOLDER}/scripts/listing.py", 8),
            ("cloud-access-key-in-a-file", f"{FOLDER}/scripts/listing.py", 4),
            ("javascript-shell-from-input", f"{FOLDER}/node_modules/server.js", 6),
        }
        assert {(each["ruleId"], each["file"], each["line"]) for each in njsscan["findings"]} == {
            ("generic_os_command_exec", f"{FOLDER}/node_modules/server.js", 6)
        }
        assert semgrep["coverage"]["filesScanned"] == 4 and semgrep["coverage"]["complete"] is True
        assert njsscan["coverage"]["filesScanned"] == 1 and njsscan["coverage"]["filesNotApplicable"] == 3
        assert semgrep["scannerVersion"] and njsscan["scannerVersion"]
        assert semgrep["durationMs"] > 0 and njsscan["durationMs"] > 0
        assert "AKIA" not in client.get(f"{SKILL}/security/semgrep").text  # a report does not publish the secret

        statistics = client.get("/api/v1/admin/external-scans", headers={"X-Internal-Key": INTERNAL_KEY}).json()
        assert statistics["state"] == "ok"
        assert statistics["endedLastDay"]["semgrep"] == {"COMPLETED": 1}


def _reports(client: httpx.Client) -> dict[str, Any]:
    answer = client.get(f"{SKILL}/security")
    return {each["provider"]: each for each in answer.json().get("providers", [])} if answer.is_success else {}


def _statuses(reports: dict[str, Any]) -> set[str]:
    return {reports.get(name, {}).get("status", "") for name in ("semgrep", "njsscan")}


def _eventually(read: Callable[[], Any], is_right: Callable[[Any], bool], seconds: float = 300.0) -> Any:
    deadline = time.monotonic() + seconds
    while not is_right(found := read()):
        assert time.monotonic() < deadline, found
        time.sleep(0.25)
    return found
