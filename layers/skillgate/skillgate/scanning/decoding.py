"""Text inside text: base64, hex and base85 runs, also compressed, found wherever they stand."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator

import re2

from skillgate.scanning.limits import Limits

_BASE64 = re2.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re2.compile(r"(?:\\x[0-9a-fA-F]{2}){8,}|\b(?:[0-9a-fA-F]{2}){16,}\b")
_ESCAPED = re2.compile(r"(?:\\u00[0-9a-fA-F]{2}){8,}|(?:&#x?[0-9a-fA-F]{2,4};){8,}|(?:%[0-9a-fA-F]{2}){8,}")
_BASE85 = re2.compile(r"<~[!-u\s]{16,}~>")
_CODES = re2.compile(r"\b\d{2,3}(?:\s*,\s*\d{2,3}){12,}\b")
_WORD = re.compile(r"[A-Za-z]{3}")
_LETTERS_ONLY = re.compile(r"[A-Za-z]+|[0-9]+|[a-z]+(?:[-_/][a-z0-9]+)+")


def decoded(text: str, limits: Limits) -> Iterator[tuple[int, str]]:
    """Readable text behind encoded runs, with the line that each run starts on."""
    count = 0
    encoded = text.encode("utf-8", "replace")
    for pattern, decode in _DECODERS:
        for match in pattern.finditer(encoded):
            readable = _readable(decode(match.group().decode("ascii")), limits)
            if readable:
                yield encoded.count(b"\n", 0, match.start()) + 1, readable
                count += 1
                if count >= limits.max_decoded_per_file:
                    return


def _base64(run: str) -> bytes:
    if _LETTERS_ONLY.fullmatch(run):
        return b""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (1 if len(body) % 4 == 1 else 0)]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return b""


def _hex(run: str) -> bytes:
    try:
        return bytes.fromhex(run.replace("\\x", ""))
    except ValueError:
        return b""


def _escapes(run: str) -> bytes:
    numbers = re.findall(r"[0-9a-fA-F]{2,4}", run)
    base = 10 if "&#" in run and "x" not in run.lower() else 16
    try:
        return "".join(chr(int(number, base)) for number in numbers).encode()
    except ValueError:
        return b""


def _base85(run: str) -> bytes:
    try:
        return base64.a85decode(run, adobe=True)
    except (ValueError, binascii.Error):
        return b""


def _codes(run: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", run)]
    return bytes(numbers) if all(number < 128 for number in numbers) else b""


_DECODERS = ((_BASE64, _base64), (_HEX, _hex), (_ESCAPED, _escapes), (_BASE85, _base85), (_CODES, _codes))


def _readable(data: bytes, limits: Limits) -> str:
    if len(data) < 8:
        return ""
    if data[:2] in (b"\x1f\x8b", b"x\x9c", b"x\xda", b"x\x01"):
        try:
            data = zlib.decompressobj(47).decompress(data, limits.max_decoded_bytes)
        except zlib.error:
            return ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    printable = sum(1 for character in text if character.isprintable() or character in "\n\t\r")
    return text if printable >= len(text) * 0.97 and _WORD.search(text) else ""
