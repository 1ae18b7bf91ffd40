"""GitHub's primary rate limits: a budget per caller and resource that comes back all at once when its window ends."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

HOUR = 3600
MINUTE = 60
WINDOW_SECONDS = {"core": HOUR, "search": MINUTE, "code_search": MINUTE}


@dataclass(frozen=True)
class Limits:
    """Requests per window; the defaults are GitHub's own."""

    core: int = 5_000
    core_anonymous: int = 60
    search: int = 30
    search_anonymous: int = 10
    code_search: int = 10

    @classmethod
    def generous(cls) -> "Limits":
        """For the local stack, where a demonstration must not run dry."""
        return cls(**{field.name: 1_000_000 for field in fields(cls)})

    def of(self, resource: str, *, anonymous: bool) -> int:
        limits = {
            "core": self.core_anonymous if anonymous else self.core,
            "search": self.search_anonymous if anonymous else self.search,
            "code_search": self.code_search,
        }
        return limits[resource]


@dataclass(frozen=True)
class Caller:
    """Whose budget a request comes from: the token's, or without one the address's."""

    token: str | None
    address: str

    @property
    def budget(self) -> str:
        return f"address {self.address}" if self.token is None else f"token {self.token}"


@dataclass(frozen=True)
class Window:
    resource: str
    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Used": str(self.used),
            "X-RateLimit-Reset": str(self.reset),
            "X-RateLimit-Resource": self.resource,
        }

    def to_json(self) -> dict[str, int]:
        return {"limit": self.limit, "used": self.used, "remaining": self.remaining, "reset": self.reset}


class RateLimits:
    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._windows: dict[tuple[str, str], tuple[int, int]] = {}
        self._lock = threading.Lock()

    def look(self, caller: Caller, resource: str) -> Window:
        with self._lock:
            return self._window(caller, resource)

    def as_if_used_up(self, caller: Caller, resource: str, seconds: float) -> Window:
        """What the caller would see with nothing left for some seconds."""
        window = self.look(caller, resource)
        return replace(window, used=window.limit, reset=int(self._clock() + seconds))

    def take(self, caller: Caller, resource: str) -> tuple[Window, bool]:
        """Spend one request if there is one left; says whether there was."""
        with self._lock:
            window = self._window(caller, resource)
            if window.remaining == 0:
                return window, False
            return self._spend(caller, window, 1), True

    def give_back(self, caller: Caller, resource: str) -> Window:
        with self._lock:
            return self._spend(caller, self._window(caller, resource), -1)

    def _window(self, caller: Caller, resource: str) -> Window:
        now = int(self._clock())
        used, reset = self._windows.get((caller.budget, resource), (0, 0))
        if now >= reset:
            used, reset = 0, now + WINDOW_SECONDS[resource]
        limit = self._limits.of(resource, anonymous=caller.token is None)
        return Window(resource, limit, used, reset)

    def _spend(self, caller: Caller, window: Window, requests: int) -> Window:
        used = max(0, window.used + requests)
        self._windows[caller.budget, window.resource] = (used, window.reset)
        return replace(window, used=used)
