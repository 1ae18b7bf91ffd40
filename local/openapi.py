"""The API's description, put together from the routes of every HTTP function: `python -m local.openapi` writes it."""

from __future__ import annotations

import dataclasses
import importlib
import json
from typing import Any

from skillgate.api.problems import CONTENT_TYPE
from skillgate.api.router import Api
from skillgate.ports import Backend
from skillgate.settings import Settings

from local.parts.part import PROJECT

OPENAPI = PROJECT / "layers" / "skillgate" / "skillgate" / "api" / "openapi.json"
FUNCTIONS = ("public_api", "admin_api", "webhook_api")
_METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "What went wrong (RFC 9457). `code` is stable; `detail` is a sentence for a person.",
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "requestId"],
    "properties": {
        "type": {"type": "string", "const": "about:blank"},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "requestId": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "message"],
                "properties": {
                    "pointer": {"type": "string", "description": "A JSON pointer, or ?name for a parameter."},
                    "message": {"type": "string"},
                },
            },
        },
    },
}
_PROBLEM_CONTENT = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_PROBLEMS = {
    "4XX": {"description": "The request cannot be answered as it is.", "content": _PROBLEM_CONTENT},
    "5XX": {
        "description": "We cannot answer now; with 503, Retry-After says when to try again.",
        "content": _PROBLEM_CONTENT,
    },
}
_TEXT = (
    "A registry of AI agent skills that scans, certifies and publishes what is safe. Errors are problems (RFC 9457); "
    "a parameter that a route does not know is an error too."
)


def apis() -> dict[str, Api]:
    """Every HTTP API by its function, on a backend that no route is called on."""
    nothing: Any = dict.fromkeys(field.name for field in dataclasses.fields(Backend))
    backend = Backend(**nothing | {"settings": Settings.model_construct()})
    return {name: importlib.import_module(f"{name}.routes").build_api(backend) for name in FUNCTIONS}


def document() -> dict[str, Any]:
    merged: dict[str, Any] = {"paths": {}, "components": {}}
    for api in apis().values():
        part = _described(api)
        _merge(merged["paths"], part["paths"], "path")
        for kind, entries in part.get("components", {}).items():
            _merge(merged["components"].setdefault(kind, {}), entries, kind)
    for operations in merged["paths"].values():
        for method in _METHODS & operations.keys():
            responses = operations[method]["responses"]
            responses.pop("422", None)  # Powertools' own shape of a validation error, which is not ours
            responses |= _PROBLEMS
    schemas = merged["components"].setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ResponseValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    info = {"title": "Skillgate", "version": "1.0.0", "description": _TEXT}
    return {"openapi": "3.1.0", "info": info, "servers": [{"url": "/"}], **merged}


def _described(api: Api) -> dict[str, Any]:
    schema = api.get_openapi_schema(title="Skillgate", version="1.0.0", openapi_version="3.1.0")
    described: dict[str, Any] = json.loads(schema.model_dump_json(by_alias=True, exclude_none=True))
    return described


def _merge(into: dict[str, Any], entries: dict[str, Any], kind: str) -> None:
    """Raises ValueError where two functions mean different things by one name."""
    for name, entry in entries.items():
        if into.setdefault(name, entry) != entry:
            raise ValueError(f"Two functions describe the {kind} {name} differently")


def text() -> str:
    return json.dumps(document(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OPENAPI.write_text(text())
