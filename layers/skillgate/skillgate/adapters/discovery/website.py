"""Reading JSON from one configured site that is not GitHub, as if it were out to get us.

Only https, only the site's own origin, only addresses of the public internet, little of it and not for long. The name
is resolved once and the connection goes to the address that was checked, so that a second answer of the DNS cannot
lead elsewhere. Tests may allow http on 127.0.0.1.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from ipaddress import IPv4Address
from types import TracebackType
from typing import Any, Self

import httpx

from skillgate.adapters.github.requests import Requests
from skillgate.domain.errors import InvalidInput, NotFound, PermanentFailure, SourceUnavailable

MAX_BYTES = 4_000_000
LOOPBACK = "127.0.0.1"

Resolve = Callable[[str], list[str]]


def resolve(host: str) -> list[str]:
    """The IPv4 addresses of a host. Raises OSError."""
    found = socket.getaddrinfo(host, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
    return [str(address[4][0]) for address in found]


class PublicTransport(httpx.BaseTransport):
    """Connects to public addresses only. Raises PermanentFailure for any other."""

    def __init__(
        self, *, allow_loopback: bool, resolve: Resolve = resolve, inner: httpx.BaseTransport | None = None
    ) -> None:
        self._allow_loopback = allow_loopback
        self._resolve = resolve
        self._inner = inner or httpx.HTTPTransport(trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=self._checked_address(host))
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()

    def _checked_address(self, host: str) -> str:
        if host == LOOPBACK and self._allow_loopback:
            return host
        try:
            addresses = [IPv4Address(address) for address in self._resolve(host)]
        except (OSError, ValueError) as error:
            raise httpx.ConnectError(f"{host} has no address") from error
        if not addresses or not all(address.is_global and not address.is_multicast for address in addresses):
            raise PermanentFailure(f"{host} is not an address on the public internet.", code="address_refused")
        return str(addresses[0])


class Website:
    """One site. As a context manager its connections are closed in the end."""

    def __init__(self, address: str, *, allow_loopback: bool = False, resolve: Resolve = resolve) -> None:
        """Raises InvalidInput for an address that is not https, or has more to it than host, port and path."""
        self._url = _checked(address, allow_loopback)
        # One transport for one site: a connection that was made for one name never carries another's requests.
        self._client = httpx.Client(
            transport=PublicTransport(allow_loopback=allow_loopback, resolve=resolve),
            headers={"User-Agent": "skillgate"},
            trust_env=False,
        )
        self._requests = Requests(self._client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def json(self, path: str) -> Any:
        """Raises NotFound, SourceUnavailable where waiting may help, and PermanentFailure where it cannot."""
        site = httpx.URL(self._url).host
        try:
            answer = self._requests.get(f"{self._url}{path}", token=None, limit=MAX_BYTES, accept="application/json")
            if answer.status in (404, 410):
                raise NotFound(f"{site} has no {path}.")
            if answer.cut:
                raise PermanentFailure(f"{site} answered with more than {MAX_BYTES:,} bytes.", code="answer_too_large")
            if answer.status != 200:
                raise SourceUnavailable(f"{site} answered {answer.status}.", retry_after=60)
            return answer.json()
        except SourceUnavailable as error:
            raise SourceUnavailable(f"{site} could not be read.", retry_after=error.retry_after) from error


def _checked(address: str, allow_loopback: bool) -> str:
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, ValueError):
        url = httpx.URL("")
    local = allow_loopback and url.scheme == "http" and url.host == LOOPBACK
    if not (url.scheme == "https" or local) or not url.host or url.userinfo or url.query or url.fragment:
        raise InvalidInput(f"{address[:200]} is not an https address of a site.", code="invalid_address")
    return str(url).rstrip("/")
