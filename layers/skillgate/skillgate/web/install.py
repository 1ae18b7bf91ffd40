"""Commands that install a skill. They are made to be pasted into a shell, so nothing of the author's runs there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import quote

from skillgate.domain.skill import Published


@dataclass(frozen=True)
class Command:
    label: str
    text: str
    note: str


def commands(skill: Published, public_url: str) -> tuple[Command, ...]:
    folder = skill.skill_path.rpartition("/")[0]
    pinned = f"{skill.repo_url}/tree/{skill.commit_sha}/{quote(folder)}".rstrip("/")
    registry = f"{public_url}/{skill.repo.owner}/{skill.repo.repo}"
    return (
        Command(
            "From this registry",
            shlex.join(["npx", "skills", "add", registry, "--skill", skill.name]),
            "The very bytes that were scanned, checked by their digest.",
        ),
        Command(
            "From GitHub, pinned",
            shlex.join(["npx", "skills", "add", pinned]),
            f"Commit {skill.commit_sha[:10]}, the one that was scanned.",
        ),
    )
