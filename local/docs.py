"""Pages that are written from the code: `python -m local.docs` writes docs/settings.md."""

from __future__ import annotations

from typing import get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from skillgate.settings import SECRET_SOURCES, Settings

from local.parts.part import PROJECT

SETTINGS_PAGE = PROJECT / "docs" / "settings.md"
_INTRODUCTION = f"""\
# Settings

Written from `settings.py` by `make docs`; never by hand.

Every setting is a variable in the function's environment, which `template.yaml` sets. A secret comes, on AWS, from the
secret whose ARN is in {", ".join(f"`{name}`" for name in SECRET_SOURCES)}, under its name in lower case; a variable of
that name wins over it. An empty variable counts as not set. What is required and missing, or does not fit, stops the
function when it starts, with the setting's name in the error.

| setting | default | secret | what it is |
|---|---|---|---|
"""


def settings_page() -> str:
    rows = [_row(name, field) for name, field in Settings.model_fields.items()]
    return _INTRODUCTION + "\n".join(rows) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    default = (
        "**required**" if field.is_required() else f"`{field.default}`" if field.default not in ("", None, ()) else ""
    )
    secret = "yes" if _holds_secret(field.annotation) else ""
    description = (field.description or "").replace("|", "\\|")
    return f"| `{name.upper()}` | {default} | {secret} | {description} |"


def _holds_secret(annotation: object) -> bool:
    return annotation is SecretStr or any(_holds_secret(part) for part in get_args(annotation))


if __name__ == "__main__":
    SETTINGS_PAGE.write_text(settings_page())
