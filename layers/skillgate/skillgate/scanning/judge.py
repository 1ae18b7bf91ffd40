"""Applies the rules: finds where facts join, weighs them by their context, and scores the whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from skillgate.domain.verdict import Coverage, Decision, Finding, Severity
from skillgate.scanning.facts import Fact, shorten
from skillgate.scanning.limits import Limits
from skillgate.scanning.rules.model import Join, Rule
from skillgate.scanning.secrets import mask

FAST_APPROVE_SCORE = 75
FAILING_SCORE = 40
CONFIRMED = 0.8  # a critical finding of at least this confidence blocks by itself
_NEAR_LINES = 8
_NEAR_SENTENCES = 4
_MAX_ANCHORS = 400
_PENALTY = {Severity.CRITICAL: 70.0, Severity.HIGH: 32.0, Severity.MEDIUM: 9.0, Severity.LOW: 2.0, Severity.INFO: 0.0}
_REPEAT = 0.15  # the same rule again says little more


def decide(score: int, findings: Sequence[Finding], coverage: Coverage) -> Decision:
    """Block on a confirmed critical or a failing score; pass at 75 with nothing high and everything read."""
    if any(f.severity is Severity.CRITICAL and f.confidence >= CONFIRMED for f in findings) or score < FAILING_SCORE:
        return Decision.BLOCK
    grave = any(finding.severity in (Severity.CRITICAL, Severity.HIGH) for finding in findings)
    if score >= FAST_APPROVE_SCORE and not grave and coverage.complete:
        return Decision.PASS
    return Decision.REVIEW


def score(findings: Sequence[Finding]) -> int:
    """100 less what each finding costs by severity and confidence; repeats of a rule cost little."""
    seen: set[str] = set()
    lost = 0.0
    for finding in sorted(findings, key=lambda f: -_PENALTY[f.severity] * f.confidence):
        weight = _REPEAT if finding.rule_id in seen else 1.0
        seen.add(finding.rule_id)
        lost += _PENALTY[finding.severity] * finding.confidence * weight
    return max(0, round(100 - lost))


class FactIndex:
    """Facts by kind and file, for the joins."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.by_kind: dict[str, list[Fact]] = defaultdict(list)
        self.by_kind_and_file: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts:
            self.by_kind[fact.kind].append(fact)
            self.by_kind_and_file[fact.kind, fact.place.file].append(fact)

    def partner(self, anchor: Fact, kind: str, within: str) -> Fact | None:
        if within == "skill":
            return next(iter(self.by_kind.get(kind, ())), None)
        for fact in self.by_kind_and_file.get((kind, anchor.place.file), ()):
            if within == "file" or _close(anchor, fact, within):
                return fact
        return None


def _close(one: Fact, other: Fact, within: str) -> bool:
    a, b = one.place, other.place
    both_prose = a.sentence >= 0 and b.sentence >= 0
    if within == "sentence":
        return a.sentence == b.sentence if both_prose else a.line == b.line
    if within == "section" and a.section >= 0 and a.section == b.section:
        return True
    if both_prose and a.section == b.section and abs(a.sentence - b.sentence) <= _NEAR_SENTENCES:
        return True
    return abs(a.line - b.line) <= _NEAR_LINES and not (both_prose and a.section != b.section)


def judge(facts: Sequence[Fact], rules: Sequence[Rule], limits: Limits, *, defensive: bool) -> list[Finding]:
    """`defensive`: the skill says that it finds or prevents attacks, so that it may quote them."""
    index = FactIndex(facts)
    findings = []
    for rule in rules:
        places: set[tuple[str, int]] = set()
        for join in rule.when:
            for joined in _matches(index, join):
                place = (joined[0].place.file, joined[0].place.line)
                if place not in places and len(places) < limits.max_findings_per_rule:
                    places.add(place)
                    findings.append(_finding(rule, joined, defensive=defensive))
    return sorted(findings, key=lambda f: (-f.severity.rank, f.file, f.line, f.rule_id))


def _matches(index: FactIndex, join: Join) -> Iterator[list[Fact]]:
    for anchor in index.by_kind.get(join.all_of[0], ())[:_MAX_ANCHORS]:
        if join.hidden and not anchor.hidden:
            continue
        joined = [anchor]
        for kind in join.all_of[1:]:
            partner = index.partner(anchor, kind, join.within)
            if partner is None:
                break
            joined.append(partner)
        else:
            if not any(index.partner(anchor, kind, "sentence") for kind in join.none_of):
                yield joined


def _finding(rule: Rule, joined: list[Fact], *, defensive: bool) -> Finding:
    anchor = joined[0]
    severity, confidence = _weighed(rule, joined, defensive=defensive)
    return Finding(
        rule_id=rule.id,
        category=rule.category,
        severity=severity,
        confidence=round(confidence, 2),
        file=anchor.place.file,
        line=anchor.place.line,
        snippet=shorten(mask(anchor.snippet)),
        message=rule.message,
        why=rule.why,
        fix=rule.fix,
        owasp=rule.owasp,
    )


def _weighed(rule: Rule, joined: list[Fact], *, defensive: bool) -> tuple[Severity, float]:
    """Hidden text weighs more. Text that explains an attack weighs less, but passes only in a skill that defends."""
    severity, confidence = rule.severity, rule.confidence
    if rule.steady or any(fact.executable for fact in joined):
        return severity, confidence
    explained = any(fact.explained for fact in joined)
    if defensive and explained:
        return severity.lowered(2), confidence * 0.5
    if any(fact.hidden for fact in joined):
        return severity.raised(), min(1.0, confidence + 0.05)
    # Code that steals is no less code for the words around it; only prose can be mere talk.
    talk = all(fact.place.sentence >= 0 or fact.explained for fact in joined) and any(
        fact.place.sentence >= 0 for fact in joined
    )
    if (explained and talk) or defensive:
        return min(severity, Severity.HIGH, key=lambda s: s.rank), confidence * 0.75
    return severity, confidence
