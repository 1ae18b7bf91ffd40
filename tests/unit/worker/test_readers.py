"""What the scanners wrote, as recorded samples, and what a result makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.worker.test_staging import job
from workers.scanner.model import Report, ScanFailed
from workers.scanner.scanners import njsscan, semgrep, trufflehog
from workers.scanner.staging import Staged

TRUFFLEHOG_LINES = """\
{"level":"info-0","ts":"2026-03-02T10:15:01Z","logger":"trufflehog","msg":"running source","with_units":true}
{"SourceMetadata":{"Data":{"Filesystem":{"file":"/scratch/files/00002.py","line":4}}},"SourceID":1,"SourceType":15,\
"SourceName":"trufflehog - filesystem","DetectorType":2,"DetectorName":"AWS","DetectorDescription":"AWS access keys",\
"DecoderName":"PLAIN","Verified":false,"Raw":"AKIAQ3EGUZ7XVJQ2MKTA","RawV2":"AKIAQ3EGUZ7XVJQ2MKTA:wJalr",\
"Redacted":"AKIAQ3EGUZ7XVJQ2MKTA","ExtraData":{"resource_type":"Access key"},"StructuredData":null}
{"SourceMetadata":{"Data":{"Filesystem":{"file":"/scratch/files/00001.md"}}},"SourceID":1,"SourceType":15,\
"SourceName":"trufflehog - filesystem","DetectorType":8,"DetectorName":"Github","DecoderName":"BASE64",\
"Verified":true,"Raw":"ghp_secret","RawV2":"","Redacted":"","ExtraData":null,"StructuredData":null}
"""


@pytest.fixture
def staged(tmp_path: Path) -> Staged:
    paths = {"00001.md": "skills/pdf/SKILL.md", "00002.py": "skills/pdf/run.py", "00003.js": "skills/pdf/a.js"}
    return Staged(tmp_path, paths, {"00001.md": 10, "00002.py": 20, "00003.js": 30})


def semgrep_output(**changes: Any) -> str:
    result = {
        "check_id": "opt.workers.scanner.rules.python-runs-what-it-downloads",
        "path": "/scratch/files/00002.py",
        "start": {"line": 3, "col": 1, "offset": 69},
        "extra": {
            "message": "Code is downloaded and run.",
            "severity": "ERROR",
            "metadata": {"skillgate-severity": "critical", "confidence": "HIGH"},
            "lines": "requires login",
        },
    }
    scanned = [f"/scratch/files/{name}" for name in ("00001.md", "00002.py", "00003.js")]
    report = {"version": "1.172.0", "results": [result], "errors": [], "paths": {"scanned": scanned}}
    return json.dumps(report | changes)


def test_semgreps_report_is_read_with_the_repositorys_own_paths(staged: Staged) -> None:
    scan = semgrep.read(semgrep_output(), staged, "?")

    (finding,) = scan.findings
    assert (finding.rule_id, finding.file, finding.line) == ("python-runs-what-it-downloads", "skills/pdf/run.py", 3)
    assert (finding.severity, finding.confirmed) == ("critical", True)
    assert (scan.version, scan.coverage.files_scanned, scan.coverage.bytes_scanned) == ("1.172.0", 3, 60)


@pytest.mark.parametrize(
    ("metadata", "severity", "expected"),
    [
        ({"skillgate-severity": "critical", "confidence": "MEDIUM"}, "ERROR", ("critical", False)),
        ({"confidence": "HIGH"}, "ERROR", ("high", False)),
        ({"skillgate-severity": "nonsense"}, "WARNING", ("medium", False)),
        ({}, "INFO", ("low", False)),
        ({"confidence": "HIGH"}, "CRITICAL", ("critical", True)),
    ],
)
def test_only_a_critical_rule_of_high_confidence_is_confirmed(
    staged: Staged, metadata: dict[str, str], severity: str, expected: tuple[str, bool]
) -> None:
    report = json.loads(semgrep_output())
    report["results"][0]["extra"] |= {"metadata": metadata, "severity": severity}

    (finding,) = semgrep.read(json.dumps(report), staged, "?").findings

    assert (finding.severity, finding.confirmed) == expected


def test_what_semgrep_did_not_read_or_only_partly_is_not_called_covered(staged: Staged) -> None:
    output = semgrep_output(
        paths={"scanned": ["/scratch/files/00001.md", "/scratch/files/00002.py"]},
        errors=[{"path": "/scratch/files/00002.py", "type": "Timeout", "level": "warn"}],
    )

    coverage = semgrep.read(output, staged, "?").coverage

    assert coverage.skipped == [("skills/pdf/a.js", "not scanned"), ("skills/pdf/run.py", "partly: Timeout")]
    assert coverage.as_dict()["complete"] is False


NJSSCAN = {
    "errors": [],
    "njsscan_version": "1.0.2",
    "nodejs": {
        "eval_nodejs": {
            "files": [
                {"file_path": "/scratch/files/00003.js", "match_lines": [7, 8], "match_position": [1, 9]},
                {"file_path": "/scratch/files/00003.js", "match_lines": [12, 12], "match_position": [1, 9]},
            ],
            "metadata": {"description": "User controlled data in eval().", "severity": "ERROR"},
        }
    },
    "templates": {},
}


def test_njsscans_report_has_a_finding_for_every_place(staged: Staged) -> None:
    scan = njsscan.read(json.dumps(NJSSCAN), staged, "?")

    assert [(each.rule_id, each.file, each.line) for each in scan.findings] == [
        ("eval_nodejs", "skills/pdf/a.js", 7),
        ("eval_nodejs", "skills/pdf/a.js", 12),
    ]
    assert {(each.severity, each.confirmed) for each in scan.findings} == {("high", False)}
    assert (scan.version, scan.coverage.files_scanned, scan.coverage.not_applicable) == ("1.0.2", 1, 2)


def test_njsscan_without_semgrep_on_its_path_failed_and_did_not_find_nothing(staged: Staged) -> None:
    output = NJSSCAN | {"nodejs": {}, "errors": ["semgrep not found. Install with: pip install semgrep"]}

    with pytest.raises(ScanFailed) as failed:
        njsscan.read(json.dumps(output), staged, "?")
    assert failed.value.code == "scanner_failed"


def test_trufflehogs_lines_are_read_and_no_secret_goes_on(staged: Staged) -> None:
    scan = trufflehog.read(TRUFFLEHOG_LINES, staged, "3.88.0")

    assert [(each.rule_id, each.file, each.line, each.severity, each.confirmed) for each in scan.findings] == [
        ("trufflehog-aws", "skills/pdf/run.py", 4, "high", False),
        ("trufflehog-github", "skills/pdf/SKILL.md", 1, "critical", True),
    ]
    sent = json.dumps(Report(job(), "completed", 5, scan).as_dict())
    assert "AKIA" not in sent and "ghp_" not in sent and "wJalr" not in sent


def test_trufflehog_that_found_nothing_is_a_clean_scan(staged: Staged) -> None:
    assert trufflehog.read("", staged, "3.88.0").findings == []


@pytest.mark.parametrize(
    ("reader", "output"),
    [(reader, text) for reader in (semgrep, njsscan) for text in ("", "{", "[]", "3", '{"results": [{}]}')]
    + [(trufflehog, text) for text in ("{", "[]", "3", '{"DetectorName": "AWS"}')],
)
def test_output_that_cannot_be_read_fails_the_scan_and_is_never_clean(staged: Staged, reader: Any, output: str) -> None:
    with pytest.raises(ScanFailed) as failed:
        reader.read(output, staged, "?")
    assert failed.value.code == "output_not_understood"


def test_a_result_has_at_most_a_hundred_findings_the_worst_first_and_counts_the_rest(staged: Staged) -> None:
    report = json.loads(semgrep_output())
    mild = json.loads(json.dumps(report["results"][0]))
    mild["extra"]["metadata"] = {}
    report["results"] = [mild] * 120 + report["results"]

    sent = Report(job(), "completed", 5, semgrep.read(json.dumps(report), staged, "?")).as_dict()

    assert len(sent["findings"]) == 100 and sent["findingsTotal"] == 121
    assert sent["findings"][0]["severity"] == "critical"
