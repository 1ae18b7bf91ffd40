"""Disputes: an author's word against a finding, a person's decision, and what it means for the next version.

A decision is about a rule and the text that it was found in. The same text in the next version counts for nothing.
The same rule in other text cannot block by itself any more, but nobody has looked at that text: it goes to review,
so that an overturned rule is no door for whatever comes after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from skillgate.domain.errors import Conflict, Forbidden, NotFound, StoreUnavailable
from skillgate.domain.ids import is_id, new_id
from skillgate.domain.principal import Principal
from skillgate.domain.submission import Submission
from skillgate.domain.verdict import Decision, Finding, ScanReport
from skillgate.observability import logger
from skillgate.ports import Backend, Dispute, Overturned, OverturnRate
from skillgate.scanning import decide, score
from skillgate.services.owners import Owner
from skillgate.services.transition import load

OVERTURNED, UPHELD, OPEN = "overturned", "upheld", "open"
DISPUTED = "disputed"


def with_decisions(report: ScanReport, overturned: Iterable[Overturned]) -> ScanReport:
    """The report as it stands after what was decided. Findings that still count come first."""
    known = {each.rule_id: each.finding_ids for each in overturned}
    if not known:
        return report

    def marked(finding: Finding) -> Finding:
        if finding.rule_id not in known:
            return finding
        return replace(finding, dispute=OVERTURNED if finding.id in known[finding.rule_id] else DISPUTED)

    findings = [marked(finding) for finding in report.findings]
    undisputed = [finding for finding in findings if finding.dispute is None]
    counted = [finding for finding in findings if finding.dispute != OVERTURNED]
    points = score(counted)
    decision = decide(points, counted, report.coverage)
    if decision is Decision.BLOCK and decide(score(undisputed), undisputed, report.coverage) is not Decision.BLOCK:
        decision = Decision.REVIEW
    ordered = tuple(sorted(findings, key=lambda finding: finding.dispute is not None))
    return replace(report, findings=ordered, score=points, decision=decision)


def judged(backend: Backend, submission: Submission, report: ScanReport) -> ScanReport:
    """With Postgres away, the scanner's own word: stricter, and never looser, than what was decided."""
    if not report.findings:
        return report
    try:
        return with_decisions(report, backend.disputes.overturned(*submission.open_key))
    except StoreUnavailable as error:
        logger.warning("disputes_unknown", error=error.message)
        return report


def dispute(backend: Backend, owner: Owner, *, rule_id: str, content_hash: str, note: str) -> Dispute:
    """Raises NotFound if none of the author's submissions had such a finding in such a content."""
    scan = backend.disputes.scanned(content_hash, account_id=owner.account_id, login=owner.login)
    findings = scan.report.get("findings", ()) if scan else ()
    ids = tuple(finding["id"] for finding in findings if finding["ruleId"] == rule_id)
    if scan is None or not ids:
        raise NotFound("None of your submissions has this finding.", code="finding_not_found")
    submission = load(backend, [scan.submission_id])[scan.submission_id]
    repo_key, skill_path = submission.open_key
    return backend.disputes.open(
        Dispute(
            id=new_id(),
            repo_key=repo_key,
            skill_path=skill_path,
            rule_id=rule_id,
            content_hash=content_hash,
            finding_ids=ids,
            note=note,
            account_id=owner.account_id,
            login=owner.login,
            created_at=backend.now(),
        )
    )


def settle_dispute(backend: Backend, decider: Principal, dispute_id: str, *, overturn: bool, reason: str) -> Dispute:
    """Raises Conflict if it was decided before, Forbidden to whoever opened it."""
    found = backend.disputes.get(dispute_id) if is_id(dispute_id) else None
    if found is None:
        raise NotFound("There is no dispute with this id.", code="dispute_not_found")
    if found.account_id == decider.account_id:
        raise Forbidden("Nobody decides about their own dispute.", code="own_dispute")
    status = OVERTURNED if overturn else UPHELD
    decided = backend.disputes.decide(dispute_id, status=status, reason=reason, by=decider.name, at=backend.now())
    if decided is None:
        raise Conflict("It was decided before.", code="already_decided")
    backend.operators.record(
        at=backend.now(),
        actor=decider.name,
        action=f"dispute-{status}",
        subjects=[dispute_id],
        reason=reason,
        detail={"rule": found.rule_id, "repository": found.repo_key, "skillPath": found.skill_path},
    )
    return decided


def page(
    backend: Backend,
    *,
    statuses: Sequence[str],
    after: tuple[datetime, str] | None,
    limit: int,
    account_id: str | None = None,
) -> tuple[Sequence[Dispute], tuple[datetime, str] | None]:
    found = backend.disputes.page(statuses=statuses, account_id=account_id, after=after, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return found[:limit], (last.created_at, last.id) if last else None


def rates(backend: Backend) -> Sequence[OverturnRate]:
    return backend.disputes.rates()
