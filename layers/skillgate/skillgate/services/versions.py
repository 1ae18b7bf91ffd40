"""Versions of a skill: their list, their files, and what changed between two of them."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillgate.domain.archive import SKILL_MD, StoredFile, installed_path, zip_archive
from skillgate.domain.errors import Forbidden, NotFound, StoreUnavailable
from skillgate.domain.repo_url import SKILL_FILE
from skillgate.domain.skill import Published
from skillgate.market_ports import VersionRecord
from skillgate.ports import Backend
from skillgate.services import marketplace

_MAX_LINES = 3_000  # of a file that is compared line by line; comparing takes time with the square of it
_MAX_BYTES = 200_000
_MAX_COMPARED_FILES = 300
_MAX_PATCH_CHARACTERS = 1_000_000  # of one answer


@dataclass(frozen=True)
class FileChange:
    """`patch` is None for files that are binary, too large, or beyond what one answer holds."""

    path: str
    status: str
    additions: int | None
    deletions: int | None
    patch: str | None


@dataclass(frozen=True)
class Artifact:
    """What an installer fetches."""

    kind: str
    content: bytes
    digest: str


def list_versions(backend: Backend, skill_id: str) -> Sequence[VersionRecord]:
    """Newest first. Raises NotFound or Gone for the skill, StoreUnavailable with Postgres away."""
    marketplace.get_skill_by_name(backend, skill_id)
    return backend.versions.all(skill_id.lower())


def get_version(backend: Backend, skill_id: str, version: str) -> VersionRecord:
    marketplace.get_skill_by_name(backend, skill_id)
    found = backend.versions.get(skill_id.lower(), version)
    if found is None:
        raise NotFound(f"This skill has no version {version[:40]}.", code="version_not_found")
    return found


def content_diff(before: VersionRecord, after: VersionRecord) -> str:
    """A unified diff of SKILL.md, or a sentence where it is too long for one."""
    patch = _patch(SKILL_FILE, before.content.encode(), after.content.encode())
    return patch[0] if patch is not None else "SKILL.md is too long to be shown line by line."


def diff_summary(before: VersionRecord, after: VersionRecord, skill_path: str) -> str:
    """What changed, in a sentence, from the two manifests."""
    old, new = (_manifest(version, skill_path) for version in (before, after))
    added, removed = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    changed = sorted(path for path in old.keys() & new.keys() if old[path] != new[path])
    parts = [
        _counted(paths, what) for paths, what in ((changed, "changed"), (added, "added"), (removed, "removed")) if paths
    ]
    return "; ".join(parts) if parts else "Nothing changed."


def compare(backend: Backend, before: VersionRecord, after: VersionRecord, skill_path: str) -> list[FileChange]:
    """Every file that differs, with its patch where it can be shown."""
    old, new = (_manifest(version, skill_path) for version in (before, after))
    differing = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    hashes = {hash_ for path in differing[:_MAX_COMPARED_FILES] for hash_ in (old.get(path), new.get(path)) if hash_}
    contents = stored_contents(backend, sorted(hashes))
    left = _MAX_PATCH_CHARACTERS
    changes: list[FileChange] = []
    for path in differing:
        change = _file_change(path, old.get(path), new.get(path), contents, left)
        left -= len(change.patch or "")
        changes.append(change)
    return changes


def stored_contents(backend: Backend, hashes: Sequence[str]) -> Mapping[str, StoredFile]:
    """Contents by hash, from Postgres or else from the KV."""
    try:
        found = dict(backend.contents.get(hashes))
    except StoreUnavailable:
        found = {}
    missing = [hash_ for hash_ in hashes if hash_ not in found]
    return found | dict(backend.contents_copy.get(missing)) if missing else found


def artifact(backend: Backend, skill_id: str, version: str | None = None) -> Artifact:
    """What installs this version (the current one: None). Raises Forbidden for what is blocked, as well as NotFound."""
    skill = marketplace.get_skill_by_name(backend, skill_id)
    if skill.listing.status != "published":
        raise Forbidden(f"This skill is {skill.listing.status}: {skill.listing.status_reason}", code="skill_blocked")
    chosen: VersionRecord | Published | None = skill.published
    if version is not None and (skill.published is None or version != skill.published.version):
        chosen = get_version(backend, skill_id, version)
    if chosen is None or not chosen.artifact:
        raise NotFound("This skill cannot be installed from here; install it from its repository.", code="no_artifact")
    files = _installed(backend, chosen, skill.listing.skill_path)
    content = files[SKILL_FILE].content if chosen.artifact == SKILL_MD else zip_archive(files)
    return Artifact(chosen.artifact, content, chosen.digest)


def _installed(backend: Backend, version: VersionRecord | Published, skill_path: str) -> dict[str, StoredFile]:
    manifest = _manifest(version, skill_path)
    if version.artifact == SKILL_MD:
        manifest = {SKILL_FILE: manifest[SKILL_FILE]}
    contents = stored_contents(backend, sorted(set(manifest.values())))
    if set(manifest.values()) - contents.keys():
        raise StoreUnavailable("The files of this version cannot be read right now.", retry_after=10)
    return {path: contents[hash_] for path, hash_ in manifest.items()}


def _manifest(version: VersionRecord | Published, skill_path: str) -> dict[str, str]:
    """Hashes by installed path."""
    found: dict[str, str] = {}
    for file in version.files:
        path = installed_path(file["path"], skill_path)
        if path is not None and file.get("sha256"):
            found[path] = file["sha256"]
    return found


def _counted(paths: Sequence[str], what: str) -> str:
    return f"{paths[0]} {what}" if len(paths) == 1 else f"{len(paths)} files {what}"


def _file_change(
    path: str, old: str | None, new: str | None, contents: Mapping[str, StoredFile], left: int
) -> FileChange:
    status = "added" if old is None else "removed" if new is None else "modified"
    before, after = _content(old, contents), _content(new, contents)
    if before is None or after is None or b"\0" in before or b"\0" in after:
        return FileChange(path, status, None, None, None)
    patch = _patch(path, before, after)
    if patch is None or len(patch[0]) > left:
        lines = Counter(after.splitlines()), Counter(before.splitlines())
        return FileChange(path, status, (lines[0] - lines[1]).total(), (lines[1] - lines[0]).total(), None)
    return FileChange(path, status, patch[1], patch[2], patch[0])


def _content(hash_: str | None, contents: Mapping[str, StoredFile]) -> bytes | None:
    """Empty for a file that is not there, None for one that cannot be read."""
    if hash_ is None:
        return b""
    return contents[hash_].content if hash_ in contents else None


def _patch(path: str, before: bytes, after: bytes) -> tuple[str, int, int] | None:
    """The unified diff with its additions and deletions; None for what is too large to compare in time."""
    if max(len(before), len(after)) > _MAX_BYTES:
        return None
    old, new = (content.decode("utf-8", "replace").splitlines() for content in (before, after))
    if max(len(old), len(new)) > _MAX_LINES:
        return None
    lines = list(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))
    changed = lines[2:]
    additions = sum(line.startswith("+") for line in changed)
    return "\n".join(lines), additions, sum(line.startswith("-") for line in changed)
