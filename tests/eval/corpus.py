"""A labelled corpus: a folder with `malicious/<id>/` and `benign/<id>/`, or an archive of one."""

from __future__ import annotations

import csv
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

LABELS = ("malicious", "benign")
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip")
_MAX_UNPACKED = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    id: str
    label: str
    tier: str
    folder: Path


@contextmanager
def opened(corpus: Path) -> Iterator[list[Sample]]:
    """The samples of a corpus: a folder of them, an archive, or a folder with one archive in it.

    An archive is unpacked to a temporary folder that is gone afterwards.
    """
    if corpus.is_dir():
        archives = [file for file in sorted(corpus.iterdir()) if file.name.endswith(_ARCHIVES)]
        if len(archives) != 1 or any((corpus / label).is_dir() for label in LABELS):
            yield samples(corpus, corpus)
            return
        corpus = archives[0]
    with TemporaryDirectory(prefix="skillgate-eval-") as temporary:
        target = Path(temporary)
        unpack(corpus, target)
        yield samples(target, corpus.parent)


def samples(root: Path, manifest_folder: Path) -> list[Sample]:
    base = next(
        (folder for folder in (root, *root.iterdir()) if any((folder / label).is_dir() for label in LABELS)), None
    )
    if base is None:
        raise ValueError(f"{root} holds neither malicious/ nor benign/")
    tiers = _tiers(next((f for f in (base / "manifest.csv", manifest_folder / "manifest.csv") if f.is_file()), None))
    return [
        Sample(folder.name, label, tiers.get(folder.name, "all"), folder)
        for label in LABELS
        for folder in sorted((base / label).iterdir() if (base / label).is_dir() else ())
        if folder.is_dir()
    ]


def _tiers(manifest: Path | None) -> dict[str, str]:
    if manifest is None:
        return {}
    with manifest.open(newline="", encoding="utf-8") as lines:
        return {row["id"]: row.get("tier") or "all" for row in csv.DictReader(lines)}


def unpack(archive: Path, target: Path) -> None:
    """Writes regular files only, each inside `target`: no links, no devices, no way out through `..`."""
    left = _MAX_UNPACKED
    for name, content in _members(archive):
        left -= len(content)
        if left < 0:
            raise ValueError(f"{archive} unpacks to too much")
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
            raise ValueError(f"{archive} holds a path that leads out of it: {name!r}")
        place = target.joinpath(*path.parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                is_link = (entry.external_attr >> 16) & 0o170000 == 0o120000
                if not entry.is_dir() and not is_link:
                    yield entry.filename, packed.read(entry)
        return
    with tarfile.open(archive) as packed_tar:
        for member in packed_tar:
            stream = packed_tar.extractfile(member) if member.isreg() else None
            if stream is not None:
                yield member.name, stream.read()
