"""The YAML block at the top of SKILL.md, read so that hostile YAML cannot hurt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_BYTES = 64_000
MAX_EVENTS = 5_000
_NO_MAPPING = "frontmatter is not a mapping"
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """`lines` counts the lines up to and including the closing dashes, so that the body's line numbers are right."""

    name: str = ""
    description: str = ""
    version: str = ""
    license: str = ""
    allowed_tools: tuple[str, ...] = ()
    body: str = ""
    raw: str = ""
    broken: str = ""
    lines: int = 0
    errors: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def unusable(self) -> str:
        """Why no agent could load the skill: the block does not parse and no name can be made out. Empty if one can."""
        return "" if self.name or self.broken == _NO_MAPPING else self.broken


def parse(text: str) -> Frontmatter:
    """Never raises: what is wrong is in `errors`, and the body is whatever follows the block."""
    raw, body, lines = _split(text)
    if raw is None:
        return Frontmatter(body=text, errors=("no frontmatter",))
    values, error = _load(raw)
    errors = [error] if error else []
    errors += [f"no {required}" for required in ("name", "description") if not _text(values.get(required))]
    return Frontmatter(
        name=_text(values.get("name")) or _line_value(raw, "name"),
        description=_text(values.get("description")) or _line_value(raw, "description"),
        version=_text(values.get("version")),
        license=_text(values.get("license")),
        allowed_tools=_tools(values.get("allowed-tools", values.get("allowed_tools"))),
        body=body,
        raw=raw,
        broken=error,
        lines=lines,
        errors=tuple(errors),
        fields=values,
    )


def _split(text: str) -> tuple[str | None, str, int]:
    lines = text.lstrip("\ufeff").split("\n")
    if not lines or lines[0].strip() != "---":
        return None, text, 0
    for number, line in enumerate(lines[1:], 1):
        if line.strip() in ("---", "..."):
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]), number + 1
    return None, text, 0


def _load(raw: str) -> tuple[dict[str, Any], str]:
    if len(raw) > MAX_BYTES:
        return {}, f"frontmatter is larger than {MAX_BYTES} bytes"
    try:
        for count, event in enumerate(yaml.parse(raw, Loader=_Loader)):
            if isinstance(event, yaml.AliasEvent):
                return {}, "frontmatter uses YAML aliases"
            if count > MAX_EVENTS:
                return {}, "frontmatter is too complex"
        loaded = yaml.load(raw, Loader=_Loader)  # noqa: S506 - a safe loader, C or Python
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return {}, f"frontmatter is not valid YAML: {str(error).splitlines()[0]}"
    if not isinstance(loaded, dict):
        return {}, _NO_MAPPING  # often a rule of dashes, not meant as frontmatter at all
    return {str(key): value for key, value in loaded.items()}, ""


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value).strip()


def _line_value(raw: str, key: str) -> str:
    """The value of a one-line entry when the YAML as a whole does not parse."""
    for line in raw.split("\n"):
        if line.startswith(f"{key}:"):
            return line[len(key) + 1 :].strip().strip("\"'")
    return ""


def _tools(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in _split_tools(value) if part)
    if isinstance(value, list):
        return tuple(str(part).strip() for part in value)
    return ()


def _split_tools(value: str) -> list[str]:
    """By commas, or by spaces where there is none, but never inside brackets: `Bash(git add:*), Read`."""
    separators = "," if "," in value else " "
    parts, depth, current = [], 0, ""
    for character in value:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character in separators and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [*parts, current.strip()]
