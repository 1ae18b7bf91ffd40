"""Schedule expressions: when they fire next, and which are refused."""

from datetime import UTC, datetime

import pytest

from local.runner.cron import parse_expression

# A Wednesday.
NOW = datetime(2024, 5, 15, 10, 30, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("rate(1 minute)", "2024-05-15 10:31:20"),
        ("rate(5 minutes)", "2024-05-15 10:35:20"),
        ("rate(1 hour)", "2024-05-15 11:30:20"),
        ("rate(7 days)", "2024-05-22 10:30:20"),
        ("cron(* * * * ? *)", "2024-05-15 10:31:00"),
        ("cron(30 10 * * ? *)", "2024-05-16 10:30:00"),
        ("cron(0/15 * * * ? *)", "2024-05-15 10:45:00"),
        ("cron(*/20 8-9 * * ? *)", "2024-05-16 08:00:00"),
        ("cron(0 12 * * ? *)", "2024-05-15 12:00:00"),
        ("cron(15,45 10 * * ? *)", "2024-05-15 10:45:00"),
        ("cron(0 8 1 * ? *)", "2024-06-01 08:00:00"),
        ("cron(0 8 31 * ? *)", "2024-05-31 08:00:00"),
        ("cron(0 0 31 FEB,JUN,jul ? *)", "2024-07-31 00:00:00"),
        ("cron(0 0 29 2 ? *)", "2028-02-29 00:00:00"),
        ("cron(0 0 L * ? *)", "2024-05-31 00:00:00"),
        ("cron(0 0 15W 6 ? *)", "2024-06-14 00:00:00"),
        ("cron(0 0 1W 6 ? *)", "2024-06-03 00:00:00"),
        ("cron(0 0 LW 6 ? *)", "2024-06-28 00:00:00"),
        ("cron(0 18 ? * MON-FRI *)", "2024-05-15 18:00:00"),
        ("cron(0 9 ? * 1 *)", "2024-05-19 09:00:00"),
        ("cron(0 9 ? * SAT *)", "2024-05-18 09:00:00"),
        ("cron(0 9 ? * 6L *)", "2024-05-31 09:00:00"),
        ("cron(0 9 ? * 2#1 *)", "2024-06-03 09:00:00"),
        ("cron(0 9 ? * 4#5 *)", "2024-05-29 09:00:00"),
        ("cron(0 0 1 1 ? 2026)", "2026-01-01 00:00:00"),
        ("cron(0 0 1 1 ? 2025-2027)", "2025-01-01 00:00:00"),
        ("cron(0 0 1 1 ? 2020)", None),
    ],
)
def test_an_expression_fires_next_at(expression: str, expected: str | None) -> None:
    due = parse_expression(expression).next_after(NOW)
    assert (None if due is None else due.strftime("%Y-%m-%d %H:%M:%S")) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "rate(0 minutes)",
        "rate(1 minutes)",
        "rate(5 minute)",
        "rate(5 seconds)",
        "every day",
        "at(2024-01-01T00:00:00)",
        "cron(0 0 * * *)",
        "cron(0 0 * * * *)",
        "cron(0 0 ? * ? *)",
        "cron(60 0 * * ? *)",
        "cron(0 24 * * ? *)",
        "cron(0 0 32 * ? *)",
        "cron(0 0 * 13 ? *)",
        "cron(0 0 ? * 8 *)",
        "cron(0 0 ? * 2#6 *)",
        "cron(5-1 0 * * ? *)",
        "cron(*/0 0 * * ? *)",
        "cron(a 0 * * ? *)",
        "cron(0 0 * * ? 1969)",
    ],
)
def test_an_impossible_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_expression(expression)
