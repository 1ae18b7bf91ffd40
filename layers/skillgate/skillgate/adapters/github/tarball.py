"""Many files from one download. A tarball is hostile input: nothing is written, and no size in it is believed."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping

from skillgate.domain.errors import SourceUnavailable

_HEADERS_PER_FILE = 4_096  # a tar header, a long name's header and the padding


class _Bounded(io.RawIOBase):
    """Unpacks as it is read, and ends after so many bytes, which for a tarball is in the middle of a file."""

    def __init__(self, packed: bytes, limit: int) -> None:
        self._unpacked = gzip.GzipFile(fileobj=io.BytesIO(packed))
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._unpacked.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def unpack(packed: bytes, sizes: Mapping[str, int], total_bytes: int, entries: int) -> dict[str, bytes]:
    """The wanted files by path, as far as they are there with the size they should have.

    `total_bytes` and `entries` are what the whole repository is known to hold. Raises SourceUnavailable for what is
    no tarball, or more than that.
    """
    limit = total_bytes + (entries + 10) * _HEADERS_PER_FILE
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=_Bounded(packed, limit), mode="r|", encoding="utf-8") as archive:
            for member in archive:
                path = member.name.partition("/")[2]  # the first folder is named after the commit
                if member.isreg() and sizes.get(path) == member.size:
                    content = archive.extractfile(member)
                    assert content is not None  # as it is of every regular file
                    found[path] = content.read()
    except (tarfile.TarError, zlib.error, OSError, EOFError, ValueError, OverflowError) as error:
        raise SourceUnavailable("GitHub's tarball could not be read.", retry_after=30) from error
    return found
