"""Version numbers of published skills."""

from __future__ import annotations

import re

FIRST = "1.0.0"
_SEMVER = re.compile(r"v?(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?", re.ASCII)


def parse(text: str | None) -> tuple[int, int, int] | None:
    """The three numbers of a version such as `1.2.3`, `v2` or `1.4`; None for anything else."""
    match = _SEMVER.fullmatch((text or "").strip())
    return (int(match[1]), int(match[2] or 0), int(match[3] or 0)) if match else None


def next_version(current: str | None, declared: str | None) -> str:
    """What changed content is published as: the author's number if it is higher, else the next patch."""
    wanted, base = parse(declared), parse(current)
    if wanted is not None and (base is None or wanted > base):
        return ".".join(map(str, wanted))
    return FIRST if base is None else f"{base[0]}.{base[1]}.{base[2] + 1}"


def bump(before: str | None, after: str | None) -> str | None:
    """How far apart two versions are: major, minor, patch or none; None where one of them is no version."""
    old, new = parse(before), parse(after)
    if old is None or new is None:
        return None
    for part, name in enumerate(("major", "minor", "patch")):
        if old[part] != new[part]:
            return name
    return "none"
