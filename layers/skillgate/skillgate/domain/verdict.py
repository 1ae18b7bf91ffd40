"""What a scan says of a skill: findings, coverage, capabilities, score and decision."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """4 for critical down to 0 for info."""
        return _RANKS[self]

    def lowered(self, steps: int = 1) -> Severity:
        return _BY_RANK[max(0, self.rank - steps)]

    def raised(self, steps: int = 1) -> Severity:
        return _BY_RANK[min(4, self.rank + steps)]


_BY_RANK = (Severity.INFO, Severity.LOW, Severity.MEDIUM, Severity.HIGH, Severity.CRITICAL)
_RANKS = {severity: rank for rank, severity in enumerate(_BY_RANK)}


class Decision(StrEnum):
    PASS = "pass"  # noqa: S105 - a verdict, not a password
    REVIEW = "review"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Finding:
    """One concern at one place. Snippets are masked before they get here."""

    rule_id: str
    category: str
    severity: Severity
    confidence: float
    file: str
    line: int
    snippet: str
    message: str
    why: str
    fix: str
    owasp: str
    tier: int = 1
    dispute: str | None = None  # `overturned` or `disputed`, where people have decided about it

    @property
    def id(self) -> str:
        """The same concern in the same text keeps its id when lines above it move."""
        basis = "\x00".join((self.rule_id, self.file, self.snippet))
        return hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "ruleId": self.rule_id,
            "category": self.category,
            "severity": self.severity.value,
            "confidence": self.confidence,
            "file": self.file,
            "line": self.line,
            "snippet": self.snippet,
            "message": self.message,
            "why": self.why,
            "fix": self.fix,
            "owasp": self.owasp,
            "tier": self.tier,
            "dispute": self.dispute,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        return cls(
            rule_id=data["ruleId"],
            category=data["category"],
            severity=Severity(data["severity"]),
            confidence=float(data["confidence"]),
            file=data["file"],
            line=int(data["line"]),
            snippet=data["snippet"],
            message=data["message"],
            why=data["why"],
            fix=data["fix"],
            owasp=data["owasp"],
            tier=int(data.get("tier", 1)),
            dispute=data.get("dispute"),
        )


@dataclass(frozen=True, slots=True)
class SkippedFile:
    path: str
    reason: str
    size: int

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "reason": self.reason, "size": self.size}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SkippedFile:
        return cls(data["path"], data["reason"], int(data["size"]))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The receipt: what was read, and what was not and why."""

    files_total: int
    files_read: int
    bytes_total: int
    bytes_read: int
    skipped: tuple[SkippedFile, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.skipped and self.files_read == self.files_total

    def to_dict(self) -> dict[str, Any]:
        return {
            "filesTotal": self.files_total,
            "filesRead": self.files_read,
            "bytesTotal": self.bytes_total,
            "bytesRead": self.bytes_read,
            "skipped": [entry.to_dict() for entry in self.skipped],
            "complete": self.complete,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Coverage:
        return cls(
            files_total=int(data["filesTotal"]),
            files_read=int(data["filesRead"]),
            bytes_total=int(data["bytesTotal"]),
            bytes_read=int(data["bytesRead"]),
            skipped=tuple(SkippedFile.from_dict(entry) for entry in data["skipped"]),
        )


CAPABILITY_LABEL = "can:"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the skill says it needs against what its files were seen to do."""

    declared: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What was observed, as labels that lists of skills can be narrowed by."""
        return tuple(CAPABILITY_LABEL + name for name in self.observed)

    def to_dict(self) -> dict[str, Any]:
        return {"declared": list(self.declared), "observed": list(self.observed)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Capabilities:
        return cls(tuple(data["declared"]), tuple(data["observed"]))


@dataclass(frozen=True, slots=True)
class ScanReport:
    score: int
    decision: Decision
    findings: tuple[Finding, ...]
    coverage: Coverage
    capabilities: Capabilities
    rules_version: str
    engine_version: str
    duration_ms: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "decision": self.decision.value,
            "findings": [finding.to_dict() for finding in self.findings],
            "coverage": self.coverage.to_dict(),
            "capabilities": self.capabilities.to_dict(),
            "rulesVersion": self.rules_version,
            "engineVersion": self.engine_version,
            "durationMs": self.duration_ms,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScanReport:
        return cls(
            score=int(data["score"]),
            decision=Decision(data["decision"]),
            findings=tuple(Finding.from_dict(entry) for entry in data["findings"]),
            coverage=Coverage.from_dict(data["coverage"]),
            capabilities=Capabilities.from_dict(data["capabilities"]),
            rules_version=data["rulesVersion"],
            engine_version=data["engineVersion"],
            duration_ms=float(data["durationMs"]),
        )
