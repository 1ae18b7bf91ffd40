"""Findings from SARIF, the format that most scanners can write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillgate.domain.errors import InvalidInput
from skillgate.domain.external_scan import ExternalFinding
from skillgate.domain.verdict import Severity

_TEXT = 500
_LEVELS = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW, "none": Severity.INFO}
# Lower ends of the bands of CVSS, which `security-severity` is given in.
_BANDS = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM), (0.1, Severity.LOW))


def findings_in_sarif(document: Mapping[str, Any]) -> tuple[list[ExternalFinding], str | None]:
    """Every result of every run, and the first tool's name and version. Raises InvalidInput for what is no SARIF."""
    try:
        findings: list[ExternalFinding] = []
        tools: list[str] = []
        for run in document["runs"]:
            driver = run["tool"]["driver"]
            tools.append(f"{driver['name']} {driver.get('semanticVersion') or driver.get('version') or ''}".strip())
            rules = {rule["id"]: rule for rule in driver.get("rules", [])}
            findings += [_finding(result, rules) for result in run.get("results") or []]
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput("This is not a SARIF document that can be read.", code="invalid_sarif") from error
    return findings, tools[0][:200] if tools else None


def _finding(result: Mapping[str, Any], rules: Mapping[str, Mapping[str, Any]]) -> ExternalFinding:
    rule_id = str(result.get("ruleId") or result.get("rule", {}).get("id") or "unnamed")
    rule = rules.get(rule_id, {})
    properties = {**rule.get("properties", {}), **result.get("properties", {})}
    places = result.get("locations") or [{}]
    place = places[0].get("physicalLocation", {})
    severity = _severity(result, rule, properties)
    return ExternalFinding(
        rule_id=rule_id[:200],
        severity=severity,
        confirmed=properties.get("precision") == "very-high",
        file=str(place.get("artifactLocation", {}).get("uri", ""))[:_TEXT],
        line=max(1, int(place.get("region", {}).get("startLine", 1))),
        message=str(result.get("message", {}).get("text", ""))[:_TEXT],
    )


def _severity(result: Mapping[str, Any], rule: Mapping[str, Any], properties: Mapping[str, Any]) -> Severity:
    score = properties.get("security-severity")
    if score is not None:
        return next((severity for lowest, severity in _BANDS if float(score) >= lowest), Severity.INFO)
    level = result.get("level") or rule.get("defaultConfiguration", {}).get("level", "warning")
    return _LEVELS.get(level, Severity.MEDIUM)
