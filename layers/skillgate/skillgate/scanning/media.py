"""Whether a media or font file is what its header says and ends where it should: then nothing in it is left to read."""

from __future__ import annotations

import struct
from collections.abc import Callable


def is_inert(data: bytes) -> bool | None:
    """True: whole and nothing after its end. False: a known kind with more or less than that. None: another kind."""
    for magic, check in _CHECKS:
        if data.startswith(magic):
            return _checked(check, data)
    if data[4:8] == b"ftyp":
        return _checked(_mp4, data)
    return None


def _checked(check: Callable[[bytes], bool], data: bytes) -> bool:
    try:
        return check(data)
    except (struct.error, IndexError):
        return False


def _png(data: bytes) -> bool:
    position = 8
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        position += 12 + length
        if kind == b"IEND":
            return bool(position == len(data))
    return False


def _jpeg(data: bytes) -> bool:
    position = 2
    while position + 2 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xD9:
            return position + 2 == len(data)
        (length,) = struct.unpack_from(">H", data, position + 2)
        position += 2 + length
        if marker == 0xDA:
            position = _end_of_scan(data, position)
    return False


def _end_of_scan(data: bytes, position: int) -> int:
    """The next marker that is neither stuffing nor a restart."""
    while True:
        position = data.find(b"\xff", position)
        if position < 0 or position + 1 >= len(data):
            return len(data)
        if data[position + 1] == 0 or 0xD0 <= data[position + 1] <= 0xD7:
            position += 2
        elif data[position + 1] == 0xFF:
            position += 1
        else:
            return position


def _gif(data: bytes) -> bool:
    position = 13 + (3 << ((data[10] & 7) + 1) if data[10] & 0x80 else 0)
    while position < len(data):
        kind = data[position]
        if kind == 0x3B:
            return position + 1 == len(data)
        if kind == 0x2C:
            flags = data[position + 9]
            position += 11 + (3 << ((flags & 7) + 1) if flags & 0x80 else 0)
        elif kind == 0x21:
            position += 2
        else:
            return False
        while data[position]:
            position += 1 + data[position]
        position += 1
    return False


def _riff(data: bytes) -> bool:
    (length,) = struct.unpack_from("<I", data, 4)
    return len(data) in (length + 8, length + 9) and (len(data) == length + 8 or length % 2 == 1)


def _sfnt(data: bytes) -> bool:
    (tables,) = struct.unpack_from(">H", data, 4)
    ends = [12 + 16 * tables]
    for index in range(tables):
        offset, length = struct.unpack_from(">II", data, 12 + 16 * index + 8)
        ends.append(offset + length)
    return bool(0 <= len(data) - max(ends) < 4)


def _woff(data: bytes) -> bool:
    (length,) = struct.unpack_from(">I", data, 8)
    return bool(length == len(data))


def _ico(data: bytes) -> bool:
    (count,) = struct.unpack_from("<H", data, 4)
    ends = [6 + 16 * count]
    for index in range(count):
        size, offset = struct.unpack_from("<II", data, 6 + 16 * index + 8)
        ends.append(size + offset)
    return bool(max(ends) == len(data))


def _bmp(data: bytes) -> bool:
    (length,) = struct.unpack_from("<I", data, 2)
    return bool(length == len(data))


def _mp4(data: bytes) -> bool:
    position = 0
    while position + 8 <= len(data):
        (size,) = struct.unpack_from(">I", data, position)
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, position + 8)
        if size < 8:
            return False
        position += size
    return bool(position == len(data))


def _ogg(data: bytes) -> bool:
    position = 0
    while data[position : position + 4] == b"OggS":
        segments = data[position + 26]
        position += 27 + segments + sum(data[position + 27 : position + 27 + segments])
    return bool(position == len(data))


_CHECKS = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"RIFF", _riff),
    (b"\x00\x01\x00\x00", _sfnt),
    (b"OTTO", _sfnt),
    (b"true", _sfnt),
    (b"wOFF", _woff),
    (b"wOF2", _woff),
    (b"\x00\x00\x01\x00", _ico),
    (b"BM", _bmp),
    (b"OggS", _ogg),
)
