"""The rules, as data. A change of any of them changes RULES_VERSION, from which rescans are scheduled."""

from __future__ import annotations

from skillgate.scanning.rules.concealment import CONCEALMENT_RULES
from skillgate.scanning.rules.hijacking import HIJACKING_RULES
from skillgate.scanning.rules.lures import LURE_RULES
from skillgate.scanning.rules.model import Join, Rule
from skillgate.scanning.rules.orders import ORDER_RULES
from skillgate.scanning.rules.package import PACKAGE_RULES
from skillgate.scanning.rules.strangers import STRANGER_RULES
from skillgate.scanning.rules.tampering import TAMPERING_RULES
from skillgate.scanning.rules.theft import THEFT_RULES

RULES: tuple[Rule, ...] = (
    *HIJACKING_RULES,
    *CONCEALMENT_RULES,
    *LURE_RULES,
    *ORDER_RULES,
    *THEFT_RULES,
    *STRANGER_RULES,
    *TAMPERING_RULES,
    *PACKAGE_RULES,
)
RULES_VERSION = "2026.11.4"

__all__ = ["RULES", "RULES_VERSION", "Join", "Rule"]
