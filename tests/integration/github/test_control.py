"""The control endpoints and the program itself."""

import base64
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.github import GitHubStandIn


def test_a_push_over_http_creates_a_commit(client: httpx.Client) -> None:
    files = {"SKILL.md": "text", "data.bin": {"base64": base64.b64encode(b"\xff\x00").decode()}}
    pushed = client.put("/_control/repositories/acme/tools", json={"files": files, "metadata": {"stars": 3}})
    assert pushed.status_code == 200
    assert client.get("/repos/acme/tools/commits/main").json()["sha"] == pushed.json()["sha"]
    assert client.get("/raw/acme/tools/main/data.bin").content == b"\xff\x00"
    assert client.get("/repos/acme/tools").json()["stargazers_count"] == 3


@pytest.mark.parametrize(
    "body",
    [
        {"files": {"../up": "x"}},
        {"files": {"a": 1}},
        {"files": {"a": {"base64": "!"}}},
        {"metadata": {"renamed_to": "no-slash"}},
        {"metadata": {"starz": 1}},
        {"unknown": {}},
        [],
    ],
)
def test_a_push_that_does_not_fit_is_refused(client: httpx.Client, body: Any) -> None:
    assert client.put("/_control/repositories/acme/tools", json=body).status_code == 400
    assert client.get("/repos/acme/tools").status_code == 404


def test_a_body_that_is_no_json_is_refused(client: httpx.Client) -> None:
    assert client.put("/_control/faults", content=b"{").status_code == 400
    assert client.get("/_control/no-such").status_code == 404


def test_the_log_tells_what_was_asked_and_by_whom(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    etag = client.get("/repos/acme/tools/contents/?ref=main").headers["ETag"]
    client.get("/repos/acme/tools/contents/?ref=main", headers={"If-None-Match": etag})
    client.get("/repos/acme/none", headers={"Authorization": "Bearer " + "r" * 36 + "tail"})

    log = client.get("/_control/requests").json()
    kept = [{name: value for name, value in record.items() if name != "time"} for record in log]
    common = {"method": "GET", "path": "/repos/acme/tools/contents/", "query": "ref=main", "token": "alpha"}
    assert kept[:2] == [
        {**common, "status": 200, "conditional": False},
        {**common, "status": 304, "conditional": True},
    ]
    assert kept[2]["token"] == "…tail"
    assert client.delete("/_control/requests").status_code == 204
    assert stand_in.requests() == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_program_says_where_it_listens_and_stops_when_told(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "acme" / "tools").mkdir(parents=True)
    (tmp_path / "acme" / "tools" / "SKILL.md").write_text("one")
    command = [sys.executable, "-m", "local.github", "--port", "0", "--repositories", str(tmp_path)]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        words = program.stdout.readline().split()
        assert words[:3] == ["github", "listening", "on"]
        # A connection that is kept open must not keep the program from stopping.
        with httpx.Client(base_url=words[3]) as client:
            assert client.get("/raw/acme/tools/main/SKILL.md").text == "one"
            program.send_signal(how)
            assert program.wait(timeout=30) == 0
