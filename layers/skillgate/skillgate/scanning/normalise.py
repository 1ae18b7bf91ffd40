"""Makes text plain before anything looks at it, and reports what had to be removed.

Line numbers survive: nothing here adds or drops a line break.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import islice

import re2

# Latin letters and the Cyrillic, Greek and Armenian ones that look the same.
_LOOKALIKES = str.maketrans(
    "АаВЕеЅѕІіЈјКкМмНОоРрСсТтУуХхҮһԁԛԝуαΑΒΕεΖΗΙιΚκΜΝΟοΡρΤτΥυΧχγνօոսհց",
    "AaBEeSsIiJjKkMmHOoPpCcTtYyXxYhdqwyaABEeZHIiKkMNOoPpTtYuXxyvonuhg",
)
_MAX_ODDITIES = 40  # enough to judge; each costs a count of lines
_BIDI = re2.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re2.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_TAG_RUN = re2.compile("[\U000e0020-\U000e007e]{4,}")
_ZERO_WIDTH_RUN = re2.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{6,}")
_SPLIT_WORD = re2.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060-\u2064\ufeff]+[A-Za-z]")
_SELECTOR_RUN = re2.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_MIXED_WORD = re2.compile(r"[A-Za-z]+[\p{Cyrillic}\p{Greek}\p{Armenian}]|[\p{Cyrillic}\p{Greek}\p{Armenian}]+[A-Za-z]")
_WORD = re2.compile(r"[\pL\pM\pN_]+")
_HAS_FOREIGN = re2.compile(r"[\p{Cyrillic}\p{Greek}\p{Armenian}]")
_HAS_LATIN = re2.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something a reader cannot see: what it is, the line, and the text it carried if that could be recovered."""

    kind: str
    line: int
    payload: str = ""


@dataclass(frozen=True, slots=True)
class Plain:
    text: str
    oddities: tuple[Oddity, ...] = ()


def decode_text(data: bytes) -> str | None:
    """The text of a file, or None where it is binary."""
    for mark, encoding in ((b"\xff\xfe\x00\x00", "utf-32-le"), (b"\x00\x00\xfe\xff", "utf-32-be")):
        if data.startswith(mark):
            return data[4:].decode(encoding, "replace")
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace")
    if b"\x00" in data:
        return _unmarked_utf16(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    text = data.decode("latin-1")
    odd = sum(
        1
        for character in text[:65_536]
        if (character < " " and character not in "\t\n\r\f\x1b") or "\x7f" <= character < "\xa0"
    )
    return text if odd * 50 <= min(len(text), 65_536) else None


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark has a zero in every other byte of plain text; anything else with zeros is binary."""
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if (
            len(data) > 8
            and data[offset::2].count(0) * 10 >= len(data[offset::2]) * 9
            and 0 not in data[1 - offset :: 2]
        ):
            return data.decode(encoding, "replace")
    return None


def plain(text: str) -> Plain:
    """NFKC without invisible characters, and with words of mixed alphabets brought back to Latin."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return Plain(text)
    oddities = [*_smuggled(text), *_direction_changes(text)]
    text = _BIDI.sub("", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", text)
    if _MIXED_WORD.search(text):
        text, mixed = _without_lookalikes(text)
        oddities.extend(mixed)
    return Plain(text, tuple(oddities))


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _smuggled(text: str) -> list[Oddity]:
    found = []
    for match in islice(_TAG_RUN.finditer(text), _MAX_ODDITIES):
        payload = "".join(chr(ord(character) - 0xE0000) for character in match.group())
        # Flags of England, Scotland and Wales are tag sequences of five letters after a black flag.
        if text[max(0, match.start() - 1)] != "\U0001f3f4":
            found.append(Oddity("invisible_text", _line(text, match.start()), payload))
    found += [
        Oddity("invisible_text", _line(text, match.start()), read(match.group()))
        for runs, read in ((_SELECTOR_RUN, _from_selectors), (_ZERO_WIDTH_RUN, _from_bits))
        for match in islice(runs.finditer(text), _MAX_ODDITIES)
    ]
    split = next(_SPLIT_WORD.finditer(text), None)
    if split is not None:
        found.append(Oddity("split_word", _line(text, split.start())))
    return found


def _from_selectors(run: str) -> str:
    """Variation selectors number the bytes 0 to 255."""
    values = bytes(ord(c) - 0xFE00 if ord(c) < 0xE0000 else ord(c) - 0xE0100 + 16 for c in run)
    return values.decode("utf-8", "replace")


def _from_bits(run: str) -> str:
    """Two kinds of zero-width characters write the bits of each byte."""
    first = run[0]
    for zero in (True, False):
        bits = "".join("0" if (character == first) is zero else "1" for character in run)
        values = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8))
        if values and all(32 <= value < 127 or value in (9, 10, 13) for value in values):
            return values.decode("ascii")
    return ""


def _direction_changes(text: str) -> list[Oddity]:
    match = _BIDI.search(text)
    return [Oddity("bidi_control", _line(text, match.start()))] if match else []


def _without_lookalikes(text: str) -> tuple[str, list[Oddity]]:
    oddities: list[Oddity] = []
    pieces: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii() or not (_HAS_LATIN.search(word) and _HAS_FOREIGN.search(word)):
            continue
        folded = word.translate(_LOOKALIKES)
        if folded.isascii() and len(word) > 2:
            pieces += [text[end : match.start()], folded]
            end = match.end()
            if len(oddities) < _MAX_ODDITIES:
                oddities.append(Oddity("homoglyph", _line(text, match.start()), folded))
    pieces.append(text[end:])
    return "".join(pieces), oddities
