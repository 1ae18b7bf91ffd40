"""The endpoints under /_control/, with which tests and demonstrations steer the stand-in."""

import base64
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from local.github.catalogue import Catalogue
from local.github.faults import Faults
from local.github.metadata import NAME, Metadata
from local.github.request_log import RequestLog
from local.servers.http_server import Request, Response

PREFIX = "/_control/"
_REPOSITORY = re.compile(rf"{PREFIX}repositories/(?P<owner>{NAME})/(?P<name>{NAME})")


def _decoded(text: Any) -> bytes:
    return base64.b64decode(text, validate=True)


class _Binary(BaseModel):
    model_config = ConfigDict(extra="forbid")

    base64: Annotated[bytes, BeforeValidator(_decoded)]


class _Push(BaseModel):
    model_config = ConfigDict(extra="forbid")

    files: dict[str, str | _Binary] = {}
    metadata: Annotated[Metadata, Field(default_factory=Metadata)]


class Control:
    def __init__(self, catalogue: Catalogue, faults: Faults, log: RequestLog) -> None:
        self._catalogue = catalogue
        self._faults = faults
        self._log = log

    def answer(self, request: Request) -> Response:
        try:
            return self._answer(request)
        except ValueError as error:
            return Response.of_json({"message": str(error)}, 400)

    def _answer(self, request: Request) -> Response:
        match request.method, request.path.removeprefix(PREFIX):
            case "PUT", "faults":
                self._faults.replace(_list_of_rules(request.json()))
                return Response(204)
            case "DELETE", "faults":
                self._faults.replace([])
                return Response(204)
            case "GET", "requests":
                return Response.of_json([asdict(record) for record in self._log.records()])
            case "DELETE", "requests":
                self._log.clear()
                return Response(204)
        if named := _REPOSITORY.fullmatch(request.path):
            return self._repository(request, named["owner"], named["name"])
        return Response.of_json({"message": "There is no such control endpoint"}, 404)

    def _repository(self, request: Request, owner: str, name: str) -> Response:
        if request.method == "PUT":
            push = _Push.model_validate(request.json())
            files = {path: _bytes(content) for path, content in push.files.items()}
            head = self._catalogue.push(owner, name, files, push.metadata).head
            return Response.of_json({"full_name": f"{owner}/{name}", "sha": head.sha if head else None})
        if request.method == "DELETE":
            removed = self._catalogue.remove(owner, name)
            return Response(204) if removed else Response.of_json({"message": "There is no such repository"}, 404)
        return Response.of_json({"message": "Use PUT or DELETE"}, 405, {"Allow": "PUT, DELETE"})


def _bytes(content: str | _Binary) -> bytes:
    return content.encode() if isinstance(content, str) else content.base64


def _list_of_rules(content: Any) -> list[Mapping[str, Any]]:
    if not isinstance(content, list):
        raise ValueError("faults are a list of rules")
    return content
