"""The judge's answer: its schema, and what makes it usable. Whatever is not, is JudgeUnavailable and never a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from skillgate.domain.errors import JudgeUnavailable
from skillgate.scanning.tier2.prompt import Prompt

TOOL_NAME = "submit_verdict"
TOOL_DESCRIPTION = "Submit the verdict on the skill. Call it exactly once."
HIGHEST_UNAPPROVED = 79
_BANDS = {"approve": range(80, 101), "review": range(60, 80), "reject": range(60)}
_GRAVE = frozenset({"high", "critical"})

Words = Annotated[str, StringConstraints(max_length=4_000, strip_whitespace=True)]


class FindingAnswer(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    id: str
    confirmed: bool
    why: Words


class VerdictAnswer(BaseModel):
    """The input of `submit_verdict`."""

    model_config = ConfigDict(strict=True, frozen=True)

    score: int = Field(ge=0, le=100)
    verdict: Literal["approve", "review", "reject"]
    summary: Annotated[Words, StringConstraints(min_length=1)]
    intent_matches_description: bool
    findings: list[FindingAnswer]


TOOL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "verdict": {"type": "string", "enum": list(_BANDS)},
        "summary": {"type": "string"},
        "intent_matches_description": {"type": "boolean"},
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "confirmed": {"type": "boolean"},
                    "why": {"type": "string"},
                },
                "required": ["id", "confirmed", "why"],
            },
        },
    },
    "required": ["score", "verdict", "summary", "intent_matches_description", "findings"],
}


@dataclass(frozen=True)
class ModelAnswer:
    """What a model sent back: the tool's input as it came, and what it cost."""

    tool_input: Any
    tokens_in: int
    tokens_out: int


def usable(tool_input: Any, prompt: Prompt) -> VerdictAnswer:
    """Raises JudgeUnavailable for an answer that breaks the schema, contradicts itself or is about something else."""
    try:
        answer = VerdictAnswer.model_validate(tool_input)
    except ValidationError as error:
        raise unsure("the answer does not have the form that was asked for") from error
    if answer.score not in _BANDS[answer.verdict]:
        raise unsure(f'the verdict "{answer.verdict}" contradicts the score {answer.score}')
    answered = [finding.id for finding in answer.findings]
    if sorted(answered) != sorted(prompt.finding_ids):
        raise unsure("the answer is not about tier 1's findings, each once")
    if answer.verdict == "approve" and not answer.intent_matches_description:
        raise unsure("it approves of a skill that does not do what it says")
    grave = any(found.confirmed and prompt.finding_ids[found.id].lower() in _GRAVE for found in answer.findings)
    if answer.verdict == "approve" and grave:
        raise unsure("it approves of a skill whose grave findings it confirms")
    return answer


def settled(answer: VerdictAnswer, prompt: Prompt) -> tuple[int, str]:
    """Score and verdict that count: what was not shown cannot pass, nor can what tried to talk to the judge."""
    if answer.verdict == "approve" and (prompt.left_out or prompt.addressed):
        return HIGHEST_UNAPPROVED, "review"
    return answer.score, answer.verdict


def unsure(why: str) -> JudgeUnavailable:
    return JudgeUnavailable(f"The judge is unsure: {why}.")
