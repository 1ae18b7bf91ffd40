"""The browser's fixtures. `E2E=0` leaves the browser out, and the summary says so."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import yaml
from skillgate.domain.submission import IN_FLIGHT

from tests.e2e.conftest import KEY, RunningStack
from tests.support.backends import PROJECT

EXPECTED = yaml.safe_load((PROJECT / "local" / "examples" / "expected.yaml").read_text())
LEFT_OUT = os.environ.get("E2E") == "0"
collect_ignore_glob = ["test_*.py", "browser.py"] if LEFT_OUT else []


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if LEFT_OUT:
        terminalreporter.write_line("The tests in a real browser were left out (E2E=0).", yellow=True)


if not LEFT_OUT:
    from playwright.sync_api import Browser, sync_playwright

    from tests.e2e.pages.browser import Visit, launch, sign_in, visiting

    @pytest.fixture(scope="module")
    def browser() -> Iterator[Browser]:
        """Ends with its module: Playwright keeps an event loop running in the thread of the tests."""
        with sync_playwright() as playwright:
            started = launch(playwright)
            yield started
            started.close()

    @pytest.fixture
    def visit(browser: Browser, stack: RunningStack) -> Iterator[Visit]:
        """Somebody who looks around; at the end nothing was logged as an error and nothing left the site."""
        with visiting(browser, stack.address) as visit:
            yield visit
            assert not visit.errors
            assert not visit.strangers

    @pytest.fixture
    def author(browser: Browser, stack: RunningStack) -> Iterator[Visit]:
        """Somebody who has signed in as the owner of example repositories."""
        with visiting(browser, stack.address, hosts=[github_host(stack)]) as visit:
            sign_in(visit, "acme-labs")
            yield visit
            assert not visit.errors
            assert not visit.strangers

    @pytest.fixture
    def operator(browser: Browser, stack: RunningStack) -> Iterator[Visit]:
        """Somebody who has signed in through the stand-in for GitHub, as an operator."""
        with visiting(browser, stack.address, hosts=[github_host(stack)]) as visit:
            sign_in(visit)
            yield visit
            assert not visit.errors
            assert not visit.strangers


def addresses(stack: RunningStack) -> dict[str, str]:
    return dict(json.loads(Path(stack.data / "addresses.json").read_text()))


def github(stack: RunningStack) -> str:
    return addresses(stack)["github"]


def github_host(stack: RunningStack) -> str:
    return urlsplit(github(stack)).netloc


def push(stack: RunningStack, repository: str, files: dict[str, str]) -> None:
    answer = httpx.put(f"{github(stack)}/_control/repositories/{repository}", json={"files": files}, timeout=30)
    answer.raise_for_status()


def publish(stack: RunningStack, repository: str, files: dict[str, str], name: str | None = None) -> None:
    """Pushes a repository with one skill, submits it, and waits until it is published."""
    push(stack, repository, files)
    (path,) = files
    body = {"repoUrl": f"https://github.com/{repository}", "skillPath": path, "skillName": name}
    answer = httpx.post(f"{stack.address}/api/v1/submissions", json=body, headers=KEY, timeout=30).raise_for_status()
    where = f"{stack.address}/api/v1/submissions/{answer.json()['id']}"
    stack.until(lambda: httpx.get(where, timeout=30).json()["state"] not in IN_FLIGHT, seconds=90)
    seen = httpx.get(where, timeout=30).json()
    assert seen["state"] == "PUBLISHED", seen["reason"]


def settled(stack: RunningStack) -> None:
    """Waits until the examples have their answers."""
    stack.until(lambda: sum(stack.statistics().values()) >= len(EXPECTED))
    stack.until(lambda: sum(stack.statistics()[state] for state in IN_FLIGHT) == 0)
