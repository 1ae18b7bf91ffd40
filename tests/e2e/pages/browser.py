"""A real Chromium, watched: what it logs as an error, and every request that would leave the site."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright

from tests.support.backends import PROJECT

AXE = PROJECT / "node_modules" / "axe-core" / "axe.min.js"
_GRAVE = {"serious", "critical"}


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium: Playwright's own download is not needed."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "Chromium is not installed: apt-get install chromium"
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


@dataclass
class Visit:
    """One person's browser. `errors` and `strangers` must stay empty."""

    address: str
    context: BrowserContext
    page: Page
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def violations(self) -> list[str]:
        """What axe finds serious or critical on the page as it is now."""
        self.page.evaluate(AXE.read_text())
        found: Mapping[str, Sequence[Mapping[str, Any]]] = self.page.evaluate("axe.run()")
        return [
            f"{each['id']}: {node['html'][:160]}"
            for each in found["violations"]
            if each["impact"] in _GRAVE
            for node in each["nodes"]
        ]


@contextmanager
def visiting(browser: Browser, address: str, *, hosts: Sequence[str] = (), **options: Any) -> Iterator[Visit]:
    """A visit; `hosts` are those beside the site's own that it may talk to (a sign-in's)."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
    context.set_default_timeout(15_000)
    visit = Visit(address, context, context.new_page())
    allowed = {urlsplit(address).netloc, *hosts}

    def logged(message: ConsoleMessage) -> None:
        # What the stand-in for GitHub lacks on its own pages is not ours.
        if message.type == "error" and urlsplit(message.location["url"]).netloc not in hosts:
            visit.errors.append(f"{message.text} {message.location['url']}")

    visit.page.on("console", logged)
    visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
    visit.page.on(
        "request",
        lambda request: None if urlsplit(request.url).netloc in allowed else visit.strangers.append(request.url),
    )
    try:
        yield visit
    finally:
        context.close()


def sign_in(visit: Visit, login: str = "skillgate-admin") -> None:
    """Through the stand-in for GitHub, which asks for no password."""
    page = visit.open("/")
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("link", name=login).click()
    page.get_by_role("button", name="Sign out").wait_for()
