"""One GET, made well: it carries the token it was given, keeps to the record's time, and reads no more than it may.

Retried with jitter: time-outs, broken connections, 5xx, and rate limits whose wait fits. A wait that does not fit
raises SourceUnavailable at once, with the seconds that GitHub asks for. All other answers are the caller's to read.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from skillgate import context
from skillgate.adapters.github.etags import EtagCache
from skillgate.adapters.github.limits import MAX_ERROR_BYTES
from skillgate.domain.errors import OutOfTime, SourceUnavailable
from skillgate.observability import Measure, measure_lowest

TRIES = 4
MAX_WAIT_SECONDS = 20.0  # longer waits are better spent with the record back in the queue
REQUEST_SECONDS = 30.0  # for one try, however slowly its bytes come
RESERVE_SECONDS = 5.0  # of the record's time, left to its caller for handing it back
_SECONDARY_LIMIT_SECONDS = 60  # what GitHub asks for where a secondary limit names no time
_REDIRECTS = 3
_TEMPORARY_REDIRECTS = (302, 303, 307)


def build_client(*, connections: int = 64) -> httpx.Client:
    """Keep-alive for one execution environment. Neither redirects nor the environment's proxies are followed."""
    return httpx.Client(
        http1=True,
        http2=False,
        follow_redirects=False,
        trust_env=False,
        timeout=httpx.Timeout(10, connect=5, pool=20),
        limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=60),
        headers={"User-Agent": "skillgate", "X-GitHub-Api-Version": "2022-11-28"},
    )


@dataclass(frozen=True)
class Answer:
    """`cut`: there was more than the limit, and `body` is its beginning."""

    status: int
    headers: httpx.Headers
    body: bytes
    cut: bool = False

    def json(self) -> Any:
        """Raises SourceUnavailable for what is not JSON: that is no answer of GitHub's."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise SourceUnavailable("GitHub's answer was not JSON.", retry_after=30) from error

    @property
    def message(self) -> str:
        """GitHub's own words on an error, or nothing."""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return ""
        return str(value.get("message", "")) if isinstance(value, dict) else ""


@dataclass(frozen=True)
class _Trouble:
    """Why a try was no good, and how long GitHub asks us to wait, if it does."""

    message: str
    wait: float | None = None
    limited: bool = False
    exhausted: bool = False


class LimitReached(SourceUnavailable):
    """GitHub asks for a wait. `exhausted`: one resource's budget is used up; else the whole token has to rest."""

    def __init__(self, message: str, *, wait: float, exhausted: bool) -> None:
        super().__init__(message, retry_after=max(1, round(wait)))
        self.wait = wait
        self.exhausted = exhausted


class _BrokenBody(Exception):
    """The body does not unpack, or took too long."""


class Requests:
    def __init__(
        self,
        client: httpx.Client,
        *,
        sleep: Callable[[float], None] = time.sleep,
        wall_clock: Callable[[], float] = time.time,
        reserve_seconds: float = RESERVE_SECONDS,
        patience: float = MAX_WAIT_SECONDS,
    ) -> None:
        """`patience` is the longest wait for a rate limit; who has other tokens has none."""
        self._client = client
        self._sleep = sleep
        self._wall_clock = wall_clock
        self._reserve = reserve_seconds
        self._patience = patience
        self._kept: EtagCache[Answer] = EtagCache()

    def get(
        self,
        url: str,
        *,
        token: str | None,
        limit: int,
        accept: str = "*/*",
        keep: bool = False,
        immutable: bool = False,
        also_to: Collection[str] = (),
    ) -> Answer:
        """The answer, whatever its status; a permanent redirect is one too, a temporary one is followed.

        `keep` asks conditionally if an answer was kept, `immutable` not even that. `also_to` are origins other than
        the URL's own that a redirect may lead to. Raises SourceUnavailable, and OutOfTime if no time is left to try.
        """
        key = hashlib.sha256(f"{token!r}\n{accept}\n{url}".encode()).hexdigest()
        kept = self._kept.get(key) if keep or immutable else None
        if kept and immutable:
            return kept.answer
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if kept:
            headers["If-None-Match"] = kept.etag
        answer = self._following(url, headers, limit, {_origin(httpx.URL(url)), *also_to})
        if kept and answer.status == 304:
            return kept.answer
        if (keep or immutable) and answer.status == 200 and not answer.cut and "etag" in answer.headers:
            self._kept.put(key, answer.headers["etag"], answer, len(answer.body))
        return answer

    def _following(self, url: str, headers: dict[str, str], limit: int, origins: Collection[str]) -> Answer:
        for _ in range(_REDIRECTS + 1):
            answer = self._tried(url, headers, limit)
            if answer.status not in _TEMPORARY_REDIRECTS:
                return answer
            url = redirect_target(url, answer, origins)
        raise SourceUnavailable("GitHub redirected in circles.", retry_after=60)

    def _tried(self, url: str, headers: dict[str, str], limit: int) -> Answer:
        attempt = 0
        while True:
            if (left := self._seconds_left()) <= 0:
                raise OutOfTime("Not enough time is left for: reading from GitHub.")
            outcome = self._once(url, headers, limit, left)
            if isinstance(outcome, Answer):
                trouble = self._trouble_in(outcome)
                if trouble is None:
                    return outcome
            else:
                trouble = outcome
            self._wait_or_give_up(trouble, attempt)
            attempt += 1

    def _once(self, url: str, headers: dict[str, str], limit: int, seconds: float) -> Answer | _Trouble:
        seconds = min(seconds, REQUEST_SECONDS)
        timeout = httpx.Timeout(min(seconds, 10), connect=min(seconds, 5), pool=min(seconds, 20))
        deadline = time.monotonic() + seconds
        try:
            with self._client.stream("GET", url, headers=headers, timeout=timeout) as response:
                wanted = limit if response.status_code == 200 else MAX_ERROR_BYTES
                body, cut = _read(response, wanted, deadline)
                _measure_quota(response.headers)
                return Answer(response.status_code, response.headers, body, cut)
        except httpx.TimeoutException:
            return _Trouble("GitHub did not answer in time.")
        except (httpx.TransportError, _BrokenBody, zlib.error):
            return _Trouble("The connection to GitHub broke.")

    def _trouble_in(self, answer: Answer) -> _Trouble | None:
        asked = _retry_after(answer.headers, self._wall_clock())
        if answer.status >= 500:
            return _Trouble(f"GitHub answered {answer.status}.", asked)
        exhausted = answer.headers.get("x-ratelimit-remaining") == "0"
        if answer.status == 429 or (
            answer.status == 403 and (exhausted or asked is not None or "rate limit" in answer.message.lower())
        ):
            reset = _number(answer.headers.get("x-ratelimit-reset")) if exhausted else None
            until_reset = None if reset is None else max(1.0, reset - self._wall_clock())
            wait = asked if asked is not None else until_reset
            wait = _SECONDARY_LIMIT_SECONDS if wait is None else wait
            return _Trouble(
                "GitHub's rate limit is used up.", wait, limited=True, exhausted=exhausted and asked is None
            )
        return None

    def _wait_or_give_up(self, trouble: _Trouble, attempt: int) -> None:
        backoff = random.uniform(0.5, 1.0) * 0.5 * 2**attempt  # noqa: S311 - jitter, not a secret
        wait = backoff if trouble.wait is None else trouble.wait + random.uniform(0, 0.5)  # noqa: S311 - the same
        longest = min(self._seconds_left(), self._patience if trouble.limited else MAX_WAIT_SECONDS)
        if attempt + 1 >= TRIES or wait >= longest:
            if trouble.limited:
                raise LimitReached(trouble.message, wait=trouble.wait or 0.0, exhausted=trouble.exhausted)
            raise SourceUnavailable(trouble.message, retry_after=max(1, round(trouble.wait or 30)))
        self._sleep(wait)

    def _seconds_left(self) -> float:
        environment = context.current_or_none()
        return float("inf") if environment is None else environment.remaining() - self._reserve


def _measure_quota(headers: Mapping[str, str]) -> None:
    left = _number(headers.get("x-ratelimit-remaining"))
    if left is not None and headers.get("x-ratelimit-resource", "core") == "core":
        measure_lowest(Measure.GITHUB_QUOTA_LEFT, left)


def redirect_target(url: str, answer: Answer, origins: Collection[str]) -> str:
    """Where the answer leads. Raises SourceUnavailable if that is not one of the origins."""
    try:
        target = httpx.URL(url).join(answer.headers.get("location", ""))
    except httpx.InvalidURL as error:
        raise SourceUnavailable("GitHub redirected to no address.", retry_after=60) from error
    if _origin(target) not in origins or target.userinfo:
        raise SourceUnavailable("A redirect to another host was refused.", retry_after=60)
    return str(target)


def origin_of(url: str) -> str:
    return _origin(httpx.URL(url))


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}".lower()


def _read(response: httpx.Response, limit: int, deadline: float) -> tuple[bytes, bool]:
    """At most `limit` bytes, and whether there were more. Unpacks by itself, so that a bomb stops at the limit too."""
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip"):
        raise _BrokenBody(encoding)
    unpacker = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
    body = bytearray()
    for chunk in response.iter_raw():
        if time.monotonic() > deadline:
            raise _BrokenBody("too slow")
        room = limit + 1 - len(body)
        body += unpacker.decompress(chunk, room) if unpacker else chunk[:room]
        if len(body) > limit:
            return bytes(body[:limit]), True
    if unpacker and body and not unpacker.eof:
        raise _BrokenBody("cut short")
    return bytes(body), False


def _retry_after(headers: httpx.Headers, now: float) -> float | None:
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now)


def _number(value: str | None) -> float | None:
    return float(value) if value is not None and value.isascii() and value.isdigit() and len(value) < 16 else None
