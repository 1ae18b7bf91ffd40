"""A repository's tarball, downloaded with limits and written to disk under neutral names.

The tarball is hostile input: no path, link or size in it is believed. A scanner sees `0001.py`, never the author's
names, because names switch scanners off: a folder `node_modules` or `tests`, a `.semgrepignore`, a `.njsscan`. For the
same reason the words with which a comment silences a scanner are changed, to others of the same length.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit

import httpx

from workers.scanner.config import Limits
from workers.scanner.model import Job, ScanFailed

_CHUNK = 256 * 1024
_TRIES = 3
_HOPS = 4  # a repository that was renamed, and the tarball's own host
_AS_IT_IS = {"accept-encoding": "identity"}  # the tarball is packed already, and its size is what is limited
_SUFFIX = re.compile(r"\.[a-z0-9]{1,10}", re.ASCII)
_SHEBANGS = ((b"python", ".py"), (b"node", ".js"), (b"sh", ".sh"))
_SILENCERS = re.compile(rb"(?i)nosem|njsscan-ignore|trufflehog:ignore")


@dataclass
class Staged:
    """What was written, by its neutral name, with the path it has in the repository; and what was left out."""

    directory: Path
    paths: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(self.paths) + len(self.skipped)

    def original(self, name: str) -> str:
        """The repository's path of a file that a scanner names, however it spells the way to it."""
        return self.paths.get(PurePosixPath(name).name, name)


def download(client: httpx.Client, api_url: str, job: Job, target: Path, limits: Limits) -> None:
    """The tarball of the job's commit, without credentials. Raises ScanFailed."""
    url = f"{api_url}/repos/{job.owner}/{job.repo}/tarball/{job.commit_sha}"
    deadline = time.monotonic() + limits.download_seconds
    for attempt in range(1, _TRIES + 1):
        try:
            return _download_once(client, url, target, limits, deadline)
        except httpx.HTTPError as error:
            if attempt == _TRIES or time.monotonic() > deadline:
                raise ScanFailed("download_failed", f"GitHub did not answer: {type(error).__name__}.") from error
            time.sleep(min(2.0**attempt, max(0.0, deadline - time.monotonic())))


def _download_once(client: httpx.Client, url: str, target: Path, limits: Limits, deadline: float) -> None:
    allowed = {urlsplit(url).netloc, "codeload.github.com"}
    for _ in range(_HOPS):
        # GitHub sends tarballs from one other host; a redirect to anywhere else is not followed.
        if urlsplit(url).netloc not in allowed:
            raise ScanFailed("download_failed", "GitHub sent us to a host that it does not use.")
        with client.stream("GET", url, headers=_AS_IT_IS) as answer:
            if answer.next_request is None:
                return _save(answer, target, limits, deadline)
            url = str(answer.next_request.url)
    raise ScanFailed("download_failed", "GitHub sent us on too often.")


def _save(answer: httpx.Response, target: Path, limits: Limits, deadline: float) -> None:
    if answer.status_code in (404, 410, 451):
        raise ScanFailed("repository_gone", "The repository, or this commit of it, is no longer there.")
    answer.raise_for_status()
    received = 0
    with target.open("wb") as file:
        for chunk in answer.iter_raw(_CHUNK):
            received += len(chunk)
            if received > limits.download_bytes:
                raise ScanFailed("repository_too_large", f"It has over {limits.download_bytes:,} bytes packed.")
            if time.monotonic() > deadline:
                raise ScanFailed("download_too_slow", f"It took over {limits.download_seconds:g} seconds.")
            file.write(chunk)


class _Bounded(io.RawIOBase):
    """Unpacks as it is read, and fails after so many bytes."""

    def __init__(self, packed: IO[bytes], limit: int) -> None:
        self._unpacked = gzip.GzipFile(fileobj=packed)
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._unpacked.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ScanFailed("repository_too_large", "It unpacks to more bytes than are taken.")
        return data


def stage(tarball: Path, job: Job, directory: Path, limits: Limits) -> Staged:
    """Writes the files of the skill's folder, and of nothing else. Raises ScanFailed."""
    directory.mkdir()
    staged = Staged(directory)
    try:
        with tarball.open("rb") as packed:
            bounded = _Bounded(packed, limits.unpacked_bytes)
            with tarfile.open(fileobj=bounded, mode="r|", encoding="utf-8") as archive:
                for member in archive:
                    _stage_member(archive, member, job.folder, staged, limits)
    except (tarfile.TarError, zlib.error, OSError, EOFError, ValueError, OverflowError) as error:
        raise ScanFailed("download_failed", "What GitHub sent is not a tarball.") from error
    if job.skill_path not in staged.paths.values():
        raise ScanFailed("skill_not_found", "The commit has no such SKILL.md, or it could not be read.")
    return staged


def _stage_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, folder: str, staged: Staged, limits: Limits
) -> None:
    path = member.name.partition("/")[2]  # the first folder is named after the commit
    if not path.startswith(folder) or member.isdir():
        return
    if staged.total >= limits.files:
        raise ScanFailed("too_many_files", f"The skill has over {limits.files:,} files.")
    if not member.isreg():
        staged.skipped.append((path, "link" if member.issym() or member.islnk() else "special file"))
        return
    if member.size > limits.file_bytes:
        staged.skipped.append((path, "too large"))
        return
    source = archive.extractfile(member)
    assert source is not None  # as it is of every regular file
    content = source.read()
    name = f"{len(staged.paths) + 1:05}{_suffix(path, content)}"
    (staged.directory / name).write_bytes(_SILENCERS.sub(lambda match: b"x" * len(match[0]), content))
    staged.paths[name] = path
    staged.sizes[name] = len(content)


def _suffix(path: str, content: bytes) -> str:
    """What tells a scanner the language: the file's own ending, or its first line for a script without one."""
    suffix = PurePosixPath(path).suffix.lower()
    if _SUFFIX.fullmatch(suffix):
        return suffix
    first_line = content[:200].split(b"\n", 1)[0]
    if first_line.startswith(b"#!"):
        return next((known for word, known in _SHEBANGS if word in first_line), ".txt")
    return ".txt"
