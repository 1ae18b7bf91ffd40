"""Several GitHub tokens as one: every request goes out with the one that has most left, and none before its time.

What is known of a token comes from GitHub's own headers, kept apart for each resource (core, search, code search). Of
what nothing is known yet, one request goes ahead and finds out. A token that GitHub refuses is retired for as long as
the pool lives, which is one run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from skillgate import context
from skillgate.adapters.github.requests import RESERVE_SECONDS
from skillgate.domain.discovery import TokenState
from skillgate.domain.errors import NoTokenLeft

_MARGIN_SECONDS = 1.0  # clocks differ, and GitHub's resets are whole seconds
_MOST_KNOWN = 2**31
_UNCOUNTED_SECONDS = 60


@dataclass
class _Budget:
    """What is left of one resource until it resets, and how much of that is not ours to use.

    `remaining` is None while nobody has asked.
    """

    remaining: int | None = None
    spared: int = 0
    resets_at: float = 0.0
    in_flight: int = 0

    def left(self, now: float) -> int | None:
        """How many requests we may still make; None if that is not known."""
        return None if self.remaining is None or now >= self.resets_at else max(0, self.remaining - self.spared)

    def ready_at(self, now: float) -> float:
        return self.resets_at if self.left(now) == 0 else now


@dataclass
class Token:
    """One token of the pool; `text` is None for going without one."""

    name: str
    text: str | None
    retired: bool = False
    rests_until: float = 0.0
    budgets: dict[str, _Budget] = field(default_factory=dict)

    @property
    def in_flight(self) -> int:
        return sum(budget.in_flight for budget in self.budgets.values())

    def budget(self, resource: str) -> _Budget:
        return self.budgets.setdefault(resource, _Budget())

    def ready_at(self, resource: str, now: float) -> float:
        return max(self.rests_until, self.budget(resource).ready_at(now))


class TokenPool:
    def __init__(
        self,
        tokens: Sequence[str],
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        at_once: int = 16,
        longest_wait: float = 90.0,
        share: float = 1.0,
    ) -> None:
        """`at_once` is how many requests one token may have under way, `share` how much of each budget is ours."""
        named = [Token(f"token {number}", text) for number, text in enumerate(dict.fromkeys(tokens), start=1)]
        self._tokens = named or [Token("no token", None)]
        self._clock = clock
        self._sleep = sleep
        self._at_once = at_once
        self._longest_wait = longest_wait
        self._share = share
        self._changed = threading.Condition()

    @contextmanager
    def lend(self, resource: str) -> Iterator[Token]:
        """A token that may be used for one request now. Waits for one if that is worth it.

        Raises NoTokenLeft if all are retired, or none is ready before the longest wait or the record's time is over.
        """
        token = self._take(resource)
        try:
            yield token
        finally:
            with self._changed:
                token.budget(resource).in_flight -= 1
                self._changed.notify_all()

    def learn(self, token: Token, resource: str, headers: Mapping[str, str]) -> None:
        """What an answer says of the token's budget. Answers arrive in any order, so the lower number counts."""
        remaining, reset = _whole(headers.get("x-ratelimit-remaining")), _whole(headers.get("x-ratelimit-reset"))
        if remaining is None or reset is None:  # an installation of GitHub that counts nothing
            remaining, reset = _MOST_KNOWN, int(self._clock()) + _UNCOUNTED_SECONDS
        with self._changed:
            budget, ends = token.budget(resource), reset + _MARGIN_SECONDS
            if budget.remaining is None or ends > budget.resets_at:
                # Those that are under way may not have been counted yet.
                budget.remaining = max(0, remaining - (budget.in_flight - 1))
                budget.resets_at = ends
                budget.spared = round((_whole(headers.get("x-ratelimit-limit")) or 0) * (1 - self._share))
            elif ends == budget.resets_at:
                budget.remaining = min(budget.remaining, remaining)
            self._changed.notify_all()

    def rest(self, token: Token, resource: str, seconds: float, *, whole_token: bool) -> None:
        """GitHub asked for a pause: of this resource, or of everything that the token does."""
        until = self._clock() + seconds + _MARGIN_SECONDS
        with self._changed:
            if whole_token:
                token.rests_until = max(token.rests_until, until)
            else:
                budget = token.budget(resource)
                budget.remaining, budget.resets_at = 0, max(budget.resets_at, until)
            self._changed.notify_all()

    def retire(self, token: Token) -> None:
        with self._changed:
            token.retired = True
            self._changed.notify_all()

    def states(self) -> list[TokenState]:
        """What each token has left, for the run's log."""
        now = self._clock()
        with self._changed:
            return [state for token in self._tokens for state in _states(token, now)]

    def _take(self, resource: str) -> Token:
        while True:
            with self._changed:
                now = self._clock()
                alive = [token for token in self._tokens if not token.retired]
                if not alive:
                    raise NoTokenLeft("GitHub refused every token.", retry_after=3600)
                ready = [token for token in alive if token.ready_at(resource, now) <= now]
                free = [token for token in ready if self._is_free(token, resource, now)]
                if free:
                    return self._chosen(free, resource, now)
                if ready:  # all of them busy: whoever gives one back says so
                    self._changed.wait(timeout=1.0)
                    continue
                wait = min(token.ready_at(resource, now) for token in alive) - now
            self._wait(wait)

    def _is_free(self, token: Token, resource: str, now: float) -> bool:
        budget = token.budget(resource)
        known = budget.left(now) is not None
        return token.in_flight < self._at_once if known else budget.in_flight == 0

    def _chosen(self, free: Sequence[Token], resource: str, now: float) -> Token:
        """The one with most left; of equals the one that resets first."""

        def worth(token: Token) -> tuple[int, float, int]:
            budget = token.budget(resource)
            left = budget.left(now)
            return (_MOST_KNOWN if left is None else left, -budget.resets_at, -token.in_flight)

        token = max(free, key=worth)
        budget = token.budget(resource)
        budget.remaining = None if budget.left(now) is None or budget.remaining is None else budget.remaining - 1
        budget.in_flight += 1
        return token

    def _wait(self, seconds: float) -> None:
        environment = context.current_or_none()
        time_left = float("inf") if environment is None else environment.remaining() - RESERVE_SECONDS
        if seconds > min(self._longest_wait, time_left):
            raise NoTokenLeft("Every GitHub token is used up for now.", retry_after=max(1, round(seconds)))
        self._sleep(seconds)


def _states(token: Token, now: float) -> list[TokenState]:
    asked = {name: budget for name, budget in token.budgets.items() if budget.remaining is not None}
    if not asked:
        return [TokenState(token.name, token.retired)]
    return [
        TokenState(
            token.name,
            token.retired,
            name,
            budget.remaining if now < budget.resets_at else None,
            datetime.fromtimestamp(budget.resets_at, UTC),
        )
        for name, budget in sorted(asked.items())
    ]


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None
