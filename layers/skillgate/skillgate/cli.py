"""`skillgate scan PATH|URL…`: the engine for authors and continuous integration.

Exit codes: 0 pass, 1 concerns, 2 fail, 3 could not scan.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from skillgate.domain.errors import SkillgateError
from skillgate.domain.repo_url import parse_location
from skillgate.domain.skill import SkillBundle
from skillgate.domain.skill_files import SkillFile
from skillgate.domain.verdict import Decision, ScanReport, Severity
from skillgate.scanning import RULES, scan
from skillgate.scanning.sarif import to_sarif
from skillgate.skill_folders import skill_files, skill_folders

Fetch = Callable[[str], Iterable[SkillBundle]]

EXIT_CODES = {Decision.PASS: 0, Decision.REVIEW: 1, Decision.BLOCK: 2}
CANNOT_SCAN = 3
_BAR = 30


@dataclass(frozen=True, slots=True)
class _Skill:
    """A skill that is read when its turn comes; `files` may ask the network."""

    name: str
    files: Callable[[], Sequence[SkillFile]]
    path: str = "SKILL.md"


def main(
    arguments: Sequence[str] | None = None,
    *,
    fetch: Fetch | None = None,
    out: TextIO | None = None,
    progress: TextIO | None = None,
) -> int:
    """`fetch` turns a repository's URL into its skills; without it GitHub is asked."""
    out, progress = out or sys.stdout, progress or sys.stderr
    options = _parser().parse_args(arguments)
    if options.explain:
        return _explain(options.explain, out)
    if not options.targets:
        progress.write("Nothing to scan: give paths or URLs.\n")
        return CANNOT_SCAN
    skills, unread = _found(options.targets, fetch or _from_github, progress)
    reports = _scan_all(skills, progress)
    if reports:
        _WRITERS[options.format](reports, out)
    codes = {EXIT_CODES[report.decision] for report in reports.values()} | ({CANNOT_SCAN} if unread else set())
    # A skill that failed is the answer, whatever else could not be looked at.
    return EXIT_CODES[Decision.BLOCK] if EXIT_CODES[Decision.BLOCK] in codes else max(codes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="skillgate", description="Scans AI agent skills.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("scan", help="scan skills, folders of skills, or repositories")
    command.add_argument("targets", nargs="*", metavar="PATH|URL", help="a path, or the URL of a GitHub repository")
    command.add_argument("--format", choices=sorted(_WRITERS), default="text")
    command.add_argument("--explain", metavar="RULE", help="say what a rule means, and how to fix what it finds")
    return parser


def _found(targets: Sequence[str], fetch: Fetch, complaints: TextIO) -> tuple[list[_Skill], int]:
    """The skills of all targets, and how many targets could not be read."""
    skills: list[_Skill] = []
    unread = 0
    for target in dict.fromkeys(targets):
        try:
            skills += _fetched(target, fetch) if "://" in target else _on_disk(Path(target))
        except (OSError, ValueError, SkillgateError) as error:
            unread += 1
            complaints.write(f"Cannot scan {target}: {error}\n")
    return skills, unread


def _on_disk(root: Path) -> list[_Skill]:
    folders = skill_folders(root)
    if not folders:
        raise ValueError("no SKILL.md found")
    return [_Skill(str(folder), partial(_read, folder)) for folder in folders]


def _read(folder: Path) -> list[SkillFile]:
    return list(skill_files(folder))


def _fetched(url: str, fetch: Fetch) -> list[_Skill]:
    bundles = list(fetch(url))
    if not bundles:
        raise ValueError("no SKILL.md found")
    return [_Skill(_address(bundle), partial(list, bundle.files), bundle.skill_path) for bundle in bundles]


def _address(bundle: SkillBundle) -> str:
    return f"{bundle.repo.url}/blob/{bundle.commit_sha}/{bundle.skill_path}"


def _from_github(url: str) -> Iterator[SkillBundle]:
    """The one skill that the URL leads to, or all of the repository's, at its newest commit."""
    from skillgate.bootstrap import github, github_token  # what only URLs need, and what takes a while to import

    repo, path = parse_location(url)
    token = github_token()
    with github() as source:
        for skill_path in [path] if path else source.find_skills(repo.url, token):
            yield source.fetch_repo_files(repo.url, skill_path, token)


def _scan_all(skills: Sequence[_Skill], progress: TextIO) -> dict[str, ScanReport]:
    """With a bar over many, on a terminal."""
    shown = len(skills) > 1 and progress.isatty()
    reports = {}
    for number, skill in enumerate(skills, 1):
        reports[skill.name] = scan(skill.files(), skill_path=skill.path)
        if shown:
            filled = _BAR * number // len(skills)
            progress.write(f"\r[{'#' * filled}{'.' * (_BAR - filled)}] {number}/{len(skills)}")
            progress.write("\n" if number == len(skills) else "")
            progress.flush()
    return reports


def _explain(rule_id: str, out: TextIO) -> int:
    rule = next((rule for rule in RULES if rule.id == rule_id.upper()), None)
    if rule is None:
        out.write(f"There is no rule {rule_id}. Rules: {', '.join(rule.id for rule in RULES)}\n")
        return CANNOT_SCAN
    out.write(f"{rule.id} ({rule.severity.value}, {rule.category}, OWASP {rule.owasp})\n{rule.message}\n\n")
    out.write(f"Why: {rule.why}\nFix: {rule.fix}\n")
    return 0


def _write_text(reports: dict[str, ScanReport], out: TextIO) -> None:
    for name, report in reports.items():
        out.write(f"{name}: {report.decision.value.upper()}, score {report.score}\n")
        for finding in report.findings:
            if finding.severity is Severity.INFO:
                continue
            out.write(
                f"  {finding.severity.value:8} {finding.rule_id} {finding.file}:{finding.line} {finding.message}\n"
            )
            out.write(f"           {finding.snippet}\n           Fix: {finding.fix}\n")
        coverage = report.coverage
        out.write(f"  read {coverage.files_read} of {coverage.files_total} files, {coverage.bytes_read} bytes")
        out.write(f"; rules {report.rules_version}, engine {report.engine_version}\n")
        for entry in coverage.skipped:
            out.write(f"  not read: {entry.path} ({entry.reason})\n")


def _write_json(reports: dict[str, ScanReport], out: TextIO) -> None:
    documents: list[dict[str, Any]] = [{"path": name, **report.to_dict()} for name, report in reports.items()]
    json.dump(documents[0] if len(documents) == 1 else documents, out, indent=2, ensure_ascii=False)
    out.write("\n")


def _write_sarif(reports: dict[str, ScanReport], out: TextIO) -> None:
    document: dict[str, Any] = {}
    for name, report in reports.items():
        one = to_sarif(report)
        for result in one["runs"][0]["results"] if len(reports) > 1 else ():
            location = result["locations"][0]["physicalLocation"]["artifactLocation"]
            location["uri"] = f"{name}/{location['uri']}"
        document = document or {**one, "runs": []}
        document["runs"] += one["runs"]
    json.dump(document, out, indent=2, ensure_ascii=False)
    out.write("\n")


_WRITERS: dict[str, Callable[[dict[str, ScanReport], TextIO], None]] = {
    "text": _write_text,
    "json": _write_json,
    "sarif": _write_sarif,
}
