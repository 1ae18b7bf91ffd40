"""Where a skill lives: what is accepted, and everything that only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.domain.errors import InvalidInput
from skillgate.domain.repo_url import RepoUrl, parse_location, skill_path, skill_slug


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/Acme/Tools",
        "https://github.com/Acme/Tools/",
        "https://github.com/Acme/Tools.git",
        "  https://github.com/Acme/Tools\n",
    ],
)
def test_the_spellings_of_one_repository_are_one(text: str) -> None:
    repo = RepoUrl.parse(text)
    assert (repo.url, repo.key) == ("https://github.com/Acme/Tools", "acme/tools")


HOSTILE = [
    "",
    "github.com/acme/tools",
    "http://github.com/acme/tools",
    "HTTPS://github.com/acme/tools",
    "ssh://git@github.com/acme/tools",
    "git@github.com:acme/tools",
    "file:///etc/passwd",
    "https://user@github.com/acme/tools",
    "https://user:password@github.com/acme/tools",
    "https://github.com@evil.example/acme/tools",
    "https://github.com:443/acme/tools",
    "https://github.com:22@evil.example/acme/tools",
    "https://github.com.evil.example/acme/tools",
    "https://evil.example/github.com/acme/tools",
    "https://www.github.com/acme/tools",
    "https://gist.github.com/acme/tools",
    "https://api.github.com/repos/acme/tools",
    "https://GitHub.com/acme/tools",
    "https://github.com./acme/tools",
    "https://github。com/acme/tools",
    "https://gíthub.com/acme/tools",
    "https://github.com\\@evil.example/acme/tools",
    "https://127.0.0.1/acme/tools",
    "https://[::1]/acme/tools",
    "https://169.254.169.254/latest/meta-data",
    "https://github.com/acme",
    "https://github.com/acme/",
    "https://github.com//tools",
    "https://github.com/acme//tools",
    "https://github.com/../tools",
    "https://github.com/acme/..",
    "https://github.com/./tools",
    "https://github.com/acme/%2e%2e",
    "https://github.com/acme%2ftools/x",
    "https://github.com/acme/too ls",
    "https://github.com/acme/tools?ref=main",
    "https://github.com/acme/tools#readme",
    "https://github.com/acme/tööls",
    "https://github.com/acme/tools\u202e",
    "https://github.com/acme/tools\x00",
    "https://github.com/acme/to\nols",
    "https://github.com/acme/to\tols",
    "https://github.com/acme/" + "x" * 101,
    "https://github.com/acme/tools/" + "x" * 500,
    "javascript:alert(1)//https://github.com/acme/tools",
    "https://github.com/acme/.git",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:60].encode("unicode_escape").decode() or "empty")
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_location(text)
    assert refused.value.code == "invalid_repo_url"


@pytest.mark.parametrize(
    ("below", "path"),
    [
        ("/tree/main/skills/pdf", "skills/pdf/SKILL.md"),
        ("/blob/main/skills/pdf/SKILL.md", "skills/pdf/SKILL.md"),
        ("/blob/main/skills/pdf/skill.md", "skills/pdf/skill.md"),
        ("/tree/main/my%20skills/pdf/", "my skills/pdf/SKILL.md"),
        ("/tree/main", None),
        ("/issues/1", None),
        ("", None),
    ],
)
def test_a_url_into_a_repository_names_the_skill_s_path(below: str, path: str | None) -> None:
    assert parse_location(f"https://github.com/acme/tools{below}") == (RepoUrl("acme", "tools"), path)


@pytest.mark.parametrize(
    "below",
    [
        "/tree/main/../../other",
        "/tree/main/skills/%2e%2e/%2e%2e/other",
        "/tree/main/a//b",
        "/tree/main/a/./b",
        "/tree/main/a%00b",
        "/tree/main/a%0ab",
        "/tree/main/a%5cb",
        "/tree/main/a%2f..%2fb",
    ],
)
def test_a_url_cannot_lead_out_of_its_repository(below: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_location(f"https://github.com/acme/tools{below}")
    assert refused.value.code == "invalid_skill_path"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", "SKILL.md"),
        ("/", "SKILL.md"),
        ("SKILL.md", "SKILL.md"),
        (" skills/pdf/ ", "skills/pdf/SKILL.md"),
        ("/skills/pdf/SKILL.md", "skills/pdf/SKILL.md"),
        ("skills/…/SKILL.md", "skills/…/SKILL.md"),
    ],
)
def test_a_folder_s_path_means_the_skill_in_it(text: str, path: str) -> None:
    assert skill_path(text) == path


@pytest.mark.parametrize("text", ["..", "../x", "a/../b", "a//b", "./a", "a\\b", "a\x00b", "a\x7f", "x" * 400])
def test_a_path_that_leads_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        skill_path(text)


@pytest.mark.parametrize("text", ["a/\ud800/SKILL.md", "https://github.com/acme/tools/tree/main/\udfff"])
def test_text_that_cannot_be_stored_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_location(text) if text.startswith("https") else skill_path(text)


@given(st.text(max_size=120))
def test_no_text_at_all_does_worse_than_be_refused(text: str) -> None:
    for path in (_path_of(f"https://github.com/a/b/tree/main/{text}"), _path_of(text)):
        if path is not None:
            assert not path.startswith("/") and ".." not in path.split("/") and path.lower().endswith("skill.md")
            assert skill_path(path) == path


def _path_of(text: str) -> str | None:
    try:
        return parse_location(text)[1] if text.startswith("https://github.com/") else skill_path(text)
    except InvalidInput:
        return None


@given(st.from_regex(r"[A-Za-z0-9_.-]{1,100}", fullmatch=True), st.from_regex(r"[A-Za-z0-9_-]{1,100}", fullmatch=True))
def test_what_was_parsed_parses_to_itself(owner: str, repo: str) -> None:
    if owner in (".", ".."):
        return
    parsed = RepoUrl.parse(f"https://github.com/{owner}/{repo}")
    assert parsed == RepoUrl(owner, repo) and RepoUrl.parse(parsed.url) == parsed


def test_a_skill_is_called_after_its_folder_or_its_repository() -> None:
    repo = RepoUrl("acme", "Tools")
    assert skill_slug(repo, "skills/pdf/SKILL.md") == "pdf"
    assert skill_slug(repo, "SKILL.md") == "Tools"
