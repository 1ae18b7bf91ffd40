"""`make cost`: what a month costs at a thousand, a hundred thousand and a million submissions, and what dominates."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

HERE = Path(__file__).parent
HOURS = 730
ALARMS, METRICS, SECRETS = 16, 21, 3
PROXY_MINIMUM_ACUS = 8  # what RDS Proxy bills at least


@dataclass(frozen=True)
class Installation:
    """The settings that change what a month costs."""

    batch_size: int = 10
    consumer_gb: float = 1769 / 1024
    api_gb: float = 1.0
    aurora_acus: float = 0.5
    tier2_share: float | None = None


def monthly(
    submissions: int, measured: Mapping[str, float], prices: Mapping[str, float], setup: Installation
) -> dict[str, float]:
    """Dollars by part. Records of a batch run side by side, so a smaller batch pays for more invocations of nearly the
    same length: most of it is waiting for GitHub."""
    m, p = measured, prices
    waiting = m["consumer_batch_seconds"] - 10 * m["tier1_cpu_seconds"]
    batch_seconds = waiting + setup.batch_size * m["tier1_cpu_seconds"]
    invocation = batch_seconds * setup.consumer_gb * p["lambda_gb_second_arm"] + p["lambda_request"]
    request = m["api_seconds"] * setup.api_gb * p["lambda_gb_second_arm"] + p["lambda_request"] + p["http_api_request"]
    units = m["dynamodb_writes"] * p["dynamodb_write_unit"] + m["dynamodb_reads"] * p["dynamodb_read_unit"]
    thought = (
        m["judge_tokens_in"] * p["judge_million_tokens_in"] + m["judge_tokens_out"] * p["judge_million_tokens_out"]
    )
    share = m["tier2_share"] if setup.tier2_share is None else setup.tier2_share
    database = setup.aurora_acus * p["aurora_acu_hour"] + PROXY_MINIMUM_ACUS * p["rds_proxy_acu_hour"]
    gigabytes = submissions * m["github_megabytes"] / 1000
    watching = ALARMS * p["alarm_month"] + METRICS * p["metric_month"] + SECRETS * p["secret_month"]
    return {
        "consumer": submissions / setup.batch_size * invocation,
        "HTTP API and its functions": submissions * m["api_requests"] * request,
        "SQS": submissions * m["sqs_requests"] * p["sqs_request"],
        "DynamoDB": submissions * units,
        "Aurora and RDS Proxy": HOURS * database + submissions * m["postgres_kilobytes"] / 1e6 * p["aurora_gb_month"],
        "judge": submissions * share * thought / 1e6,
        "network": HOURS * p["nat_gateway_hour"] + gigabytes * p["nat_gateway_gb"],
        "logs, metrics, alarms": submissions * m["log_kilobytes"] / 1e6 * p["logs_ingested_gb"] + watching,
    }


def capacity_for(submissions: int) -> float:
    """Aurora units that the load needs on average: half a unit carries about five submissions a second."""
    per_second = submissions / (HOURS * 3600)
    return max(0.5, round(per_second / 5 * 0.5 * 4, 1))


def main() -> None:
    argparse.ArgumentParser(prog="python -m local.capacity.cost", description=__doc__).parse_args()
    measured = yaml.safe_load((HERE / "measured.yaml").read_text())
    prices = yaml.safe_load((HERE / "prices.yaml").read_text())
    print(f"US dollars a month, prices of {prices['date']}, figures of {measured['date']}\n")
    volumes = (1_000, 100_000, 1_000_000)
    bills = [monthly(n, measured, prices, Installation(aurora_acus=capacity_for(n))) for n in volumes]
    print(f"{'':<28}" + "".join(f"{n:>14,}" for n in volumes) + "   submissions")
    for part in bills[0]:
        print(f"{part:<28}" + "".join(f"{bill[part]:>14,.2f}" for bill in bills))
    print(f"{'total':<28}" + "".join(f"{sum(bill.values()):>14,.2f}" for bill in bills))
    print(
        f"{'one submission':<28}"
        + "".join(f"{sum(b.values()) / n:>14,.5f}" for b, n in zip(bills, volumes, strict=True))
    )
    dominant = [max(bill, key=bill.__getitem__) for bill in bills]
    print(f"{'what dominates':<28}" + "".join(f"{name.split(' ')[0]:>14}" for name in dominant))
    print("\nAt a million submissions, one setting changed at a time:")
    usual = Installation(aurora_acus=capacity_for(volumes[-1]))
    base = sum(bills[-1].values())
    for label, setup in {
        "batch size 1": replace(usual, batch_size=1),
        "batch size 5": replace(usual, batch_size=5),
        "consumer with 3.5 GB": replace(usual, consumer_gb=3.5),
        "consumer with 1 GB": replace(usual, consumer_gb=1.0),
        "every skill to tier 2": replace(usual, tier2_share=1.0),
        "no tier 2": replace(usual, tier2_share=0.0),
        "Aurora of 4 units at rest": replace(usual, aurora_acus=4),
    }.items():
        total = sum(monthly(volumes[-1], measured, prices, setup).values())
        print(f"  {label:<26}{total:>14,.2f}   {total - base:+,.2f}")
    print("  concurrency changes how long people wait, not what it costs (`make simulate`)")


if __name__ == "__main__":
    main()
