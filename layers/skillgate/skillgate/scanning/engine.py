"""One scan: open, gather facts, judge, score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import Capabilities, Coverage, ScanReport, SkippedFile
from skillgate.scanning import packages
from skillgate.scanning.capabilities import capabilities, unused_tools
from skillgate.scanning.containers import Opened, open_all
from skillgate.scanning.facts import Fact, Place
from skillgate.scanning.frontmatter import Frontmatter
from skillgate.scanning.gather import Gatherer
from skillgate.scanning.judge import decide, judge, score
from skillgate.scanning.limits import DEFAULT_LIMITS, Limits
from skillgate.scanning.readable import is_document
from skillgate.scanning.refine import refine, strangers
from skillgate.scanning.rules import RULES, RULES_VERSION
from skillgate.scanning.rules.purpose import handles_secrets, is_defensive

ENGINE_VERSION = "1.0.0"


def scan(files: Sequence[SkillFile], *, skill_path: str = "SKILL.md", limits: Limits = DEFAULT_LIMITS) -> ScanReport:
    """Never raises on what a skill holds: what cannot be read is listed, and keeps the skill from passing."""
    started = limits.clock()
    opened = open_all(files, limits)
    gatherer = Gatherer(limits, skill_path)
    for text in opened.texts:
        gatherer.read(text)
    gatherer.finish()
    found = _facts(gatherer, opened)
    findings = tuple(
        judge(found, RULES, limits, defensive=is_defensive(gatherer.front.name, gatherer.front.description))
    )
    coverage = _coverage(opened, gatherer)
    points = score(findings)
    return ScanReport(
        score=points,
        decision=decide(points, findings, coverage),
        findings=findings,
        coverage=coverage,
        capabilities=_capabilities(gatherer.front, found),
        rules_version=RULES_VERSION,
        engine_version=ENGINE_VERSION,
        duration_ms=round((limits.clock() - started) * 1000, 3),
    )


def _facts(gatherer: Gatherer, opened: Opened) -> list[Fact]:
    for fact in list(gatherer.ledger.of("installs")):
        for registry, package in packages.installs(fact.detail):
            gatherer.dependency(registry, package, fact.place.file, fact.place.line)
    found = [refine(fact) for fact in gatherer.ledger.facts]
    front = gatherer.front
    place = Place(gatherer.skill_path, 1)
    if front.errors:
        found.append(Fact("bad_frontmatter", place, "; ".join(front.errors)))
    if not handles_secrets(front.name, front.description):
        found += [replace(fact, kind="harvests_undeclared") for fact in found if fact.kind == "bundles_secrets"]
    documents = "\n".join(text.text for text in opened.texts if is_document(text.path)).lower()
    found += strangers(found, front, documents)
    imitated = packages.lookalike_word(front.name)
    if imitated:
        found.append(Fact("lookalike_name", place, f"{front.name} (looks like {imitated})"))
    texts = [text.text for text in opened.texts]
    found += [Fact("unused_tool", place, tool) for tool in unused_tools(front.allowed_tools, found, texts)]
    return found


def _capabilities(front: Frontmatter, facts: Sequence[Fact]) -> Capabilities:
    return Capabilities(declared=tuple(front.allowed_tools), observed=capabilities(facts))


def _coverage(opened: Opened, gatherer: Gatherer) -> Coverage:
    skipped = list(opened.skipped)
    sizes = {text.path: len(text.text) for text in opened.texts}
    skipped += [SkippedFile(path, reason, sizes.get(path, 0)) for path, reason in gatherer.exceeded.items()]
    receipt = Coverage(opened.files_total, opened.files_read, opened.bytes_total, opened.bytes_read, tuple(skipped))
    lost = sum(1 for path in gatherer.exceeded if "!" not in path)
    return replace(receipt, files_read=receipt.files_read - lost) if lost else receipt
