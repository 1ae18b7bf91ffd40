"""Static files, each at an address that changes with its content, so that browsers may keep them for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}


@dataclass(frozen=True)
class Asset:
    name: str
    digest: str
    content_type: str
    content: bytes

    @property
    def url(self) -> str:
        stem, _, suffix = self.name.rpartition(".")
        return f"/static/{stem}.{self.digest}.{suffix}"


@cache
def assets() -> Mapping[str, Asset]:
    """Every static file by its name, read once per execution environment."""
    found = {}
    for file in (files("skillgate.web") / "static").iterdir():
        content = file.read_bytes()
        kind = _TYPES[file.name.rpartition(".")[2]]
        found[file.name] = Asset(file.name, hashlib.sha256(content).hexdigest()[:12], kind, content)
    return found


def asset_at(path: str) -> tuple[Asset, bool] | None:
    """The asset that an address like `style.1a2b3c4d5e6f.css` asks for, and whether it has that very content."""
    stem, _, suffix = path.rpartition(".")
    name, _, digest = stem.rpartition(".")
    asset = assets().get(f"{name}.{suffix}")
    return None if asset is None else (asset, asset.digest == digest)
