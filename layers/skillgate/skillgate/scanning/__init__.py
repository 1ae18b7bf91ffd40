"""Tier 1: one engine over rules that are data.

What is offered here is imported when it is first asked for: who reads a front matter or a score needs no parsers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "engine": ("ENGINE_VERSION", "scan"),
    "judge": ("FAILING_SCORE", "FAST_APPROVE_SCORE", "decide", "score"),
    "limits": ("DEFAULT_LIMITS", "Limits"),
    "rules": ("RULES", "RULES_VERSION"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
