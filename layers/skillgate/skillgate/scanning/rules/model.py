"""What a rule is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from skillgate.domain.verdict import Severity

Example: TypeAlias = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Join:
    """Facts that together make a concern. The finding is placed at the first one.

    `within`: sentence, near (a few lines or sentences), section, file or skill.
    `none_of`: kinds of facts whose presence in the same sentence or line takes the concern away.
    """

    all_of: tuple[str, ...]
    within: str = "near"
    none_of: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """`hits` and `misses` are examples: a text is the body of a SKILL.md, a mapping is files by path.

    `steady` rules keep their severity where the text around them explains attacks.
    """

    id: str
    category: str
    severity: Severity
    message: str
    why: str
    fix: str
    owasp: str
    when: tuple[Join, ...]
    hits: tuple[Example, ...]
    misses: tuple[Example, ...]
    confidence: float = 0.9
    steady: bool = False


def on(*kinds: str, within: str = "near", none_of: tuple[str, ...] = (), hidden: bool = False) -> Join:
    return Join(kinds, within, none_of, hidden)


def each(*kinds: str) -> tuple[Join, ...]:
    """Any one of these facts alone."""
    return tuple(Join((kind,), "sentence") for kind in kinds)
