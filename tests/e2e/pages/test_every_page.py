"""What holds on every page: axe finds nothing serious, nothing is wider than a phone, and it works without scripts."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import RunningStack
from tests.e2e.pages.browser import Visit, visiting
from tests.e2e.pages.conftest import settled
from tests.e2e.pages.visited import AUTHORS, OPERATORS, PUBLIC, path_of


@pytest.fixture(scope="module", autouse=True)
def _answered(stack: RunningStack) -> None:
    settled(stack)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_page_is_accessible_and_fits_a_phone(visit: Visit, stack: RunningStack, name: str) -> None:
    _check(visit, path_of(stack, name))
    if PUBLIC[name].status >= 400:
        visit.errors.clear()  # the browser logs the status of an error page


@pytest.mark.parametrize("name", AUTHORS)
def test_an_authors_page_is_accessible_and_fits_a_phone(author: Visit, stack: RunningStack, name: str) -> None:
    _check(author, path_of(stack, name))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operators_page_is_accessible_and_fits_a_phone(operator: Visit, stack: RunningStack, name: str) -> None:
    _check(operator, path_of(stack, name))


@pytest.fixture
def dark(browser: Browser, stack: RunningStack) -> Iterator[Visit]:
    with visiting(browser, stack.address, color_scheme="dark") as visit:
        yield visit


@pytest.mark.parametrize("name", ["marketplace", "skill", "security-findings", "queue", "submission-rejected"])
def test_it_is_as_readable_in_the_dark(dark: Visit, stack: RunningStack, name: str) -> None:
    dark.open(path_of(stack, name))
    assert dark.violations() == []


@pytest.fixture
def scriptless(browser: Browser, stack: RunningStack) -> Iterator[Visit]:
    with visiting(browser, stack.address, java_script_enabled=False) as visit:
        yield visit


def test_without_scripts_one_can_search_filter_read_and_submit(scriptless: Visit) -> None:
    page = scriptless.open("/")
    page.get_by_label("Search skills").fill("changelog")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".result h3 a").first).to_have_text("changelog")
    page.get_by_role("link", name="Text only").click()
    page.locator(".result h3 a").first.click()
    expect(page.get_by_role("heading", name="SKILL.md")).to_be_visible()
    scriptless.open("/submit")
    page.get_by_label("Repository on GitHub").fill("example-org/writing-desk")
    page.get_by_role("button", name="Find skills").click()
    page.get_by_label("glossary").check()
    page.get_by_role("button", name="Submit what is chosen").click()
    page.wait_for_url("**/submissions/*")
    expect(page.get_by_role("heading", name="glossary")).to_be_visible()


def test_the_keyboard_alone_reaches_the_content(visit: Visit) -> None:
    page = visit.open("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Search skills")).to_be_focused()


def test_static_files_may_be_kept_for_ever_and_pages_may_not(stack: RunningStack) -> None:
    page = httpx.get(f"{stack.address}/", timeout=30)
    assert page.headers["cache-control"] == "private, no-cache" and page.headers["content-encoding"] == "gzip"
    style = page.text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    kept = httpx.get(stack.address + style, timeout=30)
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert len(page.content) < 150_000


def _check(visit: Visit, path: str) -> None:
    page = visit.open(path)
    assert visit.violations() == []
    page.set_viewport_size({"width": 360, "height": 740})
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide <= 0, f"{path} is {too_wide} px too wide"
    assert visit.violations() == []
