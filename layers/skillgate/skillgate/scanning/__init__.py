"""Tier 1: one engine over rules that are data."""

from __future__ import annotations

from skillgate.scanning.engine import ENGINE_VERSION, scan
from skillgate.scanning.judge import FAILING_SCORE, FAST_APPROVE_SCORE, decide, score
from skillgate.scanning.limits import DEFAULT_LIMITS, Limits
from skillgate.scanning.rules import RULES, RULES_VERSION

__all__ = [
    "DEFAULT_LIMITS",
    "ENGINE_VERSION",
    "FAILING_SCORE",
    "FAST_APPROVE_SCORE",
    "RULES",
    "RULES_VERSION",
    "Limits",
    "decide",
    "scan",
    "score",
]
