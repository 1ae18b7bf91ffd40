"""A site with answers by path: an npm-like registry, or anybody's list of skills."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from local.servers.http_server import Request, Response, StandInServer


class Site:
    """Answers GET with what was put at a path; `asked` are the paths that were."""

    def __init__(self) -> None:
        self.answers: dict[str, Response] = {}
        self.asked: list[str] = []
        self._server = StandInServer(self._answer)

    @property
    def url(self) -> str:
        return self._server.url

    def put(self, path: str, content: Any) -> None:
        self.answers[path] = content if isinstance(content, Response) else Response.of_json(content)

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def _answer(self, request: Request) -> Response:
        self.asked.append(request.path)
        return self.answers.get(unquote(request.path), Response.of_json({}, 404))


class Registry(Site):
    """Finds every package, page by page, whatever it is asked for, and shows the newest manifest of each."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def publish(self, name: str, repository: str | Mapping[str, str] | None) -> None:
        self.names.append(name)
        self.put(f"/{name}/latest", {"name": name, "version": "1.0.0", "repository": repository})

    def _answer(self, request: Request) -> Response:
        if request.path != "/-/v1/search":
            return super()._answer(request)
        self.asked.append(request.path)
        first, size = int(request.query["from"]), int(request.query["size"])
        shown = [{"package": {"name": name}} for name in self.names[first : first + size]]
        return Response.of_json({"objects": shown, "total": len(self.names)})


@contextmanager
def running(site: Site) -> Iterator[Site]:
    site.start()
    try:
        yield site
    finally:
        site.stop()


def index_of(*entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"skills": [json.loads(json.dumps(entry)) for entry in entries]}
