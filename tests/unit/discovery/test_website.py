"""Sites that are not GitHub: which addresses are reached, and which never."""

from __future__ import annotations

import httpx
import pytest
from skillgate.adapters.discovery.website import PublicTransport, Website
from skillgate.domain.errors import InvalidInput, PermanentFailure


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com",
        "ftp://example.com",
        "https://",
        "example.com",
        "https://user:pass@example.com",
        "https://example.com/?next=1",
        "http://127.0.0.1:9",
        "https://[::1",
    ],
)
def test_an_address_that_is_not_plain_https_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput):
        Website(address)


@pytest.mark.parametrize(
    "resolved",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["172.16.3.4"],
        ["192.168.1.1"],
        ["169.254.169.254"],
        ["100.64.0.1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
        ["255.255.255.255"],
        ["93.184.216.34", "10.0.0.7"],
    ],
)
def test_a_name_that_leads_inside_is_refused_before_anything_is_connected(resolved: list[str]) -> None:
    with (
        Website("https://skills.example", resolve=lambda host: resolved) as site,
        pytest.raises(PermanentFailure) as refused,
    ):
        site.json("/index.json")
    assert refused.value.code == "address_refused"


def test_the_connection_goes_to_the_address_that_was_checked_with_the_name_for_tls() -> None:
    seen: list[httpx.Request] = []
    asked: list[str] = []

    class Inner(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return httpx.Response(200, json={})

    def resolve(host: str) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"]

    transport = PublicTransport(allow_loopback=False, resolve=resolve, inner=Inner())
    with httpx.Client(transport=transport) as client:
        client.get("https://skills.example/index.json")
    [request] = seen
    assert request.url.host == "93.184.216.34" and request.headers["host"] == "skills.example"
    assert request.extensions["sni_hostname"] == "skills.example" and asked == ["skills.example"]


def test_loopback_is_only_reached_where_it_is_allowed() -> None:
    with pytest.raises(InvalidInput):
        Website("http://127.0.0.1:9", allow_loopback=False)
    with Website("https://127.0.0.1:9", allow_loopback=False) as site, pytest.raises(PermanentFailure):
        site.json("/")
