"""Ids, messages, version numbers and content hashes."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.domain.ids import is_id, new_id
from skillgate.domain.message import submission_id_of, to_body
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle, content_hash
from skillgate.domain.skill_files import SkillFile
from skillgate.domain.version import next_version, parse


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- ids --------------------------------------------------------------------------------------------------------------


def test_an_id_is_a_uuid_of_version_7_that_says_when_it_was_made() -> None:
    before, made, after = time.time_ns() // 10**6, uuid.UUID(new_id()), time.time_ns() // 10**6
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= after


def test_ids_never_repeat_and_sort_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000
    made: list[str] = []
    for millisecond in (1, 2**31, 2**40, 2**47):
        monkeypatch.setattr(time, "time_ns", lambda at=millisecond: at * 10**6)
        made.append(new_id())
    assert made == sorted(made)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "0" * 32, "{" + str(uuid.UUID(int=1)) + "}", str(uuid.UUID(int=10**37)).upper()),
        *("urn:uuid:" + str(uuid.UUID(int=1)), str(uuid.UUID(int=1)) + "\n", "é" * 36, "\ud800" * 36),
    ],
)
def test_only_the_canonical_form_is_an_id(text: str) -> None:
    assert not is_id(text)
    assert is_id(str(uuid.UUID(int=10**37)))


# --- messages ---------------------------------------------------------------------------------------------------------


def test_a_message_carries_an_id_and_nothing_else() -> None:
    id_ = new_id()
    assert json.loads(to_body(id_)) == {"submissionId": id_}
    assert submission_id_of(to_body(id_)) == id_


@pytest.mark.parametrize(
    "body",
    [
        *("", "not json", "null", "[]", "7", '"text"', "{}", '{"submissionId": null}', '{"submissionId": 7}'),
        *('{"submissionId": "../../etc"}', '{"submissionId": ["x"]}', '{"submissionId": "\\ud800"}', "{" * 5000),
        "[" * 200_000,
    ],
    ids=lambda body: body[:30],
)
def test_a_body_that_is_not_ours_carries_none(body: str) -> None:
    assert submission_id_of(body) is None


@given(st.text())
def test_no_body_at_all_is_an_error(body: str) -> None:
    assert submission_id_of(body) is None


# --- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1.2.3", (1, 2, 3)),
        ("v2", (2, 0, 0)),
        (" 1.4 ", (1, 4, 0)),
        ("0.0.0", (0, 0, 0)),
        *((wrong, None) for wrong in (None, "", "1.2.3.4", "1.2.3-beta", "one", "-1", "1,2", "١.٢.٣", "1" * 7, "v")),
    ],
)
def test_a_version_is_three_numbers_or_nothing(text: str | None, numbers: tuple[int, int, int] | None) -> None:
    assert parse(text) == numbers


@pytest.mark.parametrize(
    ("current", "declared", "following"),
    [
        (None, None, "1.0.0"),
        (None, "nonsense", "1.0.0"),
        (None, "0.3", "0.3.0"),
        ("1.0.0", None, "1.0.1"),
        ("1.0.0", "1.0.0", "1.0.1"),
        ("1.0.9", "1.0.10", "1.0.10"),
        ("2.0.0", "1.9.9", "2.0.1"),
        ("1.0.0", "v2", "2.0.0"),
        ("1.9.9", "1.10", "1.10.0"),
    ],
)
def test_the_author_s_number_counts_if_it_is_higher(current: str | None, declared: str | None, following: str) -> None:
    assert next_version(current, declared) == following


_numbers = st.tuples(*[st.integers(0, 10**5)] * 3).map(lambda parts: ".".join(map(str, parts)))


@given(_numbers, st.none() | _numbers | st.text())
def test_a_following_version_is_always_higher(current: str, declared: str | None) -> None:
    following, before = parse(next_version(current, declared)), parse(current)
    assert following is not None and before is not None and following > before


# --- content hashes ---------------------------------------------------------------------------------------------------


def hash_of_texts(files: dict[str, bytes]) -> str:
    return content_hash([SkillFile.of(path, content) for path, content in files.items()])


def test_a_lone_file_s_hash_ignores_a_bom_and_windows_line_ends() -> None:
    plain = hash_of_texts({"SKILL.md": b"# PDF\nRead it.\n"})
    assert plain == sha256(b"# PDF\nRead it.\n")
    assert hash_of_texts({"SKILL.md": b"\xef\xbb\xbf# PDF\r\nRead it.\r\n"}) == plain
    assert hash_of_texts({"SKILL.md": b"# PDF\rRead it.\n"}) != plain, "a lone CR is content"
    assert hash_of_texts({"SKILL.md": b"# PDF\n\xef\xbb\xbfRead it.\n"}) != plain, "so is a BOM inside"


def test_the_hash_of_several_files_is_over_paths_and_contents_in_order() -> None:
    files = {"b.py": b"2", "SKILL.md": b"1\r\n"}
    assert hash_of_texts(files) == sha256(b"SKILL.md\x001\r\n\nb.py\x002\n")
    assert hash_of_texts(dict(reversed(files.items()))) == hash_of_texts(files)


def test_moving_bytes_between_name_and_content_changes_the_hash() -> None:
    one = {"SKILL.md": b"x", "a": b"b"}
    assert len({hash_of_texts(f) for f in (one, one | {"a": b"bc"}, {"SKILL.md": b"x", "ab": b""})}) == 3


def test_a_file_that_looks_like_two_does_not_have_their_hash() -> None:
    two = {"SKILL.md": b"x", "a.bin": b"1", "b.py": b"evil"}
    assert hash_of_texts({"SKILL.md": b"x", "a.bin": b"1\nb.py\0evil"}) != hash_of_texts(two)
    assert hash_of_texts({"SKILL.md": b"x\na.bin\x001\nb.py\0evil"}) != hash_of_texts(two)
    assert hash_of_texts({"SKILL.md": b"SKILL.md\0x\na.bin\x001\nb.py\0evil\n"}) != hash_of_texts(two)
    assert hash_of_texts({"SKILL.md": b"x", "a\nb": b"y"}) != hash_of_texts({"SKILL.md": b"x\na", "b": b"y"})


_CONTENTS = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\0"]), max_size=6).map(b"".join)
_FILES = st.dictionaries(st.sampled_from(["a", "b", "a\nb", "a\\nb"]), _CONTENTS, min_size=2, max_size=4)


@given(_FILES, _FILES)
def test_different_files_never_share_a_hash(some: dict[str, bytes], others: dict[str, bytes]) -> None:
    assert (hash_of_texts(some) == hash_of_texts(others)) is (some == others)


@pytest.mark.parametrize("note", ["symbolic link, not followed", "larger than 1,000,000 bytes", "submodule"])
def test_what_was_not_read_changes_the_hash(note: str) -> None:
    skill = SkillFile.of("SKILL.md", "# A")
    unread = SkillFile("data", None, 9, note, "1" * 40)
    others = [
        replace(unread, object_id="2" * 40), replace(unread, size=10), replace(unread, path="date"),
        SkillFile.of("data", b"unread 9 " + b"1" * 40), SkillFile.of("data", b"\0unread 9 " + b"1" * 40),
    ]  # fmt: skip
    hashes = {content_hash([skill]), content_hash([skill, unread])} | {content_hash([skill, each]) for each in others}
    assert len(hashes) == 2 + len(others)


def test_a_binary_file_changes_the_hash_with_its_content() -> None:
    skill = SkillFile.of("SKILL.md", "# A")
    assert len({content_hash([skill, SkillFile.of("a.png", b"\x89PNG\0" + tail)]) for tail in (b"1", b"2", b"")}) == 3


def test_a_skill_s_hash_is_the_same_wherever_in_the_repository_it_lies() -> None:
    def bundle(folder: str) -> SkillBundle:
        files = [SkillFile.of(f"{folder}SKILL.md", "# A"), SkillFile.of(f"{folder}run.sh", "ls")]
        return SkillBundle(RepoUrl("a", "b"), f"{folder}SKILL.md", "c", files)

    assert bundle("").content_hash() == bundle("skills/x/").content_hash()


def test_a_file_that_was_not_read_is_in_the_manifest_without_a_hash() -> None:
    files = [SkillFile.of("SKILL.md", "# A"), SkillFile("link", None, 9, "symlink")]
    bundle = SkillBundle(RepoUrl("Acme", "Tools"), "SKILL.md", "c", files)
    assert [entry["sha256"] for entry in bundle.manifest()] == [sha256(b"# A"), None]
    assert (bundle.skill_id, bundle.skill_md, bundle.has_scripts) == ("acme/tools/tools", "# A", False)
