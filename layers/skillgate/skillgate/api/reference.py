"""The API's description for people: every operation of the OpenAPI document, with a request to copy and, where one was
recorded, its answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")
_INTERNAL_KEY, _TOKEN = "X-Internal-Key: YOUR-KEY", "Authorization: Bearer YOUR-TOKEN"
_SCHEMES = {"internalKey": _INTERNAL_KEY, "bearer": _TOKEN, "session": _TOKEN, "apiToken": _TOKEN}
_MOST_DEPTH = 6


@dataclass(frozen=True)
class Parameter:
    name: str
    where: str
    required: bool
    kind: str
    description: str


@dataclass(frozen=True)
class Operation:
    """`answer` is None where no answer was recorded; `status` is then the one that the document promises."""

    name: str
    method: str
    path: str
    summary: str
    tag: str
    who: str
    parameters: tuple[Parameter, ...]
    target: str
    headers: tuple[str, ...]
    body: Any
    status: int
    answer: str | None
    answer_type: str

    def curl(self, origin: str) -> str:
        """The request as a command that a shell takes as it is."""
        words = ["curl", *([] if self.method == "GET" else ["-X", self.method]), origin.rstrip("/") + self.target]
        for header in self.headers:
            words += ["-H", header]
        if self.body is not None:
            words += ["-H", "content-type: application/json", "-d", json.dumps(self.body, ensure_ascii=False)]
        return shlex.join(words)


@dataclass(frozen=True)
class Example:
    """A recorded call. `target` is the path with its query."""

    target: str
    status: int
    answer: Any
    body: Any = None
    content_type: str = "application/json"
    headers: tuple[str, ...] = field(default=())


@cache
def operations() -> tuple[Operation, ...]:
    document, recorded = _document("openapi.json"), examples()
    return tuple(
        _operation(document, path, method, description, recorded.get(f"{method.upper()} {path}"))
        for path, methods in document["paths"].items()
        for method in _METHODS
        if (description := methods.get(method)) is not None
    )


@cache
def examples() -> Mapping[str, Example]:
    """By `METHOD /path` as the document writes it."""
    return {name: Example(**entry | {"headers": tuple(entry.get("headers", ()))}) for name, entry in
            _document("examples.json").items()}  # fmt: skip


def by_tag() -> dict[str, list[Operation]]:
    groups: dict[str, list[Operation]] = {}
    for operation in operations():
        groups.setdefault(operation.tag, []).append(operation)
    return dict(sorted(groups.items()))


def _document(name: str) -> dict[str, Any]:
    return json.loads((files("skillgate.api") / name).read_text())  # type: ignore[no-any-return]


def _operation(
    document: Mapping[str, Any], path: str, method: str, described: Mapping[str, Any], example: Example | None
) -> Operation:
    parameters = tuple(_parameter(each) for each in described.get("parameters", ()))
    security = described.get("security") or [{}]
    headers = example.headers if example else tuple(_credentials(security))
    body = example.body if example else _sample_body(document, described)
    promised = next((int(code) for code in described["responses"] if code.isdigit()), 200)
    return Operation(
        name=described["operationId"],
        method=method.upper(),
        path=path,
        summary=described["summary"],
        tag=described["tags"][0],
        who=_who(security),
        parameters=parameters,
        target=example.target if example else path,
        headers=headers,
        body=body,
        status=example.status if example else promised,
        answer=_written(example.answer) if example else None,
        answer_type=example.content_type if example else "",
    )


def _parameter(described: Mapping[str, Any]) -> Parameter:
    schema = described.get("schema", {})
    return Parameter(
        described["name"],
        described["in"],
        bool(described.get("required")),
        _kind(schema),
        described.get("description") or schema.get("description") or "",
    )


def _kind(schema: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    choices = [_kind(each) for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if choices:
        return " or ".join(choices)
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    kind = str(schema.get("type") or schema.get("$ref", "").rpartition("/")[2] or "any")
    return f"{kind}, {', '.join(limits)}" if limits else kind


_LIMITS = {"minimum": "from", "maximum": "to", "minLength": "at least", "maxLength": "at most"}


def _credentials(security: list[Mapping[str, Any]]) -> Iterator[str]:
    """The first way to prove who calls, unless nobody has to."""
    if {} not in security:
        yield _SCHEMES[next(iter(security[0]))]


def _who(security: list[Mapping[str, Any]]) -> str:
    if {} in security:
        return "everybody"
    roles = sorted({role for each in security for role in each.get("bearer", ())})
    return {"SUPER_ADMIN": "operators", "REVIEWER": "reviewers", "USER": "who is signed in"}.get(
        roles[0] if roles else "", "who has a key"
    )


def _sample_body(document: Mapping[str, Any], described: Mapping[str, Any]) -> Any:
    content = described.get("requestBody", {}).get("content", {})
    schema = next((each["schema"] for each in content.values()), None)
    return None if schema is None else _sample(document, schema, 0)


def _sample(document: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> Any:
    """A value of the schema's shape: its own example where it has one, and only what is required."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if examples_ := schema.get("examples"):
        return examples_[0]
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    if choices := [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]:
        return _sample(document, choices[0], depth)
    if schema.get("type") == "object" and depth < _MOST_DEPTH:
        properties = schema.get("properties", {})
        return {name: _sample(document, properties[name], depth + 1) for name in schema.get("required", ())}
    if schema.get("type") == "array":
        return [_sample(document, schema.get("items", {}), depth + 1)] if depth < _MOST_DEPTH else []
    return {"integer": 1, "number": 1, "boolean": True, "object": {}}.get(str(schema.get("type")), "…")


def _written(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, indent=2, ensure_ascii=False)
