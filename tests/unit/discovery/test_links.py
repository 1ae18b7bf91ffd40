"""Ways of saying where a repository is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillgate.adapters.discovery.leads import Lead
from skillgate.adapters.discovery.links import lead_of
from skillgate.domain.repo_url import RepoUrl


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/acme/tools",
        "https://github.com/acme/tools.git",
        "http://github.com/acme/tools/",
        "https://www.github.com/acme/tools#readme",
        "git+https://github.com/acme/tools.git",
        "git://github.com/acme/tools.git",
        "git+ssh://git@github.com/acme/tools.git",
        "ssh://git@github.com/acme/tools",
        "git@github.com:acme/tools.git",
        "github:acme/tools",
        "acme/tools",
    ],
)
def test_all_of_these_are_the_same_repository(text: str) -> None:
    assert lead_of(text) == Lead(RepoUrl("acme", "tools"), within="", is_public=False)


@pytest.mark.parametrize(
    ("text", "folder", "within"),
    [
        ("https://github.com/acme/tools/tree/main/skills/pdf", None, "skills/pdf/SKILL.md"),
        ("https://github.com/acme/tools/blob/v1/skills/pdf/SKILL.md", "elsewhere", "skills/pdf/SKILL.md"),
        ("https://raw.githubusercontent.com/acme/tools/refs/heads/main/a%20b/SKILL.md", None, "a b/SKILL.md"),
        ("acme/tools", "./packages/x/", "packages/x"),
        ("acme/tools", 7, ""),
    ],
)
def test_a_link_into_a_repository_narrows_it(text: str, folder: object, within: str) -> None:
    lead = lead_of(text, folder)
    assert lead is not None and lead.repo == RepoUrl("acme", "tools") and lead.within == within


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "https://gitlab.com/acme/tools",
        "https://github.com.evil.example/acme/tools",
        "https://evil.example/github.com/acme/tools",
        "https://user:pass@github.com/acme/tools",
        "https://github.com:8443/acme/tools",
        "https://github.com/acme",
        "https://github.com/../..",
        "https://gist.github.com/acme/1234",
        "file:///etc/passwd",
        "https://github.com/acme/" + "x" * 600,
    ],
)
def test_none_of_these_is_a_repository_on_github(text: object) -> None:
    assert lead_of(text) is None


@given(st.text(max_size=80))
def test_no_text_makes_it_fail_or_name_another_host(text: str) -> None:
    lead = lead_of(text)
    assert lead is None or lead.repo.url.startswith("https://github.com/")
