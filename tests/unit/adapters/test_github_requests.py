"""How GitHub is asked: the token on every request or on none, retries within the record's time, and no other host."""

import gzip
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, TypeVar

import httpx
import pytest
from skillgate import context
from skillgate.adapters.github import GitHub, build_client, requests
from skillgate.domain.errors import InvalidInput, OutOfTime, PermanentFailure, SourceUnavailable
from skillgate.settings import Settings

from tests.unit.adapters.fake_github import API, COMMIT, RAW, FakeGitHub, answering, as_json, streamed
from tests.unit.adapters.memory import most_memory

T = TypeVar("T")

REPO = "https://github.com/acme/tools"
FILES = {"SKILL.md": "# x", "a.md": "a"}

CALLS: dict[str, Callable[[GitHub, str | None], Any]] = {
    "resolve_commit_sha": lambda source, token: source.resolve_commit_sha("acme", "tools", "main", token),
    "fetch_repo_files": lambda source, token: source.fetch_repo_files(REPO, "SKILL.md", token),
    "fetch_raw_file": lambda source, token: source.fetch_raw_file("acme", "tools", COMMIT, "a.md", token),
    "fetch_directory_listing": lambda source, token: source.fetch_directory_listing("acme", "tools", COMMIT, "", token),
    "find_skills": lambda source, token: source.find_skills(REPO, token),
}


def within(seconds: float, call: Callable[[], T]) -> T:
    settings = Settings.model_construct()
    environment = context.Environment(settings, request_id="r", deadline=time.monotonic() + seconds)
    return context.run_with_context(environment, call)


@pytest.mark.parametrize("name", CALLS)
def test_with_a_token_every_request_carries_it(name: str) -> None:
    github = FakeGitHub(FILES)
    CALLS[name](github.source(), "secret")
    assert {request.headers.get("authorization") for request in github.requests} == {"Bearer secret"}


@pytest.mark.parametrize("name", CALLS)
def test_without_a_token_no_request_carries_one_whatever_the_environment_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "stray")
    github = FakeGitHub(FILES)
    CALLS[name](github.source(), None)
    assert github.requests and not [request for request in github.requests if "authorization" in request.headers]


def test_the_token_goes_with_a_tarball_to_codeload_and_with_the_question_after_a_new_name() -> None:
    many = {"SKILL.md": "x"} | {f"{n}.md": "y" for n in range(60)}
    github = FakeGitHub(many)
    github.source().fetch_repo_files(REPO, "SKILL.md", "secret")
    assert any(request.url.host == "codeload.github.com" for request in github.requests)
    moved = FakeGitHub({}, before=answering("/repos/acme", *[moved_to(f"{API}/repositories/9")] * 2))
    with pytest.raises(PermanentFailure):
        moved.source().fetch_repo_files(REPO, "SKILL.md", "secret")
    assert {r.headers.get("authorization") for r in github.requests + moved.requests} == {"Bearer secret"}


def moved_to(location: str, status: int = 301) -> Callable[[], httpx.Response]:
    return lambda: streamed(status, headers={"Location": location})


def test_the_same_head_asked_again_costs_only_a_304_and_no_second_listing() -> None:
    github = FakeGitHub(FILES)
    source = github.source()
    first = source.fetch_repo_files(REPO, "SKILL.md")
    github.requests.clear()
    assert source.fetch_repo_files(REPO, "SKILL.md") == first
    conditional = [request for request in github.requests if "if-none-match" in request.headers]
    assert len(conditional) == 2 and not [url for url in github.urls() if "/git/trees/" in url]


def test_what_one_token_may_see_is_not_answered_to_another() -> None:
    github = FakeGitHub(FILES)
    source = github.source()
    source.resolve_commit_sha("acme", "tools", token="one")
    source.resolve_commit_sha("acme", "tools", token="two")
    assert not [request for request in github.requests if "if-none-match" in request.headers]


@pytest.mark.parametrize(
    "trouble",
    [
        lambda: streamed(500),
        lambda: streamed(503, headers={"Retry-After": "1"}),
        lambda: as_json(429, {"message": "slow down"}, {"Retry-After": "2"}),
        lambda: as_json(
            403, {"message": "API rate limit exceeded"}, {"X-RateLimit-Remaining": "0", "Retry-After": "1"}
        ),
        lambda: as_json(403, {"message": "No."}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
        lambda: as_json(403, {"message": "You have exceeded a secondary rate limit."}, {"Retry-After": "1"}),
        lambda: streamed(200, b"\x1f\x8bnot gzip", {"Content-Encoding": "gzip"}),
        lambda: streamed(200, gzip.compress(b"x" * 9000)[:30], {"Content-Encoding": "gzip"}),
        lambda: streamed(200, b"?", {"Content-Encoding": "br"}),
    ],
)
def test_what_passes_is_tried_again(trouble: Callable[[], httpx.Response]) -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", trouble, trouble))
    assert github.source().resolve_commit_sha("acme", "tools") == COMMIT
    assert len(github.requests) == 3 and len(github.pauses) == 2


@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.ConnectError, httpx.RemoteProtocolError, httpx.PoolTimeout])
def test_broken_connections_are_tried_again(error: type[httpx.TransportError]) -> None:
    def broken() -> httpx.Response:
        raise error("broken")

    github = FakeGitHub(FILES, before=answering("/commits/", broken))
    assert github.source().resolve_commit_sha("acme", "tools") == COMMIT


def test_tries_end_and_pauses_grow_with_jitter() -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", *[lambda: streamed(502)] * 99))
    with pytest.raises(SourceUnavailable, match="502"):
        github.source().resolve_commit_sha("acme", "tools")
    assert len(github.requests) == requests.TRIES
    assert all(0.25 * 2**n <= pause <= 0.5 * 2**n for n, pause in enumerate(github.pauses))


def test_retry_after_is_obeyed_to_the_second() -> None:
    slow = answering("/commits/", lambda: streamed(429, headers={"Retry-After": "7"}))
    github = FakeGitHub(FILES, before=slow)
    github.source().resolve_commit_sha("acme", "tools")
    assert 7 <= github.pauses[0] <= 7.5


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (lambda _: {"Retry-After": "3600"}, 3600),
        (lambda now: {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(now.timestamp()) + 1800)}, 1800),
        (lambda now: {"Retry-After": format_datetime(now + timedelta(seconds=900), usegmt=True)}, 900),
        (lambda _: {}, 60),
    ],
    ids=["seconds", "reset", "date", "unsaid"],
)
def test_a_wait_that_is_too_long_is_handed_on_at_once(
    headers: Callable[[datetime], dict[str, str]], seconds: int
) -> None:
    refused = answering("/commits/", lambda: as_json(429, {}, headers(datetime.now(UTC))))
    github = FakeGitHub(FILES, before=refused)
    with pytest.raises(SourceUnavailable, match="rate limit") as caught:
        github.source().resolve_commit_sha("acme", "tools")
    assert caught.value.retry_after is not None and abs(caught.value.retry_after - seconds) < 60
    assert len(github.requests) == 1 and not github.pauses


def test_a_wait_longer_than_the_record_has_left_is_handed_on_at_once() -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", lambda: streamed(429, headers={"Retry-After": "12"})))
    with pytest.raises(SourceUnavailable) as caught:
        within(15, lambda: github.source().resolve_commit_sha("acme", "tools"))
    assert caught.value.retry_after == 12 and not github.pauses


def test_a_wait_that_the_record_has_time_for_is_waited() -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", lambda: streamed(429, headers={"Retry-After": "12"})))
    assert within(60, lambda: github.source().resolve_commit_sha("acme", "tools")) == COMMIT


def test_with_no_time_left_nothing_is_asked() -> None:
    github = FakeGitHub(FILES)
    with pytest.raises(OutOfTime):
        within(requests.RESERVE_SECONDS - 1, lambda: github.source().fetch_repo_files(REPO, "SKILL.md"))
    assert not github.requests


def test_time_outs_shrink_to_what_the_record_has_left() -> None:
    github = FakeGitHub(FILES)
    within(requests.RESERVE_SECONDS + 3, lambda: github.source().resolve_commit_sha("acme", "tools"))
    assert max(github.requests[0].extensions["timeout"].values()) <= 3


def test_after_one_file_fails_the_rest_is_not_asked_for() -> None:
    files = {"SKILL.md": "x"} | {f"{n}.md": "y" for n in range(30)}

    def limited(request: httpx.Request) -> httpx.Response | None:
        return streamed(429, headers={"Retry-After": "600"}) if request.url.host.startswith("raw") else None

    github = FakeGitHub(files, before=limited)
    with pytest.raises(SourceUnavailable):
        github.source().fetch_repo_files(REPO, "SKILL.md")
    assert len(github.requests) < 3 + 31


@pytest.mark.parametrize(
    ("location", "status"),
    [
        ("https://evil.example/repos/acme/tools", 302),
        ("https://evil.example/repositories/1", 301),
        ("http://api.github.com/repos/acme/tools", 302),
        ("https://api.github.com:8443/x", 307),
        ("https://user:pass@api.github.com/x", 302),
        ("https://codeload.github.com/x", 302),
        ("//169.254.169.254/latest", 308),
        ("http://[", 302),
    ],
)
def test_a_redirect_to_another_host_is_refused(location: str, status: int) -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", moved_to(location, status)))
    with pytest.raises(SourceUnavailable):
        github.source().resolve_commit_sha("acme", "tools", token="secret")
    assert len(github.requests) == 1


def test_a_tarball_may_come_from_codeload_and_nowhere_else() -> None:
    files = {"SKILL.md": "x"} | {f"{n}.md": "y" for n in range(60)}
    github = FakeGitHub(files, before=answering("/tarball/", moved_to("https://evil.example/x", 302)))
    with pytest.raises(SourceUnavailable, match="another host"):
        github.source().fetch_repo_files(REPO, "SKILL.md")


def test_a_temporary_redirect_within_the_api_is_followed_but_not_in_circles() -> None:
    github = FakeGitHub(FILES, before=answering("/commits/HEAD", moved_to("/repos/acme/tools/commits/main", 307)))
    assert github.source().resolve_commit_sha("acme", "tools") == COMMIT
    circle = FakeGitHub(FILES, before=answering("/commits/", *[moved_to("/repos/acme/tools/commits/x", 302)] * 99))
    with pytest.raises(SourceUnavailable, match="circles"):
        circle.source().resolve_commit_sha("acme", "tools")


def test_a_packed_answer_is_unpacked_no_further_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillgate.adapters.github.repository.MAX_API_BYTES", 1_000)
    bomb = gzip.compress(b" " * 50_000_000)
    github = FakeGitHub(
        FILES, before=answering("/git/trees/", lambda: streamed(200, bomb, {"Content-Encoding": "gzip"}))
    )
    source = github.source()
    with most_memory(10_000_000), pytest.raises(PermanentFailure) as caught:
        source.find_skills(REPO)
    assert caught.value.code == "repository_too_large"


def test_an_endless_error_is_not_read_to_its_end() -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 30_000_000:
            sent += 10_000
            yield b"x" * 10_000

    github = FakeGitHub(FILES, before=answering("/commits/", lambda: httpx.Response(404, content=endless())))
    with pytest.raises(PermanentFailure):
        github.source().resolve_commit_sha("acme", "tools")
    assert sent < 200_000


def test_a_packed_answer_is_read() -> None:
    packed = lambda: streamed(200, gzip.compress(COMMIT.encode()), {"Content-Encoding": "gzip"})  # noqa: E731
    github = FakeGitHub(FILES, before=answering("/commits/", packed))
    assert github.source().resolve_commit_sha("acme", "tools") == COMMIT


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"tree": [{"path": 3}]}',
        b'{"tree": 1}',
        b'{"tree": []}',
        b'{"tree": [], "truncated": null}',
        b"[" * 100_000,
    ],
)
def test_an_answer_that_is_not_githubs_is_no_verdict_on_the_skill(body: Any) -> None:
    github = FakeGitHub(FILES, before=answering("/git/trees/", lambda: streamed(200, body)))
    with pytest.raises(SourceUnavailable):
        github.source().find_skills(REPO)


def test_a_commit_that_is_none_is_not_believed() -> None:
    github = FakeGitHub(FILES, before=answering("/commits/", lambda: streamed(200, b"<html>")))
    with pytest.raises(SourceUnavailable):
        github.source().resolve_commit_sha("acme", "tools")


@pytest.mark.parametrize("ref", ["", "../../user", "a\nb", "x" * 300])
def test_a_ref_that_is_none_is_refused_before_anything_is_asked(ref: str) -> None:
    github = FakeGitHub(FILES)
    with pytest.raises(InvalidInput):
        github.source().resolve_commit_sha("acme", "tools", ref)
    assert not github.requests


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a\\b", "a\0b"])
def test_a_raw_file_is_only_asked_for_by_a_path_of_the_repository(path: str) -> None:
    github = FakeGitHub(FILES)
    with pytest.raises(InvalidInput):
        github.source().fetch_raw_file("acme", "tools", COMMIT, path)
    assert not github.requests


def test_a_raw_file_that_is_not_there_or_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    github = FakeGitHub(FILES)
    with pytest.raises(PermanentFailure) as gone:
        github.source().fetch_raw_file("acme", "tools", COMMIT, "none.md")
    monkeypatch.setattr("skillgate.adapters.github.source.MAX_FILE_BYTES", 0)
    with pytest.raises(PermanentFailure) as large:
        github.source().fetch_raw_file("acme", "tools", COMMIT, "a.md")
    assert (gone.value.code, large.value.code) == ("file_gone", "file_too_large")


def test_the_client_neither_follows_redirects_nor_reads_proxies_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:1")
    with build_client() as client:
        assert client.follow_redirects is False and client.trust_env is False
        assert not client._mounts
        assert isinstance(GitHub(client), GitHub)
        assert client.headers["user-agent"] == "skillgate"


def test_a_body_that_drips_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "REQUEST_SECONDS", 0.0)
    github = FakeGitHub(FILES)
    with pytest.raises(SourceUnavailable):
        github.source().resolve_commit_sha("acme", "tools")
    assert RAW not in "".join(github.urls())
