"""With Postgres away the marketplace still lists, and says that it is degraded."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, expect

from local.parts.process import free_port
from tests.e2e.conftest import RunningStack, start_stack, stop_stack
from tests.e2e.pages.browser import visiting
from tests.e2e.pages.conftest import addresses, settled


@pytest.fixture
def without_postgres(tmp_path: Path) -> Iterator[RunningStack]:
    """A stack whose Postgres ends after the examples were published."""
    stack = start_stack(tmp_path / "data", free_port())
    try:
        settled(stack)
        with psycopg.connect(addresses(stack)["database"]) as connection:
            (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
        pid_file = Path(folder, "postmaster.pid")
        os.kill(int(pid_file.read_text().split()[0]), signal.SIGINT)
        stack.until(lambda: not pid_file.exists(), seconds=30)
        yield stack
    finally:
        stop_stack(stack)


def test_the_marketplace_lists_and_says_that_it_is_degraded(browser: Browser, without_postgres: RunningStack) -> None:
    with visiting(browser, without_postgres.address) as visit:
        page = visit.open("/")
        expect(page.get_by_text("Degraded", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="csv-summary", exact=True)).to_be_visible()
        page.get_by_role("link", name="csv-summary", exact=True).click()
        expect(page.get_by_text("Degraded", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name="SKILL.md")).to_be_visible()
        assert not visit.errors
        visit.open("/?q=changelog")
        expect(page.locator(".result h3 a").first).to_have_text("changelog")
        visit.open("/queue")
        expect(page.get_by_role("heading", name="One moment, please")).to_be_visible()
