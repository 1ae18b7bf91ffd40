"""Attacks through what is fetched: nothing but github.com is ever asked, whatever a URL, path or redirect says."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator

import httpx
import pytest
from skillgate.adapters.github.requests import Requests
from skillgate.domain.errors import SourceUnavailable

from tests.support.backends import Servers, World, world
from tests.support.browser import KEY, Browser
from tests.support.queue import drain

SSRF = {
    "userinfo": "https://github.com@169.254.169.254/latest/meta-data",
    "userinfo that looks like a path": "https://github.com%2Facme@evil.example/x",
    "credentials": "https://user:pass@github.com/acme/tools",
    "encoded host": "https://%67ithub.com/acme/tools",
    "encoded slash": "https://github.com%2f@evil.example/acme/tools",
    "encoded climb": "https://github.com/acme/%2e%2e",
    "backslash": "https://github.com\\@evil.example/acme/tools",
    "IPv4": "https://127.0.0.1/acme/tools",
    "decimal IPv4": "https://2130706433/acme/tools",
    "IPv6": "https://[::1]/acme/tools",
    "mapped IPv6": "https://[::ffff:169.254.169.254]/acme/tools",
    "port": "https://github.com:8080/acme/tools",
    "subdomain": "https://github.com.evil.example/acme/tools",
    "look-alike": "https://gıthub.com/acme/tools",
    "rebinding name": "https://7f000001.c0a80001.rbndr.us/acme/tools",
    "plain http": "http://github.com/acme/tools",
    "file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:6379/_x",
    "query": "https://github.com/acme/tools?x=https://evil.example",
    "fragment": "https://github.com/acme/tools#@evil.example/",
    "line break": "https://github.com/acme/tools\r\nHost: evil.example",
    "dots": "https://github.com/../..",
    "another forge": "https://gitlab.com/acme/tools",
}


@pytest.fixture(scope="module")
def one(servers: Servers) -> Iterator[World]:
    """For tests that leave nothing behind."""
    with world(servers, limit_submissions=1000, limit_bulk=1000) as made:
        yield made


@pytest.mark.parametrize("url", SSRF.values(), ids=SSRF)
def test_ssrf_in_repo_url(one: World, url: str) -> None:
    one.github.clear_requests()
    browser = Browser(one)
    assert browser.post("/api/v1/submissions", {"repoUrl": url}).status == 400
    assert browser.get("/api/v1/submissions?" + str(httpx.QueryParams(repoUrl=url))).status == 400
    bulk = browser.post("/api/v1/submissions/bulk", {"repoUrls": [url]})
    assert bulk.status == 200 and bulk.json["created"] == 0 and bulk.json["errors"][0]["code"] == "invalid_repo_url"
    items = [{"repoUrl": url, "skillName": "a skill"}]
    enqueued = browser.post("/api/v1/admin/queue/bulk-enqueue", items, headers=KEY).json
    assert enqueued["enqueued"] == 0 and len(enqueued["errors"]) == 1
    assert one.queued_ids() == [] and one.github.requests() == []


def streamed(status: int, headers: dict[str, str], body: bytes = b"") -> httpx.Response:
    return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))


def reader(answer: Callable[[httpx.Request], httpx.Response]) -> tuple[Requests, list[str]]:
    """The product's way to ask, over a network that is a function; and every address that was asked."""
    asked: list[str] = []

    def served(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return answer(request)

    client = httpx.Client(transport=httpx.MockTransport(served), follow_redirects=False)
    return Requests(client, sleep=lambda _: None), asked


@pytest.mark.parametrize(
    "location",
    [
        *("http://169.254.169.254/latest/meta-data/", "https://evil.example/", "//evil.example/", "http://[::1]:9/"),
        *("https://api.github.com@evil.example/", "https://user:pass@api.github.com/x", "https://api.github.com:444/"),
        *(
            "http://api.github.com/",
            "file:///etc/passwd",
            "https://api.github.com.evil.example/",
            "gopher://127.0.0.1/",
        ),
    ],
)
@pytest.mark.parametrize("status", [302, 303, 307])
def test_ssrf_by_redirect(location: str, status: int) -> None:
    """A redirect may lead to an origin that the caller named, and to no other; the token never leaves for one."""
    requests, asked = reader(lambda _: streamed(status, {"location": location}))
    with pytest.raises(SourceUnavailable):
        requests.get("https://api.github.com/repos/a/b/tarball/x", token="t", limit=1000)
    assert asked == ["https://api.github.com/repos/a/b/tarball/x"]


def test_redirects_in_circles() -> None:
    requests, asked = reader(lambda request: streamed(302, {"location": str(request.url)}))
    with pytest.raises(SourceUnavailable):
        requests.get("https://api.github.com/x", token=None, limit=1000)
    assert len(asked) < 10


def test_dns_rebinding_has_no_name_to_rebind(real: World) -> None:
    """No host ever comes from outside: each request goes to one of the configured addresses."""
    real.github.put_repository(
        "acme", "tools", {"SKILL.md": "---\nname: x\ndescription: y\n---\nSee https://evil.example/x\n"}
    )
    Browser(real).post("/api/v1/submissions", {"repoUrl": "https://github.com/acme/tools"})
    drain(real)
    assert {record.path.split("/")[1] for record in real.github.requests()} <= {"repos", "raw", "codeload"}


TRAVERSAL = {
    "climb": "../../../etc/passwd",
    "climb inside": "skills/../../secret",
    "encoded": "..%2f..%2fetc/passwd",
    "double encoded": "..%252f..%252fetc",
    "backslash": "..\\..\\windows",
    "NUL": "skills/a\u0000.md",
    "line break": "skills/a\r\nX: y",
    "dot": "./skills/a",
    "empty part": "skills//a",
}


@pytest.mark.parametrize("path", TRAVERSAL.values(), ids=TRAVERSAL)
def test_path_traversal_in_skill_path(real: World, path: str) -> None:
    """Refused at the door, or a name like any other that is not found within the repository."""
    real.github.put_repository("acme", "tools", {"SKILL.md": "---\nname: x\ndescription: y\n---\n"})
    real.github.put_repository("acme", "secret", {"SKILL.md": "---\nname: secret\ndescription: y\n---\n"})
    browser = Browser(real)
    answer = browser.post("/api/v1/submissions", {"repoUrl": "https://github.com/acme/tools", "skillPath": path})
    if answer.status == 400:
        assert real.queued_ids() == []
        return
    assert "%" in path, "only a percent sign, which is a character like others, gets past the door"
    drain(real)
    assert browser.get(f"/api/v1/submissions/{answer.json['id']}").json["reasonCode"] == "no_skill_md"
    assert all("/acme/secret" not in record.path for record in real.github.requests())


# --- bombs --------------------------------------------------------------------------------------------------------


def test_decompression_bomb_in_an_answer() -> None:
    """A gzip body of 64 MB of zeros in 64 KB stops at the limit."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(64)), packer.flush()])
    requests, _ = reader(lambda _: streamed(200, {"content-encoding": "gzip"}, bomb))
    answer = requests.get("https://raw.githubusercontent.com/a", token=None, limit=1000)
    assert answer.cut and len(answer.body) == 1000


def test_decompression_bomb_in_a_skill(real: World) -> None:
    """An archive inside the skill that unpacks to far more than it is: read to a limit, and never waved through."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("zeros")
        entry.size = 50_000_000
        archive.addfile(entry, io.BytesIO(bytes(entry.size)))
    nested = gzip.compress(gzip.compress(packed.getvalue()))
    skill = "---\nname: bomb\ndescription: Reads PDF files and says what is in them.\n---\n# PDF\n"
    real.github.put_repository("acme", "bomb", {"SKILL.md": skill, "data.tar.gz": packed.getvalue(), "data.gz": nested})
    browser = Browser(real)
    id_ = browser.post("/api/v1/submissions", {"repoUrl": "https://github.com/acme/bomb"}).json["id"]
    drain(real)
    story = browser.get(f"/api/v1/submissions/{id_}").json
    assert story["state"] in ("NEEDS_REVIEW", "TIER1_FAILED", "REJECTED")
    assert not story["scans"][0]["report"]["coverage"]["complete"]
