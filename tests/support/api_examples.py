"""Calls of every route that can be shown with its answer, on a small scene.

`python -m tests.support.api_examples` writes the answers that the documentation page shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from admin_api.routes import build_api as build_admin
from public_api.routes import build_api as build_public
from skillgate.api.reference import Example
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.submission import State
from skillgate.services.published_index import build_index
from skillgate.services.queue_view import submission_story
from skillgate.services.submit import Request, create_submission

from local.openapi import OPENAPI
from tests.support.backends import INTERNAL_KEY, World, running_servers, world
from tests.support.http import Answer, request, send
from tests.support.market import publish_skill
from tests.support.queue import drain

EXAMPLES = OPENAPI.with_name("examples.json")
SKILL = "acme-labs/release-notes/release-notes"
# What differs from one scene to the next, and what stands for it on the page.
SUBMISSION, IN_REVIEW = "01890000-0000-7000-8000-000000000001", "01890000-0000-7000-8000-000000000002"
MOMENT = "2026-01-01T12:00:00Z"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
_REPO = "https://github.com/acme-labs/release-notes"
_REASON = {"reason": "Shown in the documentation."}
KEY = "X-Internal-Key: YOUR-KEY"


@dataclass(frozen=True)
class Call:
    operation: str
    target: str = ""
    body: Any = None

    @property
    def method(self) -> str:
        return self.operation.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.target or self.operation.partition(" ")[2].format(
            owner="acme-labs", repo="release-notes", skill="release-notes", name="release-notes", version="1.0.0",
            submission_id=SUBMISSION, provider="tier1", file="SKILL.md",
        )  # fmt: skip

    @property
    def headers(self) -> tuple[str, ...]:
        return (KEY,) if self.path.startswith("/api/v1/admin/") or self.path.endswith("/auth/me") else ()


_OF_A_SKILL = "/api/v1/skills/{owner}/{repo}/{skill}"
_ADMIN = "/api/v1/admin"
CALLS = (
    Call("GET /api/v1/skills", "/api/v1/skills?category=writing&limit=2"),
    Call("GET /api/v1/skills/search", "/api/v1/skills/search?q=release+notes&limit=2"),
    Call("GET /api/search", "/api/search?q=release&limit=2"),
    Call("GET /api/v1/skills/count"),
    Call("GET /api/v1/skills/categories"),
    Call("GET /api/v1/repos/{owner}/{repo}/skills"),
    Call("GET /api/v1/skills/{name}"),
    *(Call(f"GET /api/v1/skills/{{name}}/{part}") for part in ("versions", "security", "badge")),
    Call(f"GET {_OF_A_SKILL}"),
    Call(f"GET {_OF_A_SKILL}/badge"),
    Call(f"GET {_OF_A_SKILL}/report.json"),
    Call(f"GET {_OF_A_SKILL}/report.sarif"),
    Call(f"GET {_OF_A_SKILL}/security"),
    Call(f"GET {_OF_A_SKILL}/security/{{provider}}"),
    Call(f"GET {_OF_A_SKILL}/versions"),
    Call(f"GET {_OF_A_SKILL}/versions/{{version}}"),
    Call(f"GET {_OF_A_SKILL}/versions/{{version}}/{{file}}"),
    Call(f"GET {_OF_A_SKILL}/versions/compare", f"/api/v1/skills/{SKILL}/versions/compare?from=1.0.0&to=1.0.1"),
    Call(f"GET {_OF_A_SKILL}/versions/diff", f"/api/v1/skills/{SKILL}/versions/diff?from=1.0.0&to=1.0.1"),
    Call(f"POST {_OF_A_SKILL}/installs", body={"version": "1.0.1"}),
    Call("POST /api/v1/skills/installs", body={"skills": [SKILL]}),
    Call("POST /api/v1/skills/check-updates", body={"skills": [{"name": SKILL, "currentVersion": "1.0.0"}]}),
    Call("GET /.well-known/agent-skills/index.json"),
    Call("GET /.well-known/skills/index.json"),
    Call("GET /{owner}/{repo}/.well-known/agent-skills/index.json"),
    Call("GET /{owner}/{repo}/.well-known/skills/index.json"),
    Call("GET /api/v1/changes", "/api/v1/changes?limit=2"),
    Call("GET /api/v1/blocklist"),
    Call("GET /api/v1/blocklist/check", f"/api/v1/blocklist/check?name=release-notes&repoUrl={_REPO}"),
    Call("GET /api/v1/disputes"),
    Call("GET /api/v1/disputes/rates"),
    Call("GET /api/v1/auth/me"),
    Call("POST /api/v1/submissions", body={"repoUrl": "https://github.com/acme-labs/changelog"}),
    Call("GET /api/v1/submissions", "/api/v1/submissions?state=published&limit=2"),
    Call("GET /api/v1/submissions/stats"),
    Call("GET /api/v1/submissions/{submission_id}"),
    Call("GET /api/v1/submissions/stream"),
    Call(f"GET {_ADMIN}/queue/health"),
    Call(f"GET {_ADMIN}/queue/stuck"),
    Call(f"POST {_ADMIN}/queue/pause", body=_REASON),
    Call(f"POST {_ADMIN}/queue/resume", body=_REASON),
    Call(f"POST {_ADMIN}/queue/bulk-enqueue", body=[{"repoUrl": "https://github.com/acme-labs/backup-runner"}]),
    Call(f"POST {_ADMIN}/queue/decide", body={"ids": [IN_REVIEW], "decision": "approve", **_REASON}),
    Call(f"POST {_ADMIN}/queue/requeue", body={"ids": [SUBMISSION], **_REASON}),
    Call(f"POST {_ADMIN}/queue/dequeue", body={"ids": [SUBMISSION], **_REASON}),
    Call(f"GET {_ADMIN}/queue/dead-letters"),
    Call(f"POST {_ADMIN}/queue/dead-letters/redrive", body=_REASON),
    Call(f"GET {_ADMIN}/disputes"),
    Call(f"GET {_ADMIN}/discovery/stats"),
    Call(f"GET {_ADMIN}/external-scans"),
    Call(f"GET {_ADMIN}/health/skills"),
    Call(f"POST {_ADMIN}/rebuild-index"),
    Call(f"POST {_ADMIN}/blocklist/block", body={"repoUrl": "https://github.com/acme-labs/bad", **_REASON}),
    Call(f"POST {_ADMIN}/blocklist/unblock", body={"repoUrl": "https://github.com/acme-labs/bad", **_REASON}),
    Call(f"GET {_ADMIN}/audit-log", f"{_ADMIN}/audit-log?limit=1"),
    Call(f"POST {_ADMIN}/skills/{{owner}}/{{repo}}/{{skill}}/remove", body=_REASON),
    Call(f"POST {_ADMIN}/skills/{{owner}}/{{repo}}/{{skill}}/restore", body=_REASON),
)
# Shown with a request alone, because their answer rests on something that a page cannot bring along.
NOT_RECORDED = {
    "a person who signed in": ("/api/v1/auth/", "/api/v1/me/"),
    "GitHub's answer": ("/api/v1/submissions/bulk",),
    "a redirect of a write": ("/api/v1/skills/{name}/installs",),
    "a run, a dispute or a letter of that id": (
        f"{_ADMIN}/discovery", f"{_ADMIN}/disputes/{{dispute_id}}", f"{_ADMIN}/queue/dead-letters/discard",
        f"{_ADMIN}/external-scans/",
    ),
    "a signature over the body": ("/api/v1/webhooks/",),
}  # fmt: skip


class Scene:
    """A skill in two versions, its submission, and one that waits in review."""

    def __init__(self, made: World) -> None:
        backend = made.backend
        publish_skill(backend, SKILL, "Writes release notes.", category="writing")
        publish_skill(backend, SKILL, "Writes release notes from commits.", category="writing")
        build_index(backend)
        made.github.put_repository("acme-labs", "csv-tools", {"SKILL.md": "---\nname: csv\n---\n# CSV\nSum it up.\n"})
        clean = create_submission(backend, Request(RepoUrl("acme-labs", "csv-tools"), "SKILL.md")).submission
        odd = "---\nname: odd\ndescription: Lists a bucket.\n---\nRun `python3 list.py`.\n"
        made.github.put_repository("acme-labs", "odd", {"SKILL.md": odd, "list.py": 'KEY = "AKIAQ3EGUZ7XVJQ2MKTA"\n'})
        made.bedrock.set_script([{"match": "", "play": "review", "score": 70}])
        review = create_submission(backend, Request(RepoUrl("acme-labs", "odd"), "SKILL.md")).submission
        drain(made)
        assert clean is not None and review is not None
        assert submission_story(backend, review.id).submission.state is State.NEEDS_REVIEW
        self.actual = {SUBMISSION: clean.id, IN_REVIEW: review.id}
        self._public, self._admin = build_public(backend), build_admin(backend)

    def call(self, method: str, target: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """Sends it with the scene's own ids and key in place of the page's."""
        text = None if body is None else self._own(json.dumps(body))
        own = {name: value.replace("YOUR-KEY", INTERNAL_KEY) for name, value in headers.items()}
        api = self._admin if target.startswith("/api/v1/admin/") else self._public
        return send(api, request(method, self._own(target), body=text, headers=own))

    def _own(self, text: str) -> str:
        for shown, actual in self.actual.items():
            text = text.replace(shown, actual)
        return text

    def shown(self, answer: Answer) -> Any:
        """The answer as the page has it: short, and the same whenever it is recorded."""
        text = answer.text
        for shown, actual in self.actual.items():
            text = text.replace(actual, shown)
        text = _TIME.sub(MOMENT, text)
        text = _UUID.sub(lambda found: found[0] if found[0] in self.actual else SUBMISSION[:-1] + "9", text)
        if "json" in answer.headers.get("content-type", ""):
            return _short(json.loads(text))
        return text if len(text) < 400 else text[:400] + "…"


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_short(each) for each in value[:1]]
    return f"{value[:117]}…" if isinstance(value, str) and len(value) > 120 else value


def headers_of(lines: tuple[str, ...]) -> dict[str, str]:
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def recorded(scene: Scene) -> dict[str, Example]:
    found = {}
    for call in CALLS:
        answer = scene.call(call.method, call.path, call.body, headers_of(call.headers))
        kind = answer.headers.get("content-type", "").partition(";")[0]
        found[call.operation] = Example(call.path, answer.status, scene.shown(answer), call.body, kind, call.headers)
    return found


def main() -> None:
    with running_servers() as servers, world(servers, limit_writes=1000) as made:
        entries = {name: asdict(example) for name, example in recorded(Scene(made)).items()}
    EXAMPLES.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
