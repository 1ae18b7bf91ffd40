"""A skill as its pages show it: the skill, its versions, and what every scanner said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import PermanentFailure, StoreUnavailable, Unavailable
from skillgate.market_ports import ExternalResult, VersionRecord
from skillgate.ports import Backend, ScanRecord
from skillgate.scanning import frontmatter
from skillgate.services import marketplace
from skillgate.services.marketplace import Skill
from skillgate.services.security_view import Security, security


@dataclass(frozen=True)
class SkillPage:
    """`versions` is None where they could not be read."""

    skill: Skill
    body: str
    versions: Sequence[VersionRecord] | None


@dataclass(frozen=True)
class ScannerCard:
    """What one scanner says. `failed` speaks of the scanner and never of the skill."""

    name: str
    version: str | None
    at: datetime | None
    covered: str | None
    seconds: float | None
    said: str
    tone: str
    note: str = ""


@dataclass(frozen=True)
class SecurityPage:
    security: Security
    cards: Sequence[ScannerCard]
    history: Sequence[VersionRecord]


def skill_page(backend: Backend, skill_id: str) -> SkillPage:
    """Raises NotFound, and Gone with the reason for one that was removed."""
    skill, versions = together(
        lambda: marketplace.get_skill_by_name(backend, skill_id), lambda: backend.versions.all(skill_id.lower())
    )
    shown = skill.unwrap()
    content = shown.published.content if shown.published else ""
    return SkillPage(shown, frontmatter.parse(content).body, versions.value)


def security_page(backend: Backend, skill_id: str) -> SecurityPage:
    found, versions = together(lambda: security(backend, skill_id), lambda: backend.versions.all(skill_id.lower()))
    shown = found.unwrap()
    cards = [_tier_card(tier, shown.tiers.get(tier), shown.report) for tier in (1, 2)]
    return SecurityPage(
        shown, [*(card for card in cards if card), *map(_external_card, shown.external)], versions.value or ()
    )


def head_of(backend: Backend, owner: str, repo: str) -> str | None:
    """The commit that the repository is at now; None where GitHub does not say."""
    tokens = backend.settings.github_tokens
    token = tokens[0].get_secret_value() if tokens else None
    try:
        return backend.source.resolve_commit_sha(owner, repo, "HEAD", token)
    except (Unavailable, PermanentFailure, StoreUnavailable):
        return None


def _tier_card(tier: int, scan: ScanRecord | None, report: Mapping[str, Any]) -> ScannerCard | None:
    if tier == 1:
        coverage = report.get("coverage", {})
        covered = f"{coverage['filesRead']} of {coverage['filesTotal']} files" if coverage else None
        version = f"{report.get('engineVersion', '')}, rules {report.get('rulesVersion', '')}" if report else None
        decision = report.get("decision", "unknown")
        seconds = report["durationMs"] / 1000 if "durationMs" in report else None
        return ScannerCard("Rules", version, scan.created_at if scan else None, covered, seconds, *_said(decision))
    if scan is None:
        return None
    note = str(scan.report.get("summary", ""))
    said = _said({"approve": "pass", "reject": "block"}.get(scan.decision, scan.decision))
    return ScannerCard("Judge", scan.scanner, scan.created_at, "the whole skill", scan.duration_ms / 1000, *said, note)


def _said(decision: str) -> tuple[str, str]:
    return {"pass": ("Pass", "good"), "review": ("Review", "warn"), "block": ("Concerns", "bad")}.get(
        decision, ("Unknown", "idle")
    )


def _external_card(external: ExternalResult) -> ScannerCard:
    result = external.result or {}
    coverage = result.get("coverage") or {}
    covered = f"{coverage['filesScanned']} files" if "filesScanned" in coverage else None
    duration = result.get("durationMs")
    said, tone, note = _external_word(external.status, result)
    return ScannerCard(
        external.scanner.capitalize(),
        result.get("scannerVersion"),
        external.completed_at,
        covered,
        duration / 1000 if duration is not None else None,
        said,
        tone,
        note,
    )


def _external_word(status: str, result: Mapping[str, Any]) -> tuple[str, str, str]:
    match status:
        case "COMPLETED":
            number = int(result.get("findingsTotal") or len(result.get("findings") or ()))
            return (f"{number} findings" if number != 1 else "1 finding", "warn" if number else "good", "")
        case "FAILED" | "TIMED_OUT":
            return "No answer", "idle", "The scanner failed. That says nothing about the skill."
    return "Pending", "wait", "It waits for a scanner."
