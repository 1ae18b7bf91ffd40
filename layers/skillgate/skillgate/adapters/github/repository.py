"""One repository as one token sees it. Every way in which GitHub says no becomes an outcome with a reason here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from skillgate.adapters.github import tarball
from skillgate.adapters.github.limits import MAX_API_BYTES, MAX_TARBALL_BYTES, TARBALL_FROM_FILES
from skillgate.adapters.github.requests import Answer, Requests, origin_of, redirect_target
from skillgate.adapters.github.trees import OBJECT_ID, Listing, RepositoryTree, TreeEntry, parse_listing
from skillgate.concurrency import settle
from skillgate.domain.errors import InvalidInput, PermanentFailure, SkillgateError, SourceUnavailable
from skillgate.domain.repo_url import RepoUrl

CODELOAD = "https://codeload.github.com"
_JSON = "application/vnd.github+json"
_SHA = "application/vnd.github.sha"
_WORKERS = 8
_MOVED = (301, 308)


@dataclass(frozen=True)
class Repository:
    requests: Requests
    api_url: str
    raw_url: str
    repo: RepoUrl
    token: str | None

    def stars(self) -> int:
        """Also makes sure that the repository is there for everybody. Raises PermanentFailure if it is not."""
        answer = self._api("", keep=True)
        about = self._understood(answer)
        if about.get("private"):
            raise PermanentFailure(
                f"{self.repo.url} is private. Only what everybody can read is certified.", code="repository_private"
            )
        if about.get("disabled"):
            raise self._blocked()
        stars = about.get("stargazers_count")
        return stars if isinstance(stars, int) else 0

    def resolve(self, ref: str) -> str:
        """The id of the commit that the ref stands for."""
        if not ref or ".." in ref or not ref.isprintable() or len(ref) > 255:
            raise InvalidInput("That is not the name of a branch, tag or commit.", code="invalid_ref")
        answer = self._api(f"/commits/{quote(ref, safe='/')}", accept=_SHA, keep=True)
        if answer.status == 422:
            raise self._no_commit(ref)
        self._require_success(answer)
        sha = answer.body.decode("ascii", errors="replace").strip()
        if not OBJECT_ID.fullmatch(sha):
            raise SourceUnavailable("GitHub named no commit.", retry_after=30)
        return sha

    def tree(self, commit_sha: str, *, is_known: bool) -> RepositoryTree:
        """`is_known`: GitHub itself has just named the commit, so that it is not found can only be a replica's lag."""

        def list_tree(sha: str, recursive: bool) -> Listing:
            answer = self._api(f"/git/trees/{sha}" + ("?recursive=1" if recursive else ""), immutable=True)
            if answer.status in (404, 422):
                if is_known or sha != commit_sha:
                    raise SourceUnavailable("GitHub does not have the snapshot yet.", retry_after=30)
                raise self._no_commit(commit_sha)
            return parse_listing(self._understood(answer))

        return RepositoryTree(list_tree, commit_sha)

    def raw_file(self, commit_sha: str, path: str, limit: int) -> Answer:
        """The file up to the limit (200), or no such file (404). Raises for any other answer."""
        url = f"{self.raw_url}/{self._name}/{commit_sha}/{quote(path)}"
        answer = self.requests.get(url, token=self.token, limit=limit)
        if answer.status not in (200, 404):
            self._require_success(answer)
        return answer

    def files(self, commit_sha: str, entries: Sequence[TreeEntry], tree: RepositoryTree) -> dict[str, bytes]:
        """The contents of these blobs by path, each checked against its id."""
        found = self._from_tarball(commit_sha, entries, tree) if _is_tarball_cheaper(entries, tree) else {}
        missing = [entry for entry in entries if entry.path not in found]
        failures: list[Exception] = []

        def read(entry: TreeEntry) -> bytes:
            if failures:  # one file that cannot be read fails the snapshot, so the rest is not asked for
                raise failures[0]
            try:
                return self._checked_file(commit_sha, entry)
            except SkillgateError as error:
                failures.append(error)
                raise

        outcomes = settle(read, missing, workers=_WORKERS)
        return found | {entry.path: outcome.unwrap() for entry, outcome in zip(missing, outcomes, strict=True)}

    def _checked_file(self, commit_sha: str, entry: TreeEntry) -> bytes:
        answer = self.raw_file(commit_sha, entry.path, limit=entry.size)
        if answer.status != 200 or answer.cut or blob_id(answer.body, entry.sha) != entry.sha:
            raise SourceUnavailable("A file is not what the snapshot's listing says.", retry_after=30)
        return answer.body

    def _from_tarball(self, commit_sha: str, entries: Sequence[TreeEntry], tree: RepositoryTree) -> dict[str, bytes]:
        """What the tarball has of these, unchanged: `.gitattributes` may leave files out of it or rewrite them."""
        answer = self.requests.get(
            self._url(f"/tarball/{commit_sha}"), token=self.token, limit=MAX_TARBALL_BYTES, also_to=(CODELOAD,)
        )
        if answer.cut:
            return {}
        self._require_success(answer)
        sizes = {entry.path: entry.size for entry in entries}
        unpacked = tarball.unpack(answer.body, sizes, _bytes_of(tree), len(tree.glimpse))
        return {
            entry.path: unpacked[entry.path]
            for entry in entries
            if entry.path in unpacked and blob_id(unpacked[entry.path], entry.sha) == entry.sha
        }

    @property
    def _name(self) -> str:
        return f"{quote(self.repo.owner, safe='')}/{quote(self.repo.repo, safe='')}"

    def _url(self, path: str) -> str:
        return f"{self.api_url}/repos/{self._name}{path}"

    def _api(self, path: str, *, accept: str = _JSON, keep: bool = False, immutable: bool = False) -> Answer:
        answer = self.requests.get(
            self._url(path), token=self.token, limit=MAX_API_BYTES, accept=accept, keep=keep, immutable=immutable
        )
        if answer.status in _MOVED:
            raise self._renamed(answer)
        return answer

    def _understood(self, answer: Answer) -> dict[str, Any]:
        self._require_success(answer)
        value = answer.json()
        if not isinstance(value, dict):
            raise SourceUnavailable("GitHub's answer could not be understood.", retry_after=30)
        return value

    def _require_success(self, answer: Answer) -> None:
        if answer.status == 200 and not answer.cut:
            return
        url, message = self.repo.url, answer.message.lower()
        if answer.status == 200:
            raise PermanentFailure(f"{url} is too large to be listed.", code="repository_too_large")
        if answer.status in (404, 410):
            raise PermanentFailure(f"{url} does not exist, or is private.", code="repository_gone")
        if answer.status == 409 and "empty" in message:
            raise PermanentFailure(f"{url} is empty.", code="repository_empty")
        if answer.status == 451 or (answer.status == 403 and "access blocked" in message):
            raise self._blocked()
        if answer.status == 401:
            raise SourceUnavailable("GitHub refused the token.", retry_after=300)
        raise SourceUnavailable(f"GitHub answered {answer.status}.", retry_after=60)

    def _renamed(self, answer: Answer) -> PermanentFailure:
        where = self._new_name(answer)
        advice = f"It is now https://github.com/{where}: submit that." if where else "Submit its new address."
        return PermanentFailure(f"{self.repo.url} was renamed or moved. {advice}", code="repository_renamed")

    def _new_name(self, answer: Answer) -> str | None:
        """GitHub redirects to the repository's number; its name is one more question."""
        target = redirect_target(self.api_url, answer, {origin_of(self.api_url)})
        base, found, rest = target.partition("/repositories/")
        number = rest.split("/")[0].split("?")[0]
        if not found or not number.isdigit() or base != self.api_url:
            return None
        about = self.requests.get(f"{base}{found}{number}", token=self.token, limit=MAX_API_BYTES, accept=_JSON)
        value = about.json() if about.status == 200 else None
        if not isinstance(value, dict) or value.get("private") is not False:
            return None
        return str(value.get("full_name"))

    def _blocked(self) -> PermanentFailure:
        return PermanentFailure(f"GitHub has blocked {self.repo.url}.", code="repository_blocked")

    def _no_commit(self, ref: str) -> PermanentFailure:
        return PermanentFailure(f"{self.repo.url} has no commit {ref}.", code="commit_gone")


def blob_id(content: bytes, like: str) -> str:
    """git's id of a file with this content, by the hash that an id of this length is made with."""
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()


def _bytes_of(tree: RepositoryTree) -> int:
    return sum(entry.size for entry in tree.glimpse)


def _is_tarball_cheaper(entries: Sequence[TreeEntry], tree: RepositoryTree) -> bool:
    if len(entries) < TARBALL_FROM_FILES or not tree.is_complete:
        return False
    wanted, everything = sum(entry.size for entry in entries), _bytes_of(tree)
    return everything <= min(MAX_TARBALL_BYTES, 4 * wanted + 2_000_000)
