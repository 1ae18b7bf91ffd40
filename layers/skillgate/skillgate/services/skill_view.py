"""A skill as its pages show it: the skill, its versions, and what every scanner said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from skillgate.concurrency import together
from skillgate.domain.errors import PermanentFailure, Unavailable
from skillgate.domain.external_scan import Scanner, ScanStatus
from skillgate.domain.skill import Published
from skillgate.ports import Backend, VersionRecord
from skillgate.scanning import frontmatter
from skillgate.services import marketplace
from skillgate.services.marketplace import Skill
from skillgate.services.security_view import NOT_RUN, UNKNOWN, ProviderReport, skill_security

_NAMES = {
    "tier1": "Rules",
    "tier2": "Judge",
    Scanner.SEMGREP: "Semgrep",
    Scanner.NJSSCAN: "njsscan",
    Scanner.TRUFFLEHOG: "TruffleHog",
}
_VERDICTS = {
    "pass": ("Pass", "good"),
    "approve": ("Pass", "good"),
    "clean": ("Nothing found", "good"),
    "review": ("Review", "warn"),
    "block": ("Concerns", "bad"),
    "reject": ("Concerns", "bad"),
}


@dataclass(frozen=True)
class SkillPage:
    """`versions` is None where they could not be read."""

    skill: Skill
    body: str
    versions: Sequence[VersionRecord] | None


@dataclass(frozen=True)
class ScannerCard:
    """What one scanner says. One that failed says nothing about the skill, and its card says so."""

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
    """`silent` are the scanners that did not run on this version, `degraded` whether a part could not be read."""

    skill: Published
    reports: Mapping[str, ProviderReport]
    cards: Sequence[ScannerCard]
    silent: Sequence[str]
    history: Sequence[VersionRecord]
    degraded: bool

    @property
    def tier2(self) -> Mapping[str, Any]:
        return {"findings": self.reports["tier2"].findings}

    @property
    def outside(self) -> list[tuple[str, Mapping[str, Any]]]:
        """What the scanners outside found, each with the scanner's name."""
        return [(name, finding) for name in Scanner for finding in self.reports[name].findings]


def skill_page(backend: Backend, skill_id: str) -> SkillPage:
    """Raises NotFound, and Gone with the reason for one that was removed."""
    skill, versions = together(
        lambda: marketplace.get_skill_by_name(backend, skill_id), lambda: backend.versions.all(skill_id.lower())
    )
    shown = skill.unwrap()
    content = shown.published.content if shown.published else ""
    return SkillPage(shown, frontmatter.parse(content).body, versions.value)


def security_page(backend: Backend, skill_id: str) -> SecurityPage:
    """Raises NotFound, also for a skill that was never scanned here."""
    found, versions = together(
        lambda: skill_security(backend, skill_id), lambda: backend.versions.all(skill_id.lower())
    )
    security = found.unwrap()
    return SecurityPage(
        skill=security.skill,
        reports={report.provider: report for report in security.providers},
        cards=[_card(report) for report in security.providers if report.status != NOT_RUN],
        silent=[_NAMES[report.provider] for report in security.providers if report.status == NOT_RUN],
        history=versions.value or (),
        degraded=not versions.ok or any(report.status == UNKNOWN for report in security.providers),
    )


def head_of(backend: Backend, owner: str, repo: str) -> str | None:
    """The commit that the repository is at now; None where GitHub does not say."""
    tokens = backend.settings.github_tokens
    token = tokens[0].get_secret_value() if tokens else None
    try:
        return backend.source.resolve_commit_sha(owner, repo, "HEAD", token)
    except (Unavailable, PermanentFailure):
        return None


def _card(report: ProviderReport) -> ScannerCard:
    said, tone, note = _words(report)
    return ScannerCard(
        name=_NAMES[report.provider],
        version=report.scanner_version,
        at=report.completed_at,
        covered=_covered(report.coverage),
        seconds=None if report.duration_ms is None else report.duration_ms / 1000,
        said=said,
        tone=tone,
        note=note,
    )


def _words(report: ProviderReport) -> tuple[str, str, str]:
    match report.status:
        case ScanStatus.COMPLETED if report.verdict in _VERDICTS:
            return *_VERDICTS[report.verdict], ""
        case ScanStatus.COMPLETED:
            return _counted(report.findings_total or 0), "warn", ""
        case ScanStatus.FAILED | ScanStatus.TIMED_OUT:
            return "No answer", "idle", "The scanner failed. That says nothing about the skill."
        case _ if report.status == UNKNOWN:
            return "Unknown", "idle", "Its report cannot be read right now."
    return "Pending", "wait", "It waits for a scanner."


def _counted(number: int) -> str:
    return "1 finding" if number == 1 else f"{number} findings"


def _covered(coverage: Mapping[str, Any] | None) -> str | None:
    if not coverage:
        return None
    read = coverage.get("filesRead", coverage.get("filesScanned"))
    total = coverage.get("filesTotal")
    if read is None:
        return None
    return f"{read} of {total} files" if total is not None else f"{read} files"
