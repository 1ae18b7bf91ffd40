"""A skill's files as what an installer fetches: SKILL.md itself, or a ZIP archive that is the same for ever.

Contents are kept deflated, and an archive is put together from those very bytes. Nothing is compressed again, so the
digest that was announced once holds for every later download, whatever library compresses then.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from skillgate.domain.repo_url import SKILL_FILE

SKILL_MD, ARCHIVE = "skill-md", "archive"
MAX_ARCHIVE_BYTES = 4_000_000  # what a function may answer, less the third that base64 adds
MAX_FILES = 1_000
_DEFLATED = 8
_UTF8_NAMES = 0x800
_DATE = 0x21  # 1980-01-01, the earliest that the format knows
_REGULAR_FILE = 0o100644 << 16


@dataclass(frozen=True)
class StoredFile:
    sha256: str
    size: int
    crc32: int
    deflated: bytes

    @classmethod
    def of(cls, content: bytes) -> StoredFile:
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return cls(
            hashlib.sha256(content).hexdigest(),
            len(content),
            zlib.crc32(content),
            packer.compress(content) + packer.flush(),
        )

    @property
    def content(self) -> bytes:
        return zlib.decompress(self.deflated, -zlib.MAX_WBITS)


def installed_path(path: str, skill_path: str) -> str | None:
    """Where a file of the repository lies in the installed skill; None for one outside of the skill's folder."""
    if path == skill_path:
        return SKILL_FILE
    folder, _, _ = skill_path.rpartition("/")
    if not folder:
        return path
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None


def artifact_of(files: Mapping[str, StoredFile]) -> tuple[str, str]:
    """The kind and the digest of what an installer fetches for these files (by installed path); empty if it cannot."""
    if SKILL_FILE not in files or len(files) > MAX_FILES:
        return "", ""
    if len(files) == 1:
        return SKILL_MD, f"sha256:{files[SKILL_FILE].sha256}"
    if sum(len(file.deflated) + 2 * len(path.encode()) + 120 for path, file in files.items()) > MAX_ARCHIVE_BYTES:
        return "", ""
    return ARCHIVE, f"sha256:{hashlib.sha256(zip_archive(files)).hexdigest()}"


def zip_archive(files: Mapping[str, StoredFile]) -> bytes:
    entries, directory = bytearray(), bytearray()
    for path in sorted(files):
        file, name = files[path], path.encode()
        shared = struct.pack(
            "<HHHHHIIIHH", 20, _UTF8_NAMES, _DEFLATED, 0, _DATE, file.crc32, len(file.deflated), file.size, len(name), 0
        )
        made_by_unix = struct.pack("<4sH", b"PK\x01\x02", 3 << 8 | 20)
        directory += made_by_unix + shared + struct.pack("<HHHII", 0, 0, 0, _REGULAR_FILE, len(entries)) + name
        entries += b"PK\x03\x04" + shared + name + file.deflated
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(files), len(files), len(directory), len(entries), 0)
    return bytes(entries + directory + end)
