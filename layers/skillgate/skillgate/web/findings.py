"""What both tiers found, joined and in the order in which a person should read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillgate.domain.verdict import Severity


@dataclass(frozen=True)
class ShownFinding:
    """One finding. `confirmed` is the judge's word on it: True, False, or None where it said nothing."""

    id: str
    rule: str
    severity: str
    file: str
    line: int
    snippet: str
    message: str
    why: str
    fix: str
    owasp: str
    dispute: str | None = None
    confirmed: bool | None = None
    judged: str = ""


def shown_findings(tier1: Mapping[str, Any] | None, tier2: Mapping[str, Any] | None) -> list[ShownFinding]:
    """Tier 1's findings with what the judge said of each, the worst first; what was overturned comes last."""
    judged = {answer["id"]: answer for answer in (tier2 or {}).get("findings", ())}
    shown = [_shown(finding, judged.get(finding["id"])) for finding in (tier1 or {}).get("findings", ())]
    return sorted(shown, key=lambda finding: (finding.dispute == "overturned", -Severity(finding.severity).rank))


def _shown(finding: Mapping[str, Any], answer: Mapping[str, Any] | None) -> ShownFinding:
    return ShownFinding(
        id=finding["id"],
        rule=finding["ruleId"],
        severity=finding["severity"],
        file=finding["file"],
        line=finding["line"],
        snippet=finding["snippet"],
        message=finding["message"],
        why=finding["why"],
        fix=finding["fix"],
        owasp=finding["owasp"],
        dispute=finding.get("dispute"),
        confirmed=None if answer is None else bool(answer["confirmed"]),
        judged="" if answer is None else str(answer["why"]),
    )
