"""njsscan: Node.js code and templates. It reads files of some endings only, and the coverage says so."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from workers.scanner.commands import Commands
from workers.scanner.model import Coverage, Finding, Scan, ScanFailed
from workers.scanner.staging import Staged

_SEVERITIES = {"ERROR": "high", "WARNING": "medium", "INFO": "low"}
_ADDED = (".cjs", ".jsx", ".mjs", ".ts", ".tsx")
# What it reads by itself, and what our configuration adds. JSON, YAML and the like are only matched against patterns.
READS = frozenset(
    {".js", *_ADDED, ".html", ".mustache", ".hbs", ".vue", ".hdbs", ".ejs", ".dust", ".json", ".tl", ".tpl", ".tmpl"}
    | {".pug", ".haml", ".ect", ".sh", ".yml", ".toml", ".jade"}
)


class NjsScan:
    program = "njsscan"

    def scan(self, commands: Commands, staged: Staged, scratch: Path, version: str) -> Scan:
        configuration = scratch / "njsscan.yaml"
        configuration.write_text("- nodejs-extensions:\n" + "".join(f"    - {ending}\n" for ending in _ADDED))
        completed = commands.run(
            [self.program, "--json", "--config", str(configuration), str(staged.directory)], scratch
        )
        if completed.exit_code not in (0, 1):
            raise ScanFailed("scanner_failed", f"njsscan ended with {completed.exit_code}.")
        return read(completed.output, staged, version)


def read(output: str, staged: Staged, version: str) -> Scan:
    try:
        report = json.loads(output)
        problems = [each for each in report["errors"] if isinstance(each, str)]
        trouble = {Path(e["path"]).name: str(e.get("type", "error")) for e in report["errors"] if isinstance(e, dict)}
        findings = [
            Finding(
                rule_id=rule_id,
                severity=_SEVERITIES.get(match["metadata"]["severity"], "low"),
                confirmed=False,  # its rules state no confidence
                file=staged.original(place["file_path"]),
                line=int(place["match_lines"][0]),
                message=str(match["metadata"]["description"])[:500],
            )
            for part in ("nodejs", "templates")
            for rule_id, match in report[part].items()
            for place in match.get("files", [])
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise ScanFailed("output_not_understood", "njsscan's report could not be read.") from error
    if problems:  # such as Semgrep missing from PATH: it then reports nothing at all
        raise ScanFailed("scanner_failed", f"njsscan could not work: {problems[0][:200]}")
    scanned = {name for name in staged.paths if PurePosixPath(name).suffix in READS}
    skipped = [*staged.skipped]
    skipped += [(staged.paths[name], f"partly: {why}"[:100]) for name, why in trouble.items() if name in scanned]
    size = sum(staged.sizes[name] for name in scanned)
    coverage = Coverage(staged.total, len(scanned), size, skipped, not_applicable=len(staged.paths) - len(scanned))
    return Scan(report.get("njsscan_version") or version, findings, coverage)
