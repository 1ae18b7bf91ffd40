"""Opens what a skill's files hold: text, archives and office documents; says what stays unread and why."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import SkippedFile
from skillgate.scanning.limits import Limits
from skillgate.scanning.media import is_inert
from skillgate.scanning.normalise import decode_text

_BINARIES = (
    (b"\x7fELF", "executable (ELF)"),
    (b"MZ", "executable (Windows)"),
    (b"\xcf\xfa\xed\xfe", "executable (macOS)"),
    (b"\xca\xfe\xba\xbe", "executable (macOS) or Java class"),
    (b"\x00asm", "WebAssembly module"),
    (b"%PDF", "PDF document"),
    (b"Rar!", "RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"SQLite format 3", "SQLite database"),
    (b"\xd0\xcf\x11\xe0", "legacy office document"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    path: str
    text: str


@dataclass(slots=True)
class Opened:
    """`total` and `read` count the skill's own files; parts of archives count through the file that holds them."""

    texts: list[TextFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    files_total: int = 0
    files_read: int = 0
    bytes_total: int = 0
    bytes_read: int = 0


def open_all(files: Sequence[SkillFile], limits: Limits) -> Opened:
    opened = Opened()
    for number, file in enumerate(files):
        opened.files_total += 1
        opened.bytes_total += file.size
        before = len(opened.skipped)
        if file.content is None:
            opened.skipped.append(SkippedFile(file.path, file.note or "not read", file.size))
        elif number >= limits.max_files:
            opened.skipped.append(SkippedFile(file.path, "too many files", file.size))
        elif file.size > limits.max_file_bytes or len(file.content) > limits.max_file_bytes:
            opened.skipped.append(SkippedFile(file.path, "too large", file.size))
        elif opened.bytes_read + file.size > limits.max_total_bytes:
            opened.skipped.append(SkippedFile(file.path, "skill too large", file.size))
        else:
            _open(
                file.path, file.content, opened, _Room(limits, limits.max_archive_entries, limits.max_archive_bytes), 0
            )
        if len(opened.skipped) == before:
            opened.files_read += 1
            opened.bytes_read += file.size
    return opened


@dataclass(slots=True)
class _Room:
    """What one file of the skill may still unfold to."""

    limits: Limits
    entries: int
    size: int


def _open(path: str, data: bytes, opened: Opened, room: _Room, depth: int) -> None:
    inert = is_inert(data)
    if inert:
        return
    if inert is False:
        opened.skipped.append(SkippedFile(path, "media with data that does not belong to it", len(data)))
        return
    reason = next((name for magic, name in _BINARIES if data.startswith(magic)), "")
    if path.endswith((".pyc", ".pyo")):
        reason = "compiled Python"
    if reason:
        opened.skipped.append(SkippedFile(path, reason, len(data)))
    elif data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        _within(path, data, _zip, opened, room, depth)
    elif data.startswith(b"\x1f\x8b"):
        _within(path, data, _gzip, opened, room, depth)
    elif data[257:262] == b"ustar":
        _within(path, data, _tar, opened, room, depth)
    else:
        text = decode_text(data)
        if text is None:
            opened.skipped.append(SkippedFile(path, "binary", len(data)))
        else:
            opened.texts.append(TextFile(path, text))


_Reader: TypeAlias = Callable[[bytes, _Room], Iterator[tuple[str, bytes | str]]]


class _UnreadableError(Exception):
    """An archive, or a part of it, that cannot be read to its end."""


def _within(path: str, data: bytes, reader: _Reader, opened: Opened, room: _Room, depth: int) -> None:
    if depth >= room.limits.max_archive_depth:
        opened.skipped.append(SkippedFile(path, "archive nested too deeply", len(data)))
        return
    try:
        for name, content in reader(data, room):
            inner = f"{path}!/{name}" if name else f"{path}!"
            if isinstance(content, str):
                opened.skipped.append(SkippedFile(inner, content, 0))
            else:
                _open(inner, content, opened, room, depth + 1)
    except _UnreadableError as error:
        opened.skipped.append(SkippedFile(path, str(error), len(data)))


def _take(room: _Room, size: int) -> None:
    room.entries -= 1
    room.size -= size
    if room.entries < 0 or room.size < 0:
        raise _UnreadableError("archive unfolds to too much")


def _zip(data: bytes, room: _Room) -> Iterator[tuple[str, bytes | str]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                if entry.flag_bits & 1:
                    yield entry.filename, "encrypted"
                    continue
                with archive.open(entry) as stream:
                    content = stream.read(max(room.size, 0) + 1)
                _take(room, len(content))
                yield entry.filename, content
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError, RuntimeError) as error:
        raise _UnreadableError(f"broken archive: {type(error).__name__}") from error


def _gzip(data: bytes, room: _Room) -> Iterator[tuple[str, bytes | str]]:
    unpacker = zlib.decompressobj(31)
    try:
        content = unpacker.decompress(data, room.size + 1)
    except zlib.error as error:
        raise _UnreadableError("broken archive: zlib") from error
    _take(room, len(content))
    if not unpacker.eof or unpacker.unused_data:
        raise _UnreadableError("archive with data after its end")
    yield "", content


def _tar(data: bytes, room: _Room) -> Iterator[tuple[str, bytes | str]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for entry in archive:
                if entry.isdir():
                    continue
                stream = archive.extractfile(entry) if entry.isfile() else None
                if stream is None:
                    yield entry.name, "link or device"
                    continue
                content = stream.read(max(room.size, 0) + 1)
                _take(room, len(content))
                yield entry.name, content
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise _UnreadableError(f"broken archive: {type(error).__name__}") from error
