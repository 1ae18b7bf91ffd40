"""Failures on order: rules that make the stand-in slow, wrong, exhausted or absent for the requests they match."""

import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

FaultKind = Literal[
    "latency",
    "status",
    "rate_limit_429",
    "rate_limit_403",
    "secondary_403",
    "truncated",
    "truncated_tree",
    "gone",
    "reset",
    "dead_token",
]


class FaultRule(BaseModel):
    """`match` is searched for in "METHOD /path" and in "METHOD /path?query". Latency adds to what other rules do;
    of the other kinds the first that matches decides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    match: str = ""
    kind: FaultKind
    seconds: float = Field(default=0, ge=0)
    """How long to hold a request back (latency), or until the limit resets (rate_limit_*; 0 stands for a minute)."""
    status: int = Field(default=500, ge=400, le=599)
    retry_after: int | None = Field(default=None, ge=0)
    times: int | None = Field(default=None, ge=1)
    token: str | None = None
    """Only requests that carry this token."""

    @field_validator("match")
    @classmethod
    def _compiles(cls, match: str) -> str:
        try:
            re.compile(match)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return match

    @model_validator(mode="after")
    def _names_the_dead(self) -> Self:
        if self.kind == "dead_token" and self.token is None:
            raise ValueError("a dead_token rule names the token")
        return self

    def concerns(self, method: str, path: str, query: str, token: str | None) -> bool:
        if self.token is not None and token != self.token:
            return False
        return any(re.search(self.match, f"{method} {target}") for target in (path, f"{path}?{query}"))


class Faults:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[tuple[FaultRule, int | None]] = []

    def replace(self, rules: Iterable[Mapping[str, Any]]) -> None:
        """Raises ValueError (a pydantic one) for a rule that is none, and then leaves the old rules in force."""
        validated = [FaultRule.model_validate(rule) for rule in rules]
        with self._lock:
            self._rules = [(rule, rule.times) for rule in validated]

    def take(self, method: str, path: str, query: str, token: str | None) -> list[FaultRule]:
        """The rules to apply to a request, with one use taken off each: any latencies, then at most one other."""
        with self._lock:
            chosen = []
            kept: list[tuple[FaultRule, int | None]] = []
            decided = False
            for rule, left in self._rules:
                applies = rule.concerns(method, path, query, token) and (rule.kind == "latency" or not decided)
                if applies:
                    chosen.append(rule)
                    decided = decided or rule.kind != "latency"
                    left = None if left is None else left - 1
                if left != 0:
                    kept.append((rule, left))
            self._rules = kept
        return sorted(chosen, key=lambda rule: rule.kind != "latency")
