"""Which files make up a skill, what is only noted, and that all of it is one snapshot."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from skillgate.adapters.github import limits, reading
from skillgate.domain.errors import PermanentFailure, SourceUnavailable
from skillgate.domain.skill import SkillBundle

from tests.unit.adapters.fake_github import COMMIT, RAW, FakeGitHub, answering, blob, streamed

REPO = "https://github.com/acme/tools"
SKILL = "skills/pdf/SKILL.md"


def notes(bundle: SkillBundle) -> dict[str, str]:
    """Why each file was not read; empty for one that was."""
    return {file.path: "" if file.content is not None else str(file.note) for file in bundle.files}


def test_the_whole_folder_is_read_at_the_resolved_commit_and_sorted() -> None:
    github = FakeGitHub({SKILL: "# PDF", "skills/pdf/scripts/a.py": "print()", "skills/pdf/Z.md": "z", "other.md": "-"})
    bundle = github.source().fetch_repo_files(REPO, "skills/pdf")
    assert [file.path for file in bundle.files] == [SKILL, "skills/pdf/Z.md", "skills/pdf/scripts/a.py"]
    assert (bundle.skill_path, bundle.commit_sha, bundle.stars, bundle.skill_md) == (SKILL, COMMIT, 7, "# PDF")
    assert all(f"/{COMMIT}/" in url for url in github.urls() if url.startswith(RAW))


def test_a_given_commit_is_not_resolved_again() -> None:
    github = FakeGitHub({SKILL: "x"})
    assert github.source().fetch_repo_files(REPO, SKILL, commit_sha=COMMIT).commit_sha == COMMIT
    assert not [url for url in github.urls() if "/commits/" in url]


def test_three_questions_and_one_request_a_file_are_enough() -> None:
    github = FakeGitHub({SKILL: "x", "skills/pdf/a.md": "a"})
    github.source().fetch_repo_files(REPO, SKILL)
    assert len(github.requests) == 3 + 2


def test_the_path_matches_in_another_case_and_the_bundle_says_how_it_is_spelt() -> None:
    bundle = FakeGitHub({"Skills/PDF/skill.md": "x"}).source().fetch_repo_files(REPO, "skills/pdf/SKILL.md")
    assert bundle.skill_path == "Skills/PDF/skill.md"
    assert bundle.skill_md == "x"


def test_an_exact_path_wins_over_one_in_another_case() -> None:
    bundle = FakeGitHub({"A/SKILL.md": "upper", "a/SKILL.md": "lower"}).source().fetch_repo_files(REPO, "a/SKILL.md")
    assert bundle.skill_md == "lower"


def test_paths_with_odd_but_legal_characters_are_quoted() -> None:
    name = "skills/pdf/50% of é #1?.md"
    github = FakeGitHub({SKILL: "x", name: "y"})
    bundle = github.source().fetch_repo_files(REPO, SKILL)
    assert {file.path: file.content for file in bundle.files}[name] == b"y"
    assert f"{RAW}/acme/tools/{COMMIT}/skills/pdf/50%25%20of%20%C3%A9%20%231%3F.md" in github.urls()


def test_links_submodules_and_lfs_pointers_are_noted_and_never_followed() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    extra = (
        blob("skills/pdf/link", b"../../secret", mode="120000"),
        {"path": "skills/pdf/module", "mode": "160000", "type": "commit", "sha": "e" * 40},
    )
    github = FakeGitHub({SKILL: "x", "skills/pdf/model.bin": pointer}, extra_entries=extra)
    bundle = github.source().fetch_repo_files(REPO, SKILL)
    found = notes(bundle)
    assert "symbolic link" in found["skills/pdf/link"]
    assert "submodule" in found["skills/pdf/module"]
    assert "LFS" in found["skills/pdf/model.bin"]
    assert [file.path for file in bundle.files if file.content is not None] == [SKILL]
    assert not [url for url in github.urls() if "link" in url or "module" in url]


def test_another_target_submodule_or_large_file_is_another_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 10)

    def content_hash(target: bytes = b"../a", module: str = "e", large: bytes = b"1" * 11) -> str:
        extra = (
            blob("skills/pdf/link", target, mode="120000"),
            {"path": "skills/pdf/module", "mode": "160000", "type": "commit", "sha": module * 40},
        )
        github = FakeGitHub({SKILL: "x", "skills/pdf/large.bin": large}, extra_entries=extra)
        return github.source().fetch_repo_files(REPO, SKILL).content_hash()

    others = {content_hash(target=b"../b"), content_hash(module="f"), content_hash(large=b"2" * 11)}
    assert content_hash() == content_hash() and len(others | {content_hash()}) == 4


def test_a_file_beyond_the_last_that_is_noted_changes_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILES", 2)

    def content_hash(*names: str, last: str = "same") -> str:
        files = {SKILL: "x", **{f"skills/pdf/{name}": "same" for name in names}, "skills/pdf/z": last}
        return FakeGitHub(files).source().fetch_repo_files(REPO, SKILL).content_hash()

    hashes = {content_hash("a", "b", "c"), content_hash("a", "b", "d"), content_hash("a", "b", "c", last="else")}
    assert len(hashes) == 3


def test_a_text_that_only_begins_like_an_lfs_pointer_is_read() -> None:
    text = "version https://git-lfs.github.com/spec/v1\n" + "rm -rf /\n" * 200
    bundle = FakeGitHub({SKILL: "x", "skills/pdf/a.md": text}).source().fetch_repo_files(REPO, SKILL)
    assert bundle.files[1].content == text.encode()


def test_binaries_and_archives_are_read_for_the_scanner() -> None:
    bundle = FakeGitHub({SKILL: "x", "skills/pdf/a.zip": b"PK\x03\x04\0\0"}).source().fetch_repo_files(REPO, SKILL)
    assert bundle.files[1].content == b"PK\x03\x04\0\0"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "skills/pdf/../../x", "skills/pdf/a\\b", "skills/pdf/a\0b", "skills/pdf/a\nb"]
)
def test_a_path_that_no_honest_file_has_is_noted_in_a_form_that_can_be_stored(path: str) -> None:
    github = FakeGitHub({"SKILL.md": "x"}, extra_entries=(blob(path, b"y"),))
    bundle = github.source().fetch_repo_files(REPO, "SKILL.md")
    (odd,) = [file for file in bundle.files if file.path != "SKILL.md"]
    assert odd.content is None and odd.note and odd.path.isprintable()
    assert len(github.requests) == 3 + 1


def test_deep_and_long_paths_are_noted() -> None:
    deep, long = "d/" * (limits.MAX_DEPTH + 1) + "x", "n" * (limits.MAX_PATH_LENGTH + 1)
    found = notes(FakeGitHub({"SKILL.md": "x", deep: "y", long: "z"}).source().fetch_repo_files(REPO, "SKILL.md"))
    assert "deeper" in found[deep]
    assert "characters" in found[long[: limits.MAX_PATH_LENGTH]]


def test_files_over_the_limits_are_noted_and_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 10)
    monkeypatch.setattr(reading, "MAX_TOTAL_BYTES", 15)
    github = FakeGitHub({"SKILL.md": "x" * 8, "a.md": "a" * 7, "b.md": "b", "large.md": "l" * 11})
    found = notes(github.source().fetch_repo_files(REPO, "SKILL.md"))
    assert found["SKILL.md"] == found["a.md"] == ""
    assert "more than 15 bytes" in found["b.md"]
    assert "larger than 10 bytes" in found["large.md"]
    assert len(github.requests) == 3 + 2


def test_too_many_files_end_in_one_note_that_counts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILES", 3)
    files = {"SKILL.md": "x"} | {f"{n}.md": "y" for n in range(9)}
    bundle = FakeGitHub(files).source().fetch_repo_files(REPO, "SKILL.md")
    assert len(bundle.files) == 4
    (summary,) = [file for file in bundle.files if file.content is None]
    assert summary.note is not None and "this and 6 more" in summary.note


@pytest.mark.parametrize(
    "text",
    [
        "See [the rules](../../shared/rules.md#first).",
        "See [the rules][r].\n\n[r]: ../../shared/rules.md",
        "Read `../../shared/rules.md` first.",
        "Read `shared/rules.md` first.",
        "```\ncat ../../shared/rules.md\n```",
        "Run `cat ../../shared/rules.md | head`.",
        "<a href='../../shared/rules.md'>rules</a>",
        "See https://github.com/Acme/tools/blob/main/shared/rules.md.",
        "See https://raw.githubusercontent.com/acme/tools/main/shared/rules.md",
        "Everything in ../../shared/ applies.",
        "[rules](../../shared/rules%2Emd)",
    ],
)
def test_files_elsewhere_that_the_skill_refers_to_are_read(text: str) -> None:
    github = FakeGitHub({SKILL: text, "shared/rules.md": "r", "unrelated.md": "u"})
    bundle = github.source().fetch_repo_files(REPO, SKILL)
    assert [file.path for file in bundle.files] == ["shared/rules.md", SKILL]


def test_a_script_refers_to_what_it_reaches_upwards_for() -> None:
    files = {SKILL: "x", "skills/pdf/run.sh": ". ../lib/common.sh", "skills/lib/common.sh": "echo"}
    bundle = FakeGitHub(files).source().fetch_repo_files(REPO, SKILL)
    assert "skills/lib/common.sh" in notes(bundle)


@pytest.mark.parametrize(
    "text",
    [
        "Update `README.md`.",
        "Put tests in `src/`.",
        "Go to ../.. first",
        "Go to ../ first.",
        "https://example.com/shared/rules.md",
    ],
)
def test_what_means_the_readers_own_files_is_no_reference(text: str) -> None:
    files = {SKILL: text, "README.md": "r", "src/a.py": "a", "shared/rules.md": "r", "skills/other/x.md": "x"}
    assert list(notes(FakeGitHub(files).source().fetch_repo_files(REPO, SKILL))) == [SKILL]


def test_references_are_followed_from_file_to_file_until_the_last_is_only_noted() -> None:
    names = [f"shared/{n}.md" for n in range(limits.MAX_REFERENCE_ROUNDS + 1)]
    chain = {name: f"`{after}`" for name, after in zip(names, [*names[1:], "end"], strict=True)}
    found = notes(FakeGitHub({SKILL: f"`{names[0]}`", **chain}).source().fetch_repo_files(REPO, SKILL))
    assert [found[name] == "" for name in names] == [True] * limits.MAX_REFERENCE_ROUNDS + [False]


def test_files_that_refer_to_each_other_are_read_once() -> None:
    github = FakeGitHub({SKILL: "`shared/a.md`", "shared/a.md": "`shared/b.md`", "shared/b.md": "`shared/a.md`"})
    github.source().fetch_repo_files(REPO, SKILL)
    assert len(github.requests) == len(set(github.urls())) == 3 + 3


def test_too_many_references_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_REFERRED_FILES", 2)
    shared = {f"shared/{n}.md": "s" for n in range(4)}
    found = notes(FakeGitHub({SKILL: " ".join(shared), **shared}).source().fetch_repo_files(REPO, SKILL))
    assert sorted(not note for note in found.values()) == [False, False, True, True, True]


def test_a_file_that_is_not_what_the_listing_says_fails_the_snapshot() -> None:
    github = FakeGitHub({SKILL: "honest"}, before=answering(RAW, lambda: streamed(200, b"forged")))
    with pytest.raises(SourceUnavailable, match="not what the snapshot's listing says"):
        github.source().fetch_repo_files(REPO, SKILL)


def test_a_file_longer_than_listed_is_cut_off_and_fails_the_snapshot() -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 1_000_000_000:
            sent += 1_000_000
            yield b"x" * 1_000_000

    github = FakeGitHub({SKILL: "short"}, before=answering(RAW, lambda: httpx.Response(200, content=endless())))
    with pytest.raises(SourceUnavailable):
        github.source().fetch_repo_files(REPO, SKILL)
    assert sent <= 2_000_000


def test_a_file_of_the_listing_that_is_missing_is_no_verdict_on_the_skill() -> None:
    github = FakeGitHub({SKILL: "x"}, before=answering(RAW, lambda: streamed(404)))
    with pytest.raises(SourceUnavailable):
        github.source().fetch_repo_files(REPO, SKILL)


def test_without_a_skill_file_at_the_path_up_to_five_others_are_named() -> None:
    files = {f"skills/{name}/SKILL.md": "x" for name in "abcdefg"}
    with pytest.raises(PermanentFailure) as caught:
        FakeGitHub(files).source().fetch_repo_files(REPO, "skills/z")
    assert caught.value.code == "no_skill_md"
    assert "skills/a/SKILL.md" in caught.value.message and "skills/e/SKILL.md and 2 more" in caught.value.message
    assert "skills/f" not in caught.value.message


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (blob(SKILL, b"../x", mode="120000"), "symbolic link"),
        ({"path": SKILL, "mode": "160000", "type": "commit", "sha": "e" * 40}, "submodule"),
        (blob(SKILL, b"x", size=limits.MAX_FILE_BYTES + 1), "larger"),
    ],
)
def test_a_skill_file_that_cannot_be_read_is_none(entry: dict[str, Any], reason: str) -> None:
    with pytest.raises(PermanentFailure, match=reason) as caught:
        FakeGitHub({"README.md": "x"}, extra_entries=(entry,)).source().fetch_repo_files(REPO, SKILL)
    assert caught.value.code == "no_skill_md"


def test_a_skill_file_that_is_an_lfs_pointer_is_none() -> None:
    github = FakeGitHub({SKILL: "version https://git-lfs.github.com/spec/v1\n"})
    with pytest.raises(PermanentFailure, match="LFS") as caught:
        github.source().fetch_repo_files(REPO, SKILL)
    assert caught.value.code == "no_skill_md"
