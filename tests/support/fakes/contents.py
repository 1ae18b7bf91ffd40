"""Contents of published files in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillgate.domain.archive import StoredFile

from tests.support.fakes.database import Switch


class FakeContents:
    """`store` is what it is away with: the database or the fast copy."""

    def __init__(self, store: Switch | None = None) -> None:
        self._store = store or Switch()
        self.files: dict[str, StoredFile] = {}

    def put(self, files: Iterable[StoredFile]) -> None:
        with self._store.transaction():
            for file in files:
                self.files.setdefault(file.sha256, file)

    def get(self, hashes: Sequence[str]) -> dict[str, StoredFile]:
        with self._store.transaction():
            return {sha256: self.files[sha256] for sha256 in hashes if sha256 in self.files}
