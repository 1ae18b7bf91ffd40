"""Two answers about a skill, kept apart: what to do with it, and how much power it has if it is used.

A skill that may do a lot is not therefore bad, and one that may do little is not therefore good.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from skillgate.domain.listing import SEED_TIER, Listing
from skillgate.domain.skill import Published

_GRAVE = frozenset({"secrets", "environment", "root", "agent settings", "start-up files", "dynamic code"})
_CLEAN_ENOUGH = 80  # under it, the rules found something serious that a judge or a person let pass


@dataclass(frozen=True)
class Advice:
    """`word` is one of pass, review, warn, blocked, pending, error."""

    word: str
    tone: str
    label: str
    sentence: str


@dataclass(frozen=True)
class Power:
    level: str
    tone: str
    label: str
    sentence: str


_PASS = Advice("pass", "good", "Pass", "Everything was read, and nothing serious was found.")
_REVIEWED = Advice("pass", "good", "Pass, reviewed", "A person looked at it and let it pass.")
_JUDGED = Advice("pass", "good", "Pass", "The judge looked at what the rules could not decide, and let it pass.")
_WARN = Advice("warn", "warn", "Warn", "It was let pass, but read the findings before you use it.")
_REVIEW = Advice("review", "warn", "Review", "It cannot be installed until a person has looked at it.")
_BLOCKED = Advice("blocked", "bad", "Blocked", "Do not install it, and remove it where it is installed.")
_REMOVED = Advice("blocked", "idle", "Removed", "It is not listed any more.")
_PENDING = Advice("pending", "wait", "Not scanned yet", "It is known, but was not scanned here. Read it first.")
_ERROR = Advice("error", "warn", "Unknown", "Its report cannot be read right now. That says nothing about the skill.")


def advice_on(skill: Published | Listing) -> Advice:
    """What to do. It rests on what lists have too, so that no two pages say different things of one skill."""
    match skill.status:
        case "blocked":
            return _BLOCKED
        case "removed":
            return _REMOVED
        case "quarantined":
            return _REVIEW
    if skill.cert_tier == SEED_TIER:
        return _PENDING
    if isinstance(skill, Published) and not skill.report:
        return _ERROR
    if skill.cert_method != "tier1" and skill.cert_score < _CLEAN_ENOUGH:
        return _WARN
    return {"review": _REVIEWED, "tier2": _JUDGED}.get(skill.cert_method, _PASS)


def power_of(observed: Collection[str], *, has_scripts: bool) -> Power:
    """How much a skill can do, by what its files were seen to do."""
    seen = set(observed)
    if seen & _GRAVE:
        named = ", ".join(sorted(seen & _GRAVE))
        return Power("high", "warn", "A lot", f"It touches what matters: {named}.")
    if seen:
        return Power("medium", "wait", "Some", f"It uses {', '.join(sorted(seen))}.")
    if has_scripts:
        return Power("medium", "wait", "Some", "It brings scripts, which were seen to do nothing out of the ordinary.")
    return Power("low", "good", "Little", "It is text that an agent reads; it brings nothing that runs.")


@dataclass(frozen=True)
class Capability:
    name: str
    declared: bool
    observed: bool


def compared(capabilities: Mapping[str, Sequence[str]]) -> list[Capability]:
    """What was declared beside what was seen; the two are worded differently, so only the seen ones are matched."""
    declared, observed = capabilities.get("declared", ()), capabilities.get("observed", ())
    lowered = {name.lower() for name in declared}
    rows = [Capability(name, name.lower() in lowered, True) for name in observed]
    names = {name.lower() for name in observed}
    return rows + [Capability(name, True, False) for name in declared if name.lower() not in names]
