"""TruffleHog, where its binary is installed. It reports secrets; none of them goes on into a result."""

from __future__ import annotations

import json
from pathlib import Path

from workers.scanner.commands import Commands
from workers.scanner.model import Coverage, Finding, Scan, ScanFailed
from workers.scanner.staging import Staged


class TruffleHog:
    program = "trufflehog"

    def scan(self, commands: Commands, staged: Staged, scratch: Path, version: str) -> Scan:
        # Without verification: a secret that we find is not tried out on the service that it opens.
        options = ["--json", "--no-verification", "--no-update"]
        completed = commands.run([self.program, "filesystem", str(staged.directory), *options], scratch)
        if completed.exit_code not in (0, 183):  # 183: with --fail, for results
            raise ScanFailed("scanner_failed", f"TruffleHog ended with {completed.exit_code}.")
        return read(completed.output, staged, version)


def read(output: str, staged: Staged, version: str) -> Scan:
    """One JSON object a line; a line without a detector is a log line."""
    findings: list[Finding] = []
    try:
        for line in filter(str.strip, output.splitlines()):
            result = json.loads(line)
            if not isinstance(result, dict):
                raise TypeError("a line is an object")
            if "DetectorName" not in result:
                continue
            place = result["SourceMetadata"]["Data"]["Filesystem"]
            detector, verified = str(result["DetectorName"])[:60], result.get("Verified") is True
            state = "verified" if verified else "not verified"
            findings.append(
                Finding(
                    rule_id=f"trufflehog-{detector.lower()}",
                    severity="critical" if verified else "high",
                    confirmed=verified,
                    file=staged.original(place["file"]),
                    line=int(place.get("line") or 1),
                    message=f"A secret of the kind {detector} is part of the skill ({state}).",
                )
            )
    except (ValueError, KeyError, TypeError) as error:
        raise ScanFailed("output_not_understood", "TruffleHog's report could not be read.") from error
    size = sum(staged.sizes.values())
    return Scan(version, findings, Coverage(staged.total, len(staged.paths), size, staged.skipped))
