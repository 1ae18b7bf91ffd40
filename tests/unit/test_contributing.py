"""The examples that CONTRIBUTING.md shows do what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import pytest
from skillgate.adapters.discovery.leads import Checkpoint, GitHubApi, Lead, LeadPage, LeadSource
from skillgate.domain.discovery import Candidate
from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import Severity
from skillgate.scanning import RULES, engine, scan
from skillgate.scanning.rules.model import Rule, each, on

from tests.support.backends import PROJECT

PAGE = (PROJECT / "CONTRIBUTING.md").read_text()
LIBRARY = PROJECT / "layers" / "skillgate" / "skillgate"


def example(name: str) -> str:
    (code,) = re.findall(rf"^```python {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(code)


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Rule:
    """The example's rule, among all others."""
    made: Rule = eval(example("rule"), {"Rule": Rule, "Severity": Severity, "each": each, "on": on})
    monkeypatch.setattr(engine, "RULES", (*RULES, made))
    return made


def found(files: str | Mapping[str, str]) -> set[str]:
    assert not isinstance(files, str)
    return {finding.rule_id for finding in scan([SkillFile.of(path, text) for path, text in files.items()]).findings}


def test_the_rule_finds_its_bad_examples_and_leaves_the_good_ones_alone(rule: Rule) -> None:
    assert rule.id not in {known.id for known in RULES}
    assert rule.hits and all(rule.id in found(bad) for bad in rule.hits)
    assert rule.misses and not any(rule.id in found(good) for good in rule.misses)


class FakeGitHub:
    """Every repository has one skill."""

    def look(self, lead: Lead) -> list[Candidate]:
        return [Candidate(lead.repo, "SKILL.md", "c" * 40)]


def test_the_source_lists_everything_once_and_goes_on_where_it_was_cut() -> None:
    names: dict[str, Any] = {
        "Checkpoint": Checkpoint, "Iterator": Iterator, "Lead": Lead, "LeadPage": LeadPage, "RepoUrl": RepoUrl,
        "Sequence": Sequence,
    }  # fmt: skip
    exec(example("source"), names)
    chosen = [f"https://github.com/acme/tools-{number}" for number in range(4)]
    source = LeadSource(cast(GitHubApi, FakeGitHub()), names["Curated"](chosen).leads, workers=2)

    pages = list(source.pages(None))
    seen = [candidate.repo.url for page in pages for candidate in page.candidates]
    assert seen == chosen

    for number, page in enumerate(pages):
        before = [candidate for each in pages[: number + 1] for candidate in each.candidates]
        rest = [candidate for each in source.pages(page.checkpoint) for candidate in each.candidates]
        assert [candidate.repo.url for candidate in (*before, *rest)] == chosen


def test_nothing_takes_more_than_three_files_and_every_folder_that_is_named_is_there() -> None:
    for part in PAGE.split("\n## ")[1:5]:
        rows = re.findall(r"^\| `([^`]+)`", part, re.MULTILINE)
        assert 1 <= len(rows) <= 3, part
        for name in rows:
            folder = name.rpartition("/")[0]
            assert (PROJECT / folder).is_dir() or (LIBRARY / folder).is_dir(), name
