"""How often anybody may call: counted per address or account and kind of call, in fixed windows.

With the counters' store away everything goes on uncounted: a limit protects the product and must not be what takes
it down. After a failure it is left alone for a while, so that no request waits for it in vain.
"""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from skillgate.domain.errors import RateLimited, StoreUnavailable
from skillgate.domain.principal import Principal, Scheme
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.settings import Settings

MINUTE, HOUR = 60, 3600
_LEFT_ALONE_SECONDS = 10.0


class Kind(StrEnum):
    READS = "reads"
    SUBMISSIONS = "submissions"
    BULK = "bulk"
    INSTALLS = "installs"
    SIGN_IN = "sign-in"
    WRITES = "writes"


# The first that fits. What a worker signs (webhooks) is not limited here: its signature is.
_KINDS: tuple[tuple[str, re.Pattern[str], Kind | None], ...] = tuple(
    (methods, re.compile(pattern, re.ASCII | re.DOTALL), kind)
    for methods, pattern, kind in (
        ("", r"/api/v1/webhooks/.*", None),
        ("POST", r"/api/v1/submissions/bulk", Kind.BULK),
        ("POST", r"/api/v1/submissions", Kind.SUBMISSIONS),
        ("POST", r"/api/v1/me/(skills/.*|submissions/[^/]*)/rescan", Kind.SUBMISSIONS),
        ("", r"/api/v1/(.*/)?installs?", Kind.INSTALLS),
        ("", r"/api/v1/auth/github(/.*)?", Kind.SIGN_IN),
        ("GET HEAD OPTIONS", r".*", Kind.READS),
        ("", r".*", Kind.WRITES),
    )
)


@dataclass(frozen=True)
class Allowance:
    """What is left of a window after this call."""

    limit: int
    remaining: int
    reset_seconds: int

    def headers(self) -> dict[str, str]:
        return {
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": str(self.remaining),
            "ratelimit-reset": str(self.reset_seconds),
        }


def kind_of(method: str, path: str) -> Kind | None:
    """What kind of call this is; None for one that is not limited."""
    return next(
        kind
        for methods, pattern, kind in _KINDS
        if (not methods or method in methods.split()) and pattern.fullmatch(path)
    )


def address_key(source: str) -> str:
    """Who an address counts as. One customer has a whole IPv6 /64, so that is one address."""
    try:
        address = ipaddress.ip_address(source)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)).network_address) + "/64"
    return str(address)


class Limiter:
    """Counts calls. One for each Api; all it remembers by itself is that the store was away a moment ago."""

    def __init__(self, backend: Backend, clock: Callable[[], float] = time.monotonic) -> None:
        self._backend = backend
        self._clock = clock
        self._leave_alone_until = 0.0

    def charge(self, kind: Kind | None, principal: Principal | None, source: str) -> Allowance | None:
        """Counts one call; None where nothing is counted. Raises RateLimited for one too many."""
        if kind is None or (principal is not None and principal.scheme is Scheme.INTERNAL_KEY):
            return None
        if self._clock() < self._leave_alone_until:
            return None
        limit, seconds = _budget(self._backend.settings, kind, signed_in=principal is not None)
        now = self._backend.now()
        end = _window_end(now, seconds)
        who = f"account:{principal.account_id}" if principal else f"address:{address_key(source)}"
        try:
            count = self._backend.counters.add(
                f"{kind}#{who}#{int(end.timestamp())}", expires_at=end + timedelta(seconds=seconds)
            )
        except StoreUnavailable as error:
            self._leave_alone_until = self._clock() + _LEFT_ALONE_SECONDS
            logger.warning("calls_not_counted", kind=kind, error=error.message)
            return None
        left = max(1, int((end - now).total_seconds()))
        if count > limit:
            each = "minute" if seconds == MINUTE else "hour"
            raise RateLimited(f"That was one too many: {limit} {kind} each {each}.", retry_after=left, limit=limit)
        return Allowance(limit, limit - count, left)


def _budget(settings: Settings, kind: Kind, *, signed_in: bool) -> tuple[int, int]:
    submissions = settings.limit_submissions_signed_in if signed_in else settings.limit_submissions
    return {
        Kind.READS: (settings.limit_reads, MINUTE),
        Kind.SUBMISSIONS: (submissions, HOUR),
        Kind.BULK: (settings.limit_bulk, HOUR),
        Kind.INSTALLS: (settings.limit_installs, HOUR),
        Kind.SIGN_IN: (settings.limit_sign_in, HOUR),
        Kind.WRITES: (settings.limit_writes, HOUR),
    }[kind]


def _window_end(now: datetime, seconds: int) -> datetime:
    return datetime.fromtimestamp((int(now.timestamp()) // seconds + 1) * seconds, UTC)
