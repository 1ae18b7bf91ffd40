"""Every alarm is on something that is measured, and in the runbook."""

import ast
import re
from collections.abc import Iterator

import pytest
from skillgate.observability import Measure

from local.runner.intrinsics import parse_yaml
from tests.support.backends import PROJECT

TEMPLATE = parse_yaml((PROJECT / "template.yaml").read_text())
ALARMS = {
    name: resource["Properties"]
    for name, resource in TEMPLATE["Resources"].items()
    if resource["Type"] == "AWS::CloudWatch::Alarm"
}
RUNBOOK = (PROJECT / "docs" / "runbook.md").read_text()


def emitted() -> Iterator[str]:
    """The metrics that some code path reports: what `measure` is called with, and what it looks up in a table."""
    for folder in (PROJECT / "layers" / "skillgate" / "skillgate", PROJECT / "functions"):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Measure":
                    yield Measure[node.attr].value


EMITTED = set(emitted())


def our_metrics_of(alarm: str) -> set[str]:
    properties = ALARMS[alarm]
    stats = [each["MetricStat"]["Metric"] for each in properties.get("Metrics", []) if "MetricStat" in each]
    return {metric["MetricName"] for metric in (*stats, properties) if metric.get("Namespace") == "Skillgate"}


@pytest.mark.parametrize("name", [measure.value for measure in Measure])
def test_every_metric_is_emitted_somewhere(name: str) -> None:
    assert name in EMITTED


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_is_in_the_runbook(alarm: str) -> None:
    assert f"\n## {alarm}\n" in RUNBOOK


def test_the_runbook_has_no_alarm_that_is_gone() -> None:
    assert set(re.findall(r"^## (\w+Alarm)$", RUNBOOK, re.MULTILINE)) == set(ALARMS)


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_watches_what_aws_or_some_code_path_of_ours_reports(alarm: str) -> None:
    ours = our_metrics_of(alarm)
    assert ours <= EMITTED
    assert ours or ALARMS[alarm]["Namespace"].startswith("AWS/")


def test_there_are_alarms_on_metrics_of_our_own() -> None:
    """A reading of the template that finds none would pass every test above."""
    watched = set().union(*(our_metrics_of(alarm) for alarm in ALARMS))
    assert {"Drift", "OldestInFlightSeconds", "Published", "InFlight", "ScanResults", "GitHubQuotaLeft"} <= watched


def test_drift_is_measured_at_least_once_in_each_period_of_its_alarm() -> None:
    schedules = TEMPLATE["Resources"]["IndexBuilder"]["Properties"]["Events"].values()
    [compare] = [each["Properties"] for each in schedules if "compare" in each["Properties"].get("Input", "")]
    [minutes] = re.findall(r"^rate\((\d+) minutes\)$", compare["ScheduleExpression"])
    assert int(minutes) * 60 <= ALARMS["DriftAlarm"]["Period"]


def test_the_dashboard_shows_metrics_that_exist() -> None:
    body = str(TEMPLATE["Resources"]["Dashboard"]["Properties"]["DashboardBody"])
    shown = set(re.findall(r'\["Skillgate", "(\w+)"', body)) | set(re.findall(r'\[".", "(\w+)", ".", "."', body))
    assert shown - {"5xx", "Latency"} <= set(Measure) and len(shown) > 10


def test_silence_of_the_sweeper_is_an_alarm_too() -> None:
    assert ALARMS["OldestInFlightAlarm"]["TreatMissingData"] == "breaching"
