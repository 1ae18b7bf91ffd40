"""`make screenshots`: every page at 1280 and 360 px, light and dark.

The three that the README shows go to docs/screenshots; all of them are written to the folder named on the command line.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from local.parts.process import free_port
from tests.e2e.conftest import RunningStack, start_stack, stop_stack
from tests.e2e.pages.browser import Visit, launch, sign_in, visiting
from tests.e2e.pages.conftest import github_host, settled
from tests.e2e.pages.visited import AUTHORS, OPERATORS, PUBLIC, path_of
from tests.support.backends import PROJECT

WIDTHS, SCHEMES = (1280, 360), ("light", "dark")
TALLEST = 1400
IN_README = ("marketplace-1280-light", "security-findings-1280-light", "queue-1280-dark")
README_FOLDER = PROJECT / "docs" / "screenshots"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.pages", description=__doc__)
    parser.add_argument("folder", type=Path, help="where all of them are written")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        stack = start_stack(Path(data) / "data", free_port())
        try:
            settled(stack)
            with sync_playwright() as playwright:
                browser = launch(playwright)
                written = [each for width in WIDTHS for each in _shots(browser, stack, folder, width)]
                browser.close()
        finally:
            stop_stack(stack)
    README_FOLDER.mkdir(parents=True, exist_ok=True)
    for name in IN_README:
        shutil.copy(folder / f"{name}.png", README_FOLDER)
    print(f"{len(written)} screenshots in {folder}, {len(IN_README)} of them in {README_FOLDER.relative_to(PROJECT)}")
    return 0


def _shots(browser: Browser, stack: RunningStack, folder: Path, width: int) -> list[Path]:
    written: list[Path] = []
    for scheme in SCHEMES:
        size = {"width": width, "height": 800}
        with visiting(browser, stack.address, viewport=size, color_scheme=scheme) as visit:
            written += [_shot(visit, stack, name, folder / f"{name}-{width}-{scheme}.png") for name in PUBLIC]
        for login, pages in (("acme-labs", AUTHORS), ("skillgate-admin", OPERATORS)):
            with visiting(
                browser, stack.address, hosts=[github_host(stack)], viewport=size, color_scheme=scheme
            ) as person:
                sign_in(person, login)
                written += [_shot(person, stack, name, folder / f"{name}-{width}-{scheme}.png") for name in pages]
    return written


def _shot(visit: Visit, stack: RunningStack, name: str, path: Path) -> Path:
    page = visit.open(path_of(stack, name))
    height = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": page.evaluate("innerWidth"), "height": height}
    page.screenshot(path=path, full_page=True, clip=clip)  # type: ignore[arg-type]
    return path


if __name__ == "__main__":
    sys.exit(main())
