"""A file of a skill as the scanner gets it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SkillFile:
    """`content` None with a `note` stands for a file that was seen but not read (symlink, submodule, too large).

    `object_id` is what its source calls the content that was not read: git's id, where there is one.
    """

    path: str
    content: bytes | None
    size: int
    note: str | None = None
    object_id: str = ""

    @classmethod
    def of(cls, path: str, content: bytes | str) -> SkillFile:
        data = content.encode() if isinstance(content, str) else content
        return cls(path, data, len(data))
