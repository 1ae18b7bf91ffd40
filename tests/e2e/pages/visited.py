"""Every page there is, for tests and screenshots alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from tests.e2e.conftest import RunningStack


@dataclass(frozen=True)
class Page:
    """`path` may hold `{submission}`, which stands for the newest one that `submissions` lists."""

    path: str
    submissions: str = ""
    status: int = 200


_CSV = "/skills/acme-labs/csv-tools/csv-summary"
PUBLIC: Mapping[str, Page] = {
    "marketplace": Page("/"),
    "search": Page("/?q=writing"),
    "search-empty": Page("/?q=zzzz-nothing/like-this"),
    "skill": Page(_CSV),
    "skill-unscanned": Page("/skills/trailofbits/skills/guidelines-advisor"),
    "security": Page(f"{_CSV}/security"),
    "security-findings": Page("/skills/example-org/security-classroom/attack-lessons/security"),
    "versions": Page(f"{_CSV}/versions"),
    "repository": Page("/repos/example-org/writing-desk"),
    "submit": Page("/submit"),
    "submit-found": Page("/submit?repo=example-org/writing-desk"),
    "submit-error": Page("/submit?repo=nobody/nothing"),
    "queue": Page("/queue"),
    "queue-empty": Page("/queue?q=nothing-like-this"),
    "submission-published": Page("/submissions/{submission}", "state=published"),
    "submission-rejected": Page("/submissions/{submission}", "q=remote-debug"),
    "submission-review": Page("/submissions/{submission}", "q=big-atlas"),
    "blocklist": Page("/blocklist"),
    "docs": Page("/docs"),
    "not-found": Page("/nothing/here", status=404),
    "sign-in-needed": Page("/admin", status=401),
}
AUTHORS: Mapping[str, Page] = {"me": Page("/me")}
OPERATORS: Mapping[str, Page] = {
    "admin-health": Page("/admin"),
    "admin-review": Page("/admin/review"),
    "admin-stuck": Page("/admin/stuck"),
    "admin-dead-letters": Page("/admin/dead-letters"),
    "admin-disputes": Page("/admin/disputes"),
    "admin-blocklist": Page("/admin/blocklist"),
    "admin-discovery": Page("/admin/discovery"),
    "admin-audit": Page("/admin/audit"),
}


def path_of(stack: RunningStack, name: str) -> str:
    page = ({**PUBLIC, **AUTHORS, **OPERATORS})[name]
    if "{submission}" not in page.path:
        return page.path
    listed = httpx.get(f"{stack.address}/api/v1/submissions?{page.submissions}", timeout=30).raise_for_status()
    return page.path.format(submission=listed.json()["submissions"][0]["id"])
