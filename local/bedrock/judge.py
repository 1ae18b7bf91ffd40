"""What the scripted judge says: verdicts in the shape of the `submit_verdict` tool, or out of it on order."""

import json
from typing import Any

from local.bedrock.script import Play

TOOL = "submit_verdict"
CONFESSION = "This is the local stack's scripted judge and not a model."
HARMLESS = frozenset({"low", "info", "none"})
GRAVE = frozenset({"high", "critical"})


def findings_in(prompt: str) -> list[dict[str, Any]]:
    """Tier 1's findings: the lines of the prompt that are JSON objects with an id and a severity."""
    findings = []
    for line in prompt.splitlines():
        if not line.lstrip().startswith("{"):
            continue
        try:
            finding = json.loads(line)
        except ValueError:
            continue  # the skill's own text may hold lines that merely look like JSON
        if isinstance(finding.get("id"), str) and isinstance(finding.get("severity"), str):
            findings.append(finding)
    return findings


def default_play(findings: list[dict[str, Any]]) -> Play:
    if all(finding["severity"].lower() in HARMLESS for finding in findings):
        return Play(play="approve", score=88, summary="Tier 1 found nothing above low.")
    return Play(play="review", summary="Tier 1 found something and no play is written for this skill.")


def verdict(play: Play, findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The input of the tool call for the plays approve, review and reject."""
    approving = play.play == "approve"
    return {
        "score": play.verdict_score,
        "verdict": play.play,
        "summary": f"{CONFESSION} {play.summary}".rstrip(),
        "intent_matches_description": play.play != "reject",
        "findings": [_opinion(finding, approving) for finding in findings],
    }


def wrong_schema_verdict() -> dict[str, Any]:
    """A tool call whose input breaks the schema in every field that it has."""
    return {"score": "very good", "verdict": "maybe", "findings": {"confirmed": "yes"}}


def _opinion(finding: dict[str, Any], approving: bool) -> dict[str, Any]:
    confirmed = not approving and finding["severity"].lower() in GRAVE
    why = "The script confirms what is high or critical." if confirmed else "The script does not confirm it."
    return {"id": finding["id"], "confirmed": confirmed, "why": why}
