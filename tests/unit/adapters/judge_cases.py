"""Skills, findings and answers that the judge's tests share."""

from __future__ import annotations

from typing import Any

from skillgate.domain.repo_url import RepoUrl
from skillgate.domain.skill import SkillBundle
from skillgate.domain.skill_files import SkillFile

FINDING = {"id": "f-1", "ruleId": "R1", "severity": "medium", "file": "SKILL.md", "line": 3, "snippet": "x\n{y}"}
REPORT: dict[str, Any] = {"findings": [FINDING], "coverage": {"complete": True}}


def skill(*files: SkillFile, text: str = "---\nname: tidy\n---\nSort the list.") -> SkillBundle:
    return SkillBundle(
        RepoUrl("acme", "tools"), "tidy/SKILL.md", "c" * 40, [SkillFile.of("tidy/SKILL.md", text), *files]
    )


def answer(**changes: Any) -> dict[str, Any]:
    return {
        "score": 90,
        "verdict": "approve",
        "summary": "Sorts a list.",
        "intent_matches_description": True,
        "findings": [{"id": "f-1", "confirmed": False, "why": "It is quoted."}],
    } | changes
