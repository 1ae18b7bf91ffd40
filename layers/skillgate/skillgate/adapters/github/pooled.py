"""Requests whose token comes from a pool: a limit or a refusal costs a token its turn, never the request."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

import httpx

from skillgate.adapters.github.requests import Answer, LimitReached, Requests
from skillgate.adapters.github.tokens import Token, TokenPool
from skillgate.domain.errors import NotConfigured

CODE_SEARCH, SEARCH, CORE = "code_search", "search", "core"


class PooledRequests(Requests):
    """Drop-in for `Requests`; the token that callers pass is not used. Raises NoTokenLeft when the pool does."""

    def __init__(
        self,
        client: httpx.Client,
        pool: TokenPool,
        *,
        sleep: Callable[[float], None] = time.sleep,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(client, sleep=sleep, wall_clock=wall_clock, patience=0)
        self.pool = pool

    def get(
        self,
        url: str,
        *,
        token: str | None = None,
        limit: int,
        accept: str = "*/*",
        keep: bool = False,
        immutable: bool = False,
        also_to: Collection[str] = (),
    ) -> Answer:
        resource = resource_of(url)
        while True:
            with self.pool.lend(resource) as lent:
                try:
                    answer = super().get(
                        url,
                        token=lent.text,
                        limit=limit,
                        accept=accept,
                        keep=keep,
                        immutable=immutable,
                        also_to=also_to,
                    )
                except LimitReached as reached:
                    self.pool.rest(lent, resource, reached.wait, whole_token=not reached.exhausted)
                    continue
                if answer.status == 401:
                    self._refused(lent)
                    continue
                self.pool.learn(lent, resource, answer.headers)
                return answer

    def _refused(self, lent: Token) -> None:
        if lent.text is None:
            raise NotConfigured("GitHub answers this only with a token, and GITHUB_TOKENS has none.")
        self.pool.retire(lent)


def resource_of(url: str) -> str:
    """Which of a token's budgets a request is paid from."""
    path = httpx.URL(url).path
    if path.endswith("/search/code"):
        return CODE_SEARCH
    return SEARCH if path.endswith("/search/repositories") else CORE
