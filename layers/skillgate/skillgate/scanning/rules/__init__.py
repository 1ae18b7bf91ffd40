"""The rules, as data. A change of any of them changes RULES_VERSION, from which rescans are scheduled."""

from __future__ import annotations

from skillgate.scanning.rules.code import CODE_RULES
from skillgate.scanning.rules.model import Join, Rule
from skillgate.scanning.rules.package import PACKAGE_RULES
from skillgate.scanning.rules.prose import PROSE_RULES

RULES: tuple[Rule, ...] = (*PROSE_RULES, *CODE_RULES, *PACKAGE_RULES)
RULES_VERSION = "2026.11.1"

__all__ = ["RULES", "RULES_VERSION", "Join", "Rule"]
