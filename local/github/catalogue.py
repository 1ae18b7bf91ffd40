"""All repositories: those in the served folder, read when asked for, and those pushed while running."""

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from local.github import objects
from local.github.history import Contents, File, assemble, next_commit, write_whole
from local.github.metadata import Metadata, read_metadata, require_repository_name
from local.github.repository import Repository, repository_id
from local.github.working_copy import Fingerprint, WorkingCopy, fingerprint, read_files, working_copies

Key = tuple[str, str]


class Catalogue:
    """Names are found whatever their case, as on GitHub. Safe to use from many threads."""

    def __init__(self, folder: Path | None = None, state: Path | None = None) -> None:
        self._folder = folder
        self._records = None if state is None else state / "repositories"
        self._contents = Contents(None if state is None else state / "objects")
        self._known: dict[Key, Repository] = {}
        self._fingerprints: dict[Key, Fingerprint] = {}
        self._lock = threading.RLock()
        self._load_records()

    def find(self, owner: str, name: str) -> Repository | None:
        """The repository with its newest commit; None when there is none of that name, or no longer."""
        wanted = _key(owner, name)
        with self._lock:
            known = self._known.get(wanted)
            if known is not None and (known.pushed or known.gone):
                return None if known.gone else known
            for copy in self._working_copies(owned_by=owner):
                if _key(copy.owner, copy.name) == wanted:
                    return self._refreshed(copy)
            return None

    def find_id(self, number: int) -> Repository | None:
        with self._lock:
            names = [(copy.owner, copy.name) for copy in self._working_copies()] + list(self._known)
        for owner, name in names:
            if repository_id(f"{owner}/{name}") == number:
                return self.find(owner, name)
        return None

    def all(self) -> list[Repository]:
        with self._lock:
            on_disk = {_key(copy.owner, copy.name): copy for copy in self._working_copies()}
            present = []
            for key in sorted(on_disk.keys() | self._known.keys()):
                known = self._known.get(key)
                if known is not None and (known.pushed or known.gone):
                    present.append(known)
                elif key in on_disk:
                    present.append(self._refreshed(on_disk[key]))
        return [repository for repository in present if not repository.gone]

    def push(self, owner: str, name: str, files: Mapping[str, bytes], metadata: Metadata) -> Repository:
        """Create a repository, or make these files the whole of its next commit."""
        require_repository_name(owner, name)
        key = _key(owner, name)
        given = {path: (objects.FILE, content) for path, content in files.items()}
        committed = assemble(given, metadata, self._contents)
        with self._lock:
            self.find(owner, name)  # a folder that was never asked for becomes the first commit of the history
            before = self._known.get(key) or Repository(owner, name, metadata)
            after = replace(before, metadata=metadata, pushed=True, gone=False)
            return self._keep(_with_files(after, committed))

    def remove(self, owner: str, name: str) -> bool:
        """Make a repository gone; False when there was none."""
        with self._lock:
            repository = self.find(owner, name)
            if repository is not None:
                self._keep(replace(repository, gone=True))
            return repository is not None

    def read(self, path: str, file: File) -> bytes:
        return self._contents.read(path, file)

    def _working_copies(self, owned_by: str | None = None) -> list[WorkingCopy]:
        return [] if self._folder is None else list(working_copies(self._folder, owned_by))

    def _refreshed(self, copy: WorkingCopy) -> Repository:
        key = _key(copy.owner, copy.name)
        seen = fingerprint(copy)
        known = self._known.get(key)
        if known is not None and seen.shows_no_change_since(self._fingerprints.get(key)):
            return known
        metadata = read_metadata(copy.metadata_file)
        before = known or Repository(copy.owner, copy.name, metadata)
        after = _with_files(replace(before, metadata=metadata), assemble(read_files(copy), metadata, self._contents))
        self._fingerprints[key] = seen
        return after if after == known else self._keep(after)

    def _keep(self, repository: Repository) -> Repository:
        self._known[_key(repository.owner, repository.name)] = repository
        if self._records is not None:
            record = self._records / repository.owner.lower() / f"{repository.name.lower()}.json"
            write_whole(record, json.dumps(repository.to_json()).encode())
        return repository

    def _load_records(self) -> None:
        if self._records is None:
            return
        for record in self._records.glob("*/*.json"):
            repository = Repository.from_json(json.loads(record.read_bytes()))
            self._known[_key(repository.owner, repository.name)] = repository


def _with_files(repository: Repository, files: Mapping[str, File]) -> Repository:
    """The repository with a commit for these files, or as it is when its head already has them."""
    head = repository.head
    nothing_yet = not files and not repository.commits
    if repository.metadata.empty or nothing_yet or (head is not None and head.files == files):
        return repository
    commit = next_commit(repository.commits, files, repository.metadata)
    return replace(repository, commits=(*repository.commits, commit))


def _key(owner: str, name: str) -> Key:
    return owner.lower(), name.lower()
