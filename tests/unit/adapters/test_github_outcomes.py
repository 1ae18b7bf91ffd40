"""Every way in which a repository is not to be had, and repositories too large for one listing or single files."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from skillgate.adapters.github import limits, trees
from skillgate.adapters.github.tarball import unpack
from skillgate.domain.errors import PermanentFailure, SourceUnavailable

from tests.unit.adapters.fake_github import API, COMMIT, RAW, FakeGitHub, answering, as_json, blob, streamed
from tests.unit.adapters.memory import most_memory

REPO = "https://github.com/acme/tools"


def failure_of(github: FakeGitHub) -> PermanentFailure:
    with pytest.raises(PermanentFailure) as caught:
        github.source().fetch_repo_files(REPO, "SKILL.md")
    return caught.value


def always(status: int, body: dict[str, Any], marker: str = API) -> FakeGitHub:
    return FakeGitHub({"SKILL.md": "x"}, before=lambda r: as_json(status, body) if marker in str(r.url) else None)


@pytest.mark.parametrize(
    ("github", "code"),
    [
        (always(404, {"message": "Not Found"}), "repository_gone"),
        (always(410, {"message": "Gone"}), "repository_gone"),
        (always(451, {"message": "Repository access blocked", "block": {"reason": "dmca"}}), "repository_blocked"),
        (always(403, {"message": "Repository access blocked"}), "repository_blocked"),
        (always(409, {"message": "Git Repository is empty."}, "/commits/"), "repository_empty"),
        (always(422, {"message": "No commit found for SHA: HEAD"}, "/commits/"), "commit_gone"),
        (FakeGitHub({"SKILL.md": "x"}, about={"private": True}), "repository_private"),
        (FakeGitHub({"SKILL.md": "x"}, about={"disabled": True}), "repository_blocked"),
        (FakeGitHub({"README.md": "x"}), "no_skill_md"),
        (FakeGitHub({}), "no_skill_md"),
    ],
)
def test_what_waiting_cannot_mend_ends_with_its_own_reason(github: FakeGitHub, code: str) -> None:
    failure = failure_of(github)
    assert failure.code == code and REPO in failure.message
    assert not github.pauses


def test_a_commit_that_github_has_just_named_and_cannot_find_is_waited_for_but_one_from_elsewhere_is_gone() -> None:
    source = always(404, {"message": "Not Found"}, "/git/trees/").source()
    with pytest.raises(SourceUnavailable):
        source.fetch_repo_files(REPO, "SKILL.md")
    with pytest.raises(PermanentFailure) as caught:
        source.fetch_repo_files(REPO, "SKILL.md", commit_sha=COMMIT)
    assert caught.value.code == "commit_gone"


def test_a_private_repository_that_the_token_can_see_is_not_read() -> None:
    github = FakeGitHub({"SKILL.md": "x"}, about={"private": True})
    failure_of(github)
    assert not [url for url in github.urls() if url.startswith(RAW)]


def test_a_renamed_repository_says_where_to() -> None:
    github = FakeGitHub({}, before=_moved_with({"full_name": "new-owner/new-name", "private": False}))
    failure = failure_of(github)
    assert failure.code == "repository_renamed"
    assert "https://github.com/new-owner/new-name" in failure.message


@pytest.mark.parametrize("about", [{"full_name": "x/secret", "private": True}, [], {}])
def test_a_renamed_repository_whose_new_name_is_not_public_keeps_it_to_itself(about: Any) -> None:
    failure = failure_of(FakeGitHub({}, before=_moved_with(about)))
    assert failure.code == "repository_renamed" and "secret" not in failure.message and "None" not in failure.message


def _moved_with(about: Any) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/repositories/42":
            return as_json(200, about)
        return as_json(301, {}, {"Location": f"{API}/repositories/42/commits/HEAD?x=1"})

    return answer


@pytest.mark.parametrize(
    ("status", "body"), [(401, {"message": "Bad credentials"}), (403, {"message": "Forbidden"}), (418, {})]
)
def test_what_says_nothing_about_the_skill_is_no_verdict_on_it(status: int, body: Any) -> None:
    github = always(status, body)
    with pytest.raises(SourceUnavailable) as caught:
        github.source().fetch_repo_files(REPO, "SKILL.md", "hush")
    assert "hush" not in caught.value.message


class LargeRepository:
    """A repository of which GitHub lists no folder recursively that holds more than `longest` entries."""

    def __init__(self, files: dict[str, str], longest: int) -> None:
        self.fake = FakeGitHub(files, before=self._answer)
        self._longest = longest
        self._folders = {COMMIT: ""}

    def _answer(self, request: httpx.Request) -> httpx.Response | None:
        if "/git/trees/" not in request.url.path:
            return None
        folder = self._folders[request.url.path.rpartition("/")[2]]
        prefix = f"{folder}/" if folder else ""
        below = [self._entry(entry) for entry in self.fake.entries() if entry["path"].startswith(prefix)]
        relative = [entry | {"path": entry["path"].removeprefix(prefix)} for entry in below]
        if "recursive" in request.url.params:
            return as_json(200, {"tree": relative[: self._longest], "truncated": len(relative) > self._longest})
        return as_json(200, {"tree": [e for e in relative if "/" not in e["path"]], "truncated": False})

    def _entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        if entry["type"] != "tree":
            return entry
        sha = blob(entry["path"], entry["path"].encode())["sha"]
        self._folders[sha] = entry["path"]
        return entry | {"sha": sha}


FILES = {f"packages/p{n}/src/file.txt": "x" for n in range(10)} | {
    "packages/p3/SKILL.md": "See `../../shared/deep/rules.md`, ../../docs/ and `packages/p4/src/none.txt`.",
    "shared/deep/rules.md": "r",
    "docs/a.md": "d",
    "z/SKILL.md": "z",
}


def test_a_truncated_listing_is_walked_folder_by_folder_rather_than_short() -> None:
    large = LargeRepository(FILES, longest=4)
    assert large.fake.source().find_skills(REPO) == ["packages/p3/SKILL.md", "z/SKILL.md"]
    listings = [url for url in large.fake.urls() if "/git/trees/" in url]
    assert len(listings) == len(set(listings)), "no folder is listed twice in the same way"


def test_a_skill_in_a_repository_too_large_to_list_is_read_whole_and_its_references_too() -> None:
    large = LargeRepository(FILES, longest=4)
    bundle = large.fake.source().fetch_repo_files(REPO, "packages/P3")
    found = {file.path: file.note or "" for file in bundle.files}
    assert [path for path, note in found.items() if not note] == [
        "packages/p3/SKILL.md",
        "packages/p3/src/file.txt",
        "shared/deep/rules.md",
    ]
    assert "folder" in found["docs"]


def test_a_walk_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MAX_TREE_REQUESTS", 5)
    with pytest.raises(PermanentFailure) as caught:
        LargeRepository(FILES, longest=1).fake.source().find_skills(REPO)
    assert caught.value.code == "repository_too_large"


def test_a_directory_listing_has_what_is_directly_in_the_folder() -> None:
    source = FakeGitHub({"a/b/c.md": "c", "a/d.md": "d", "e.md": "e"}).source()
    listed = source.fetch_directory_listing("acme", "tools", COMMIT, "a")
    assert [(entry.path, entry.kind) for entry in listed] == [("a/b", "tree"), ("a/d.md", "blob")]
    assert source.fetch_directory_listing("acme", "tools", COMMIT, "none") == []


MANY = {"SKILL.md": "# x"} | {f"docs/{n}.md": f"text {n}" for n in range(limits.TARBALL_FROM_FILES)}


def test_many_files_come_as_one_tarball() -> None:
    github = FakeGitHub(MANY)
    bundle = github.source().fetch_repo_files(REPO, "SKILL.md")
    assert {file.path: (file.content or b"").decode() for file in bundle.files} == MANY
    assert len(github.requests) == 3 + 2


def test_what_a_tarball_leaves_out_or_rewrites_is_fetched_by_itself() -> None:
    github = FakeGitHub(MANY)
    packed = github.tarball(left_out=frozenset({"docs/1.md"}), changed={"docs/2.md": b"text !"})
    github.before = answering("codeload", lambda: streamed(200, packed))
    bundle = github.source().fetch_repo_files(REPO, "SKILL.md")
    assert {file.path: (file.content or b"").decode() for file in bundle.files} == MANY
    assert len(github.requests) == 3 + 2 + 2


def test_a_tarball_is_not_taken_where_the_rest_of_the_repository_is_much_larger() -> None:
    skill = {f"skill/{path}": text for path, text in MANY.items()}
    github = FakeGitHub(skill, extra_entries=(blob("video.mp4", b"", size=30_000_000),))
    github.source().fetch_repo_files(REPO, "skill")
    assert not [url for url in github.urls() if "tarball" in url]


def test_a_tarball_over_the_limit_is_dropped_for_single_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillgate.adapters.github.repository.MAX_TARBALL_BYTES", 1_000)
    github = FakeGitHub(MANY)
    github.before = answering("codeload", lambda: streamed(200, b"x" * 5_000))
    assert len(github.source().fetch_repo_files(REPO, "SKILL.md").files) == len(MANY)


@pytest.mark.parametrize("packed", [b"", b"no gzip", FakeGitHub({"a": "x" * 90_000}).tarball()[:50]])
def test_what_is_no_tarball_is_no_verdict_on_the_skill(packed: bytes) -> None:
    with pytest.raises(SourceUnavailable):
        unpack(packed, {"a": 90_000}, 100_000, 1)


def test_a_tarball_larger_than_the_repository_is_given_up_on() -> None:
    bomb = FakeGitHub({"a": "x", "zeros": b"\0" * 20_000_000}).tarball()
    with most_memory(5_000_000), pytest.raises(SourceUnavailable):
        unpack(bomb, {"a": 1}, 1, 1)
