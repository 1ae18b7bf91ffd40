"""The stand-in as one object, for the command line and for tests in the same process."""

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from local.github.application import Application
from local.github.catalogue import Catalogue
from local.github.control import PREFIX, Control
from local.github.faults import Faults
from local.github.metadata import Metadata
from local.github.oauth import SignIn
from local.github.rate_limits import Limits, RateLimits
from local.github.request_log import RequestLog, RequestRecord
from local.servers.http_server import Request, Response, StandIn

GITHUB_LIMITS = Limits()


class GitHubStandIn(StandIn):
    """Serves a folder of repositories as GitHub would, and more that are put into it while it runs.

    GITHUB_API_URL points to it. Without a `state` folder, what was put into it is forgotten.
    """

    def __init__(
        self,
        repositories: Path | None = None,
        port: int = 0,
        *,
        state: Path | None = None,
        limits: Limits = GITHUB_LIMITS,
        clock: Callable[[], float] = time.time,
        pause: Callable[[float], None] | None = None,
    ) -> None:
        """`clock` and `pause` are for tests: what time rate limits and the log go by, and how a latency is spent."""
        super().__init__(port)
        self._catalogue = Catalogue(repositories, state)
        self._faults = Faults()
        self._log = RequestLog()
        self.sign_in = SignIn()
        self._control = Control(self._catalogue, self._faults, self._log)
        rate_limits = RateLimits(limits, clock)
        self._application = Application(
            self._catalogue, self._faults, rate_limits, self._log, pause or self._server.pause, clock
        )

    @property
    def raw_url(self) -> str:
        """What GITHUB_RAW_URL points to."""
        return f"{self.url}/raw"

    def put_repository(
        self, owner: str, name: str, files: Mapping[str, str | bytes], metadata: Mapping[str, Any] | None = None
    ) -> str | None:
        """Create a repository or push to it, and return its head commit's id (None while it is empty)."""
        contents = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
        head = self._catalogue.push(owner, name, contents, Metadata.model_validate(metadata or {})).head
        return head.sha if head else None

    def remove_repository(self, owner: str, name: str) -> bool:
        return self._catalogue.remove(owner, name)

    def set_faults(self, rules: Iterable[Mapping[str, Any]]) -> None:
        self._faults.replace(rules)

    def clear_faults(self) -> None:
        self._faults.replace([])

    def requests(self) -> list[RequestRecord]:
        return self._log.records()

    def clear_requests(self) -> None:
        self._log.clear()

    def _answer(self, request: Request) -> Response:
        if self.sign_in.handles(request.path):
            return self.sign_in.answer(request)
        part = self._control if request.path.startswith(PREFIX) else self._application
        return part.answer(request)
