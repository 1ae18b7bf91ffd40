"""A scan report as SARIF 2.1.0, for code hosts and editors."""

from __future__ import annotations

from typing import Any

from skillgate.domain.verdict import Finding, ScanReport, Severity
from skillgate.scanning.rules import RULES, Rule

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.INFO: "note",
}
# What code hosts sort by: 0 to 10, as for CVSS.
_SECURITY_SEVERITY = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "3.0",
    Severity.INFO: "0.0",
}


def to_sarif(report: ScanReport) -> dict[str, Any]:
    used = {finding.rule_id for finding in report.findings}
    rules = [rule for rule in RULES if rule.id in used]
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Skillgate",
                        "semanticVersion": report.engine_version,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "results": [_result(finding, numbers) for finding in report.findings],
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            {"level": "warning", "message": {"text": f"Not read: {entry.path} ({entry.reason})"}}
                            for entry in report.coverage.skipped
                        ],
                    }
                ],
                "properties": {
                    "score": report.score,
                    "decision": report.decision.value,
                    "rulesVersion": report.rules_version,
                    "coverage": report.coverage.to_dict(),
                },
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["security", rule.category, f"OWASP-{rule.owasp}"],
            "security-severity": _SECURITY_SEVERITY[rule.severity],
        },
    }


def _result(finding: Finding, numbers: dict[str, int]) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(1, finding.line)}
    if finding.snippet:
        region["snippet"] = {"text": finding.snippet}
    result: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}. {finding.why}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": finding.file}, "region": region}}],
        "partialFingerprints": {"skillgate/v1": finding.id},
        "properties": {"confidence": finding.confidence, "severity": finding.severity.value, "tier": finding.tier},
    }
    if finding.rule_id in numbers:
        result["ruleIndex"] = numbers[finding.rule_id]
    return result
