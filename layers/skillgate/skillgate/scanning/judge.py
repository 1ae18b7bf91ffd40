"""Applies the rules: finds where facts join, weighs them by their context, and scores the whole."""

from __future__ import annotations

from bisect import bisect_left
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
_MAX_NEAR = 64
_PENALTY = {Severity.CRITICAL: 70.0, Severity.HIGH: 32.0, Severity.MEDIUM: 9.0, Severity.LOW: 2.0, Severity.INFO: 0.0}
_LOOKED_UP = 0.7  # a manual of many pages says many things; it takes more of them to fail a skill
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
    """Facts by kind, file and place, so that a join costs a look-up and not a search."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.by_kind: dict[str, list[Fact]] = defaultdict(list)
        self._by_line: dict[tuple[str, str], list[tuple[int, Fact]]] = defaultdict(list)
        self._by_sentence: dict[tuple[str, str, int], list[tuple[int, Fact]]] = defaultdict(list)
        for fact in facts:
            place = fact.place
            self.by_kind[fact.kind].append(fact)
            self._by_line[fact.kind, place.file].append((place.line, fact))
            if place.sentence >= 0:
                self._by_sentence[fact.kind, place.file, place.section].append((place.sentence, fact))
        for places in (*self._by_line.values(), *self._by_sentence.values()):
            places.sort(key=_number)

    def partner(self, anchor: Fact, kind: str, within: str) -> Fact | None:
        place = anchor.place
        if within == "skill":
            return next(iter(self.by_kind.get(kind, ())), None)
        lines = self._by_line.get((kind, place.file), [])
        if within == "file":
            return lines[0][1] if lines else None
        spoken = self._by_sentence.get((kind, place.file, place.section), [])
        if within == "section" and place.section >= 0 and spoken:
            return spoken[0][1]
        reach = 0 if within == "sentence" else _NEAR_SENTENCES
        if place.sentence >= 0:
            found = _between(spoken, place.sentence - reach, place.sentence + reach)
            if found is not None:
                return found
        return self._near_line(anchor, lines, 0 if within == "sentence" else _NEAR_LINES)

    def _near_line(self, anchor: Fact, lines: list[tuple[int, Fact]], reach: int) -> Fact | None:
        """By lines only where one of the two is code; sentences are compared as sentences."""
        start = bisect_left(lines, anchor.place.line - reach, key=_number)
        for line, fact in lines[start : start + _MAX_NEAR]:
            if line > anchor.place.line + reach:
                return None
            if anchor.place.sentence < 0 or fact.place.sentence < 0:
                return fact
        return None


def _number(entry: tuple[int, Fact]) -> int:
    return entry[0]


def _between(entries: list[tuple[int, Fact]], first: int, last: int) -> Fact | None:
    start = bisect_left(entries, first, key=_number)
    return entries[start][1] if start < len(entries) and entries[start][0] <= last else None


def judge(facts: Sequence[Fact], rules: Sequence[Rule], limits: Limits, *, defensive: bool) -> list[Finding]:
    """`defensive`: the skill says that it finds or prevents attacks, so that it may quote them."""
    index = FactIndex(facts)
    findings: list[Finding] = []
    for rule in rules:
        gravest: dict[tuple[str, int], Finding] = {}
        for join in rule.when:
            if join.all_of[0] not in index.by_kind:
                continue
            for joined in _matches(index, join):
                found = _finding(rule, joined, defensive=defensive)
                place = (found.file, found.line)
                if place in gravest or len(gravest) < limits.max_findings_per_rule:
                    gravest[place] = max(gravest.get(place, found), found, key=_weight)
        findings += gravest.values()
    return sorted(findings, key=lambda f: (-f.severity.rank, f.file, f.line, f.rule_id))


def _weight(finding: Finding) -> tuple[int, float]:
    return finding.severity.rank, finding.confidence


def _matches(index: FactIndex, join: Join) -> Iterator[list[Fact]]:
    for anchor in index.by_kind[join.all_of[0]][:_MAX_ANCHORS]:
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
        return severity.lowered(2), confidence * 0.4
    if any(fact.hidden for fact in joined):
        return severity.raised(), min(1.0, confidence + 0.05)
    # Code that steals is no less code for the words around it; only prose can be mere talk.
    talk = all(fact.place.sentence >= 0 or fact.explained for fact in joined) and any(
        fact.place.sentence >= 0 for fact in joined
    )
    if defensive and not _is_in_skill_md(joined[0]):
        return severity.lowered(), confidence * _LOOKED_UP / 2
    if (explained and talk) or defensive:
        severity, confidence = min(severity, Severity.HIGH, key=lambda s: s.rank), confidence * 0.75
    if severity is Severity.HIGH and not _is_in_skill_md(joined[0]):
        confidence *= _LOOKED_UP
    return severity, confidence


def _is_in_skill_md(fact: Fact) -> bool:
    """SKILL.md gives the orders; references beside it are looked up."""
    return fact.place.file.rsplit("/", 1)[-1].lower() == "skill.md"
