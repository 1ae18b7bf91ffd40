"""What a newcomer sees and what a power cut does, on the stack as `make run` starts it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import httpx
import pytest
import yaml

from local.parts.process import free_port
from tests.e2e.conftest import KEY, RunningStack, run_local, start_stack, stop_stack
from tests.support.backends import PROJECT

ENDED = {"PUBLISHED", "TIER1_FAILED", "REJECTED", "BLOCKED", "NEEDS_REVIEW", "DEQUEUED"}
EXPECTED = yaml.safe_load((PROJECT / "local" / "examples" / "expected.yaml").read_text())


def _submissions(stack: RunningStack) -> list[dict[str, str]]:
    page = httpx.get(f"{stack.address}/api/v1/submissions", params={"limit": "200"}, timeout=30)
    return list(page.raise_for_status().json()["submissions"])


def _all_answered(stack: RunningStack, count: int) -> bool:
    states = stack.statistics()
    return sum(states.values()) >= count and sum(states[state] for state in states if state not in ENDED) == 0


def test_every_example_ends_in_the_state_that_its_readme_says(stack: RunningStack) -> None:
    stack.until(lambda: _all_answered(stack, len(EXPECTED)))
    seen = {(row["repoUrl"], row["skillPath"]): row for row in _submissions(stack)}
    for example in EXPECTED:
        path = "SKILL.md" if example["skillPath"] == "." else f"{example['skillPath']}/SKILL.md"
        row = seen[example["repoUrl"], path]
        assert row["state"] == example["state"], f"{example['repoUrl']} {path}: {row['reasonCode']} {row['reason']}"
        assert row["reason"], f"{row['repoUrl']} has no reason"


def test_the_three_calls_of_the_readme_work(stack: RunningStack) -> None:
    stack.until(lambda: _all_answered(stack, len(EXPECTED)))
    body = {"repoUrl": "https://github.com/acme-labs/csv-tools", "skillPath": "skills/nothing-here"}
    answer = httpx.post(f"{stack.address}/api/v1/submissions", json=body, timeout=30)
    assert answer.status_code == 202
    where = stack.address + answer.headers["Location"]
    stack.until(lambda: httpx.get(where, timeout=30).json()["state"] in ENDED)
    assert httpx.get(where, timeout=30).json()["reasonCode"] == "no_skill_md"
    skills = httpx.get(f"{stack.address}/api/v1/skills", timeout=30).json()
    counts = httpx.get(f"{stack.address}/api/v1/admin/health/skills", headers=KEY, timeout=30).json()
    assert counts["postgres_count"] == sum(example["state"] == "PUBLISHED" for example in EXPECTED)
    assert skills["total"] == counts["postgres_count"] + counts["seed_count"]


@pytest.mark.parametrize("event", sorted((PROJECT / "events").glob("*.json")), ids=lambda event: event.stem)
def test_every_event_can_be_sent_to_its_function(stack: RunningStack, event: Path) -> None:
    functions = {
        "public-api": "PublicApi", "admin-api": "AdminApi", "webhook-api": "WebhookApi", "web-pages": "WebPages",
        "submission-consumer": "SubmissionConsumer", "external-scan-dispatcher": "ExternalScanDispatcher",
        "sweeper": "Sweeper", "discovery": "Discovery", "index-builder": "IndexBuilder",
        "schema-migrator": "SchemaMigrator",
    }  # fmt: skip
    (function,) = (name for prefix, name in functions.items() if event.stem.startswith(prefix))
    done = run_local("invoke", function, str(event), "--data", str(stack.data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "errorMessage" not in done.stdout


def test_a_second_start_on_the_same_data_is_refused_with_a_clear_word(stack: RunningStack) -> None:
    refused = run_local("run", "--port", "0", "--data", str(stack.data))
    assert refused.returncode == 1 and "in use by another process" in refused.stderr


@pytest.mark.timeout(400)
def test_after_a_kill_in_the_middle_of_200_submissions_all_reach_an_answer(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    stack = start_stack(data, port)
    more = 200 - len(EXPECTED)
    items = [
        {"repoUrl": f"https://github.com/example-org/none-{n}", "skillName": f"skill-{n}", "skillPath": "SKILL.md"}
        for n in range(more)
    ]
    answer = httpx.post(f"{stack.address}/api/v1/admin/queue/bulk-enqueue", json=items, headers=KEY, timeout=60)
    assert answer.json()["enqueued"] == more
    stack.until(lambda: sum(stack.statistics().values()) >= 200 and stack.statistics()["TIER1_FAILED"] > 20)
    os.killpg(stack.process.pid, signal.SIGKILL)
    stack.process.wait()

    again = start_stack(data, port)
    try:
        again.until(lambda: _all_answered(again, 200), seconds=300)
        wanted = Counter(example["state"] for example in EXPECTED) + Counter(TIER1_FAILED=more)
        assert {state: count for state, count in again.statistics().items() if count} == wanted
        started = again.output.read_text().partition("Skillgate is running at")[2].partition("(")[2].partition(" s)")[0]
        assert float(started) < 10, "the second start is a quick one"
    finally:
        stop_stack(again)
    assert not _processes_of(data), "nothing is left behind"


def _processes_of(data: Path) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(data) in line]
