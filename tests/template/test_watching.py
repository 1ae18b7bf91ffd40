"""Every alarm is on something that is measured, and in the runbook."""

import re

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


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_is_in_the_runbook(alarm: str) -> None:
    assert f"\n## {alarm}\n" in RUNBOOK


def test_the_runbook_has_no_alarm_that_is_gone() -> None:
    assert set(re.findall(r"^## (\w+Alarm)$", RUNBOOK, re.MULTILINE)) == set(ALARMS)


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_on_our_own_metrics_names_one_that_exists(alarm: str) -> None:
    metrics = re.findall(r"'Namespace': 'Skillgate', 'MetricName': '(\w+)'", str(ALARMS[alarm]))
    assert set(metrics) <= set(Measure)
    assert metrics or ALARMS[alarm].get("Namespace", "").startswith("AWS/")


def test_the_dashboard_shows_metrics_that_exist() -> None:
    body = str(TEMPLATE["Resources"]["Dashboard"]["Properties"]["DashboardBody"])
    shown = set(re.findall(r'\["Skillgate", "(\w+)"', body)) | set(re.findall(r'\[".", "(\w+)", ".", "."', body))
    assert shown - {"5xx", "Latency"} <= set(Measure) and len(shown) > 10


def test_silence_of_the_sweeper_is_an_alarm_too() -> None:
    assert ALARMS["OldestInFlightAlarm"]["TreatMissingData"] == "breaching"
