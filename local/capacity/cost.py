"""`make cost`: what a month costs at a thousand, a hundred thousand and a million submissions, and what dominates."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

from skillgate.observability import Measure

from local.capacity.consumer import FULL_VCPU_GB, billed_seconds
from local.capacity.figures import Basis, load
from local.parts.part import PROJECT
from local.runner.intrinsics import parse_yaml

VOLUMES = (1_000, 100_000, 1_000_000)
HOURS = 730
SECONDS = HOURS * 3600
FIVE_MINUTES = SECONDS / 300
SKILL_MONTHS = 6  # of submissions that the marketplace holds
API_GB, SWEEPER_GB = 1.0, 0.5
PROXY_MINIMUM_ACUS = 8  # what RDS Proxy bills at least
MINIMUM_ACUS = 0.5


@dataclass(frozen=True)
class Installation:
    """The settings that change what a month costs; None takes what the load needs, or the assumed share."""

    batch_size: int = 10
    consumer_gb: float = FULL_VCPU_GB
    aurora_acus: float | None = None
    tier2_share: float | None = None
    index_minutes: float = 5


def monthly(submissions: int, basis: Basis, setup: Installation) -> dict[str, float]:
    """Dollars by part."""
    m, a, p = basis.measured, basis.assumed, basis.prices
    share = a["tier2_share"] if setup.tier2_share is None else setup.tier2_share
    acus = capacity_for(submissions, basis) if setup.aurora_acus is None else setup.aurora_acus
    invocations = submissions / setup.batch_size
    busy = billed_seconds(basis, setup.batch_size, setup.consumer_gb, share) * setup.consumer_gb
    reads = submissions * a["reads_per_submission"]
    requests = reads + submissions
    api_seconds = (reads * m["api_read_seconds"] + submissions * m["api_submit_seconds"]) * a["cpu_factor"]
    per_request = p["lambda_request"] + p["http_api_request"]
    tokens_in = m["judge_characters_in"] * a["skill_size"] / a["characters_per_token"]
    thought = tokens_in * p["judge_million_tokens_in"] + a["judge_tokens_out"] * p["judge_million_tokens_out"]
    database = acus * p["aurora_acu_hour"] + PROXY_MINIMUM_ACUS * p["rds_proxy_acu_hour"]
    written = submissions * m["dynamodb_write_units"] + reads * m["api_read_write_units"]
    read = submissions * m["dynamodb_read_units"] + reads * m["api_read_read_units"]
    fetched_gb = submissions * m["github_kilobytes"] * a["skill_size"] / 1e6
    logged_kb = (
        submissions * m["log_kilobytes"]
        + (invocations + requests + FIVE_MINUTES) * a["platform_log_kilobytes"]
        + requests * a["access_log_kilobytes"]
    )
    return {
        "consumer": invocations * (busy * p["lambda_gb_second_arm"] + p["lambda_request"]),
        "HTTP API and its functions": api_seconds * API_GB * p["lambda_gb_second_arm"] + requests * per_request,
        "index and sweeper": _scheduled(submissions, basis, setup),
        "SQS": submissions * m["sqs_requests"] * p["sqs_request"],
        "DynamoDB": written * p["dynamodb_write_unit"] + read * p["dynamodb_read_unit"],
        "Aurora and RDS Proxy": HOURS * database + submissions * m["postgres_kilobytes"] / 1e6 * p["aurora_gb_month"],
        "judge": submissions * share * thought / 1e6,
        "network": HOURS * p["nat_gateway_hour"] + fetched_gb * p["nat_gateway_gb"],
        "logs, metrics, alarms": logged_kb / 1e6 * p["logs_ingested_gb"] + _watching(basis),
    }


def _scheduled(submissions: int, basis: Basis, setup: Installation) -> float:
    """The index is written whole whenever something was published since the last look, and every night."""
    m, a, p = basis.measured, basis.assumed, basis.prices
    looks = SECONDS / (setup.index_minutes * 60)
    builds = min(looks, submissions * a["published_share"]) + HOURS / 24
    thousands = min(a["most_skills"], SKILL_MONTHS * submissions * a["published_share"]) / 1000
    seconds = thousands * m["index_build_seconds_per_1000"] * a["cpu_factor"]
    build = seconds * FULL_VCPU_GB * p["lambda_gb_second_arm"]
    build += thousands * m["index_write_units_per_1000"] * p["dynamodb_write_unit"]
    sweep = m["sweeper_seconds"] * a["cpu_factor"] * SWEEPER_GB * p["lambda_gb_second_arm"]
    return builds * build + FIVE_MINUTES * sweep + (looks + FIVE_MINUTES) * p["lambda_request"]


def _watching(basis: Basis) -> float:
    resources = parse_yaml((PROJECT / "template.yaml").read_text())["Resources"].values()
    kinds = [resource["Type"] for resource in resources]
    secrets = kinds.count("AWS::SecretsManager::Secret") + 1  # and the one that RDS makes
    p = basis.prices
    return (
        kinds.count("AWS::CloudWatch::Alarm") * p["alarm_month"]
        + len(Measure) * p["metric_month"]
        + secrets * p["secret_month"]
    )


def capacity_for(submissions: int, basis: Basis) -> float:
    """Aurora units on average: the processor time that the load takes, over what a unit has to give."""
    m, a = basis.measured, basis.assumed
    vcpus = submissions / SECONDS * m["postgres_cpu_seconds"] * a["cpu_factor"] / a["database_load"]
    return max(MINIMUM_ACUS, vcpus / a["vcpu_per_acu"])


def changes() -> dict[str, Installation]:
    usual = Installation()
    return {
        "batch size 1": replace(usual, batch_size=1),
        "batch size 5": replace(usual, batch_size=5),
        "consumer with 3.5 GB": replace(usual, consumer_gb=3.5),
        "consumer with 1 GB": replace(usual, consumer_gb=1.0),
        "every skill to tier 2": replace(usual, tier2_share=1.0),
        "no tier 2": replace(usual, tier2_share=0.0),
        "Aurora of 4 units at rest": replace(usual, aurora_acus=4),
        "index every 30 minutes": replace(usual, index_minutes=30),
    }


def report(basis: Basis) -> str:
    bills = [monthly(number, basis, Installation()) for number in VOLUMES]
    totals = [sum(bill.values()) for bill in bills]
    lines = ["US dollars a month", "", f"{'submissions a month':<28}" + "".join(f"{number:>14,}" for number in VOLUMES)]
    lines += [f"{part:<28}" + "".join(f"{bill[part]:>14,.2f}" for bill in bills) for part in bills[0]]
    lines.append(f"{'total':<28}" + "".join(f"{total:>14,.2f}" for total in totals))
    per_thousand = [total / number * 1000 for total, number in zip(totals, VOLUMES, strict=True)]
    lines.append(f"{'a thousand submissions':<28}" + "".join(f"{each:>14,.2f}" for each in per_thousand))
    lines += ["", "What dominates:"]
    for number, bill, total in zip(VOLUMES, bills, totals, strict=True):
        first = sorted(bill, key=bill.__getitem__, reverse=True)[:3]
        lines.append(f"  {number:>9,}  " + ", ".join(f"{part} {bill[part] / total:.0%}" for part in first))
    lines += [
        "",
        "One setting changed at a time, and what that adds:",
        f"{'':<28}" + "".join(f"{n:>14,}" for n in VOLUMES),
    ]
    for label, setup in changes().items():
        added = [sum(monthly(n, basis, setup).values()) - total for n, total in zip(VOLUMES, totals, strict=True)]
        lines.append(f"  {label:<26}" + "".join(f"{each:>+14,.2f}" for each in added))
    lines.append("  concurrency changes how long people wait, not what it costs (`make simulate`)")
    return "\n".join([*lines, "", str(basis)])


def main() -> None:
    argparse.ArgumentParser(prog="python -m local.capacity.cost", description=__doc__).parse_args()
    print(report(load()))


if __name__ == "__main__":
    main()
