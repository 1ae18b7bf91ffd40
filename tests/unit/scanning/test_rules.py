"""Every rule carries examples; each is run."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
import skillgate.scanning.rules
from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import Severity
from skillgate.scanning import RULES, RULES_VERSION, scan
from skillgate.scanning.rules.concepts import CONCEPTS
from skillgate.scanning.rules.lines import LINES
from skillgate.scanning.rules.model import Example, Rule

_OWASP = {f"AST{number:02}" for number in range(1, 11)}


def _files(example: Example) -> list[SkillFile]:
    files = {"SKILL.md": example} if isinstance(example, str) else example
    return [SkillFile.of(path, text) for path, text in files.items()]


def _found(example: Example) -> set[str]:
    return {finding.rule_id for finding in scan(_files(example)).findings}


def _cases(kind: str) -> list[object]:
    return [
        pytest.param(rule, example, id=f"{rule.id}-{number}")
        for rule in RULES
        for number, example in enumerate(getattr(rule, kind))
    ]


@pytest.mark.parametrize(("rule", "example"), _cases("hits"))
def test_a_rule_finds_its_bad_examples(rule: Rule, example: Example) -> None:
    assert rule.id in _found(example)


@pytest.mark.parametrize(("rule", "example"), _cases("misses"))
def test_a_rule_leaves_its_good_examples_alone(rule: Rule, example: Example) -> None:
    assert rule.id not in _found(example)


def test_every_rule_says_why_and_how_to_fix_it() -> None:
    for rule in RULES:
        assert rule.message and rule.why and rule.fix, rule.id
        assert rule.hits and rule.misses, rule.id
        assert rule.owasp in _OWASP, rule.id
        assert 0 < rule.confidence <= 1, rule.id
        assert isinstance(rule.severity, Severity), rule.id


def test_rule_ids_are_unique() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))


def _kinds_in_rules() -> set[str]:
    return {kind for rule in RULES for join in rule.when for kind in (*join.all_of, *join.none_of)}


def _words_in_the_engine() -> set[str]:
    folder = Path(skillgate.scanning.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.parent.name != "rules"]
    return {word for source in sources for word in re.findall(r'"([a-z_]+)"', source)}


def test_every_kind_of_fact_that_a_rule_names_can_be_seen() -> None:
    assert _kinds_in_rules() <= {*CONCEPTS, *LINES, *_words_in_the_engine()}


def test_every_pattern_is_used() -> None:
    assert {*CONCEPTS, *LINES} <= _kinds_in_rules() | _words_in_the_engine()


def test_no_concept_and_line_share_a_name() -> None:
    assert not set(CONCEPTS) & set(LINES)


def test_a_change_of_the_rules_comes_with_a_new_version() -> None:
    """Rescans are scheduled by the version. After a change: a new version, and the digest that this test shows."""
    digest = sha256()
    rules = Path(skillgate.scanning.rules.__file__).parent
    words = (rules.parent / name for name in ("hosts.py", "packages.py", "secrets.py", "code/vocabulary.py"))
    for module in (*sorted(rules.glob("[a-z]*.py")), *words):
        digest.update(module.read_bytes())
    kept = Path(__file__).with_name("rules_digest.txt").read_text(encoding="utf-8").split()
    assert kept == [RULES_VERSION, digest.hexdigest()]
