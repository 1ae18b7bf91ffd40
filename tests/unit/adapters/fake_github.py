"""GitHub as a transport: answers in its form from files in memory, and remembers what it was asked."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import httpx
from skillgate.adapters.github import GitHub

API = "https://api.github.com"
RAW = "https://raw.githubusercontent.com"
COMMIT = "c" * 40
Handler = Callable[[httpx.Request], httpx.Response | None]


def streamed(status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> httpx.Response:
    """A response whose body comes over the wire, as a real one does."""
    return httpx.Response(status, headers=headers, content=iter([body] if body else []))


def as_json(status: int, value: Any, headers: Mapping[str, str] | None = None) -> httpx.Response:
    return streamed(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})


def blob_sha(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def blob(path: str, content: bytes, **changes: Any) -> dict[str, Any]:
    entry = {"path": path, "mode": "100644", "type": "blob", "sha": blob_sha(content), "size": len(content)}
    return entry | changes


class FakeGitHub:
    """`acme/tools` with the given files. `before` sees every request first and may answer it."""

    def __init__(
        self,
        files: Mapping[str, bytes | str],
        *,
        extra_entries: tuple[dict[str, Any], ...] = (),
        about: Mapping[str, Any] | None = None,
        before: Handler | None = None,
    ) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self.extra_entries = extra_entries
        self.about = {"private": False, "full_name": "acme/tools", "stargazers_count": 7, **(about or {})}
        self.before = before
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self._lock = threading.Lock()

    def source(self) -> GitHub:
        client = httpx.Client(transport=httpx.MockTransport(self._answer), follow_redirects=False)
        return GitHub(client, api_url=API, raw_url=RAW, sleep=self.pauses.append)

    def urls(self) -> list[str]:
        """In the order of arrival, which within a fan-out is any."""
        return [str(request.url) for request in self.requests]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append(request)
        answer = self.before(request) if self.before else None
        return answer or self._conditional(request, self._routed(request))

    def _conditional(self, request: httpx.Request, answer: httpx.Response) -> httpx.Response:
        etag = answer.headers.get("etag")
        return streamed(304) if etag and request.headers.get("if-none-match") == etag else answer

    def _routed(self, request: httpx.Request) -> httpx.Response:
        path = unquote(request.url.path)
        if request.url.host == "raw.githubusercontent.com":
            name = path.removeprefix(f"/acme/tools/{COMMIT}/")
            return streamed(200, self.files[name]) if name in self.files else streamed(404, b"404: Not Found")
        if request.url.host == "codeload.github.com":
            return streamed(200, self.tarball())
        rest = path.removeprefix("/repos/acme/tools")
        if rest == "":
            return as_json(200, self.about, {"ETag": '"about"'})
        if rest.startswith("/commits/"):
            return streamed(200, COMMIT.encode(), {"ETag": f'"{COMMIT}"'})
        if rest == f"/tarball/{COMMIT}":
            return streamed(302, headers={"Location": "https://codeload.github.com/acme/tools/legacy.tar.gz/x"})
        if rest == f"/git/trees/{COMMIT}":
            return as_json(200, {"tree": self.entries(), "truncated": False}, {"ETag": '"tree"'})
        return as_json(404, {"message": "Not Found"})

    def entries(self) -> list[dict[str, Any]]:
        folders = {path[:at] for path in self.files for at, letter in enumerate(path) if letter == "/"}
        trees = [{"path": folder, "mode": "040000", "type": "tree", "sha": "d" * 40} for folder in sorted(folders)]
        return trees + [blob(path, content) for path, content in self.files.items()] + list(self.extra_entries)

    def tarball(self, *, left_out: frozenset[str] = frozenset(), changed: Mapping[str, bytes] | None = None) -> bytes:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, content in (self.files | dict(changed or {})).items():
                if path not in left_out:
                    member = tarfile.TarInfo(f"acme-tools-ccccccc/{path}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return packed.getvalue()


def answering(marker: str, *answers: Callable[[], httpx.Response]) -> Handler:
    """The given answers, one after the other, to requests whose URL contains the marker; then GitHub's own."""
    left = list(answers)
    lock = threading.Lock()

    def handler(request: httpx.Request) -> httpx.Response | None:
        with lock:
            return left.pop(0)() if marker in str(request.url) and left else None

    return handler
