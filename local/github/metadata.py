"""What GitHub knows of a repository apart from its files, as declared in `<owner>/<repo>.yaml` or with a push."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

NAME = r"[A-Za-z0-9._-]+"
FullName = Annotated[str, StringConstraints(pattern=rf"^{NAME}/{NAME}$")]
ObjectId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]


class Submodule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    sha: ObjectId


class Metadata(BaseModel):
    """Every field is optional: a folder without a metadata file is a public repository that nobody has starred."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str | None = None
    stars: int = Field(default=0, ge=0)
    forks: int = Field(default=0, ge=0)
    topics: tuple[str, ...] = ()
    license: str | None = None
    archived: bool = False
    fork: bool = False
    created_at: AwareDatetime = datetime(2025, 1, 1, tzinfo=UTC)
    """The date of the first commit. Each later commit is dated an hour after the one before it, so that ids follow
    from the contents alone."""

    private: bool = False
    visible_to: tuple[str, ...] = ()
    """The tokens that can see a private repository; to all others it does not exist."""
    renamed_to: FullName | None = None
    empty: bool = False
    dmca: bool = False

    executable: tuple[str, ...] = ()
    symlinks: dict[str, str] = {}
    submodules: dict[str, Submodule] = {}
    generated: dict[str, Annotated[int, Field(ge=0)]] = {}
    """Files that are made up when they are asked for: path → size in bytes."""


def read_metadata(file: Path | None) -> Metadata:
    """Raises ValueError (a pydantic one) that names the field for a file that does not fit."""
    if file is None:
        return Metadata()
    return Metadata.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")) or {})


def require_repository_name(owner: str, name: str) -> None:
    if not re.fullmatch(f"{NAME}/{NAME}", f"{owner}/{name}") or {owner, name} & {".", ".."}:
        raise ValueError(f"not a repository's name: {owner}/{name}")
