"""Publishing into a test's marketplace, and asking its HTTP API."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from admin_api.routes import build_api as build_admin_api
from public_api.routes import build_api
from skillgate.domain.ids import new_id
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import Published, SkillBundle
from skillgate.domain.skill_files import SkillFile
from skillgate.domain.submission import Reason, State, Submission
from skillgate.ports import Backend
from skillgate.scanning import scan
from skillgate.services.publish import publish

from tests.support.backends import INTERNAL_KEY


def skill_md(name: str, description: str = "", **fields: str) -> str:
    described = description or f"Helps with {name}."
    extra = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\nname: {name}\ndescription: {described}\n{extra}---\n# {name}\nDo it well.\n"


def publish_skill(
    backend: Backend,
    location: str,
    description: str = "",
    *,
    files: Mapping[str, bytes | str] | None = None,
    stars: int = 0,
    **fields: str,
) -> Published:
    """Publishes `owner/repo/skill` as the consumer does. `files` are relative to the skill's folder."""
    owner, repo, slug = location.split("/")
    folder = f"skills/{slug}"
    contents = {"SKILL.md": skill_md(slug, description, **fields)} | dict(files or {})
    read = [SkillFile.of(f"{folder}/{path}", content) for path, content in contents.items()]
    bundle = SkillBundle(RepoUrl(owner, repo), f"{folder}/SKILL.md", "c" * 40, read, stars)
    now = backend.now()
    submission = Submission(
        id=new_id(),
        repo_url=bundle.repo.url,
        skill_path=bundle.skill_path,
        skill_name=slug,
        state=State.AUTO_APPROVED,
        created_at=now,
        updated_at=now,
        reason=Reason("fast_approved", "Clean."),
    )
    report = scan(read, skill_path=bundle.skill_path)
    return publish(backend, submission, bundle, bundle.content_hash(), report)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Http:
    """Calls a function's router as API Gateway does, without the network."""

    def __init__(self, backend: Backend) -> None:
        self._public, self._admin = build_api(backend), build_admin_api(backend)

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: Any) -> Answer:
        return self._call("GET", path, headers or {}, query, None)

    def post(self, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        return self._call("POST", path, headers or {}, {}, body)

    def _call(self, method: str, path: str, headers: Mapping[str, str], query: Mapping[str, Any], body: Any) -> Answer:
        is_admin = path.startswith("/api/v1/admin")
        key = {"x-internal-key": INTERNAL_KEY} if is_admin else {}
        http = {"method": method, "path": path, "sourceIp": "203.0.113.7", "userAgent": "test", "protocol": "HTTP/1.1"}
        event = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": urlencode(query),
            "headers": {"content-type": "application/json", **key, **headers},
            "requestContext": {"http": http, "stage": "$default", "requestId": "r"},
            "body": None if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
        context: Any = SimpleNamespace(aws_request_id="request", function_name="test")
        answer = (self._admin if is_admin else self._public).handle(event, context)
        raw = answer.get("body") or ""
        content = base64.b64decode(raw) if answer.get("isBase64Encoded") else raw.encode()
        return Answer(answer["statusCode"], answer["headers"], content)
