"""From a request to GitHub's answer: token, faults, rate limit, route, conditional request, in this order."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from local.github import content_api, downloads, repository_api, search_api
from local.github.answers import ApiError, Call, not_found
from local.github.catalogue import Catalogue
from local.github.faults import FaultRule, Faults
from local.github.rate_limits import MINUTE, WINDOW_SECONDS, Caller, RateLimits, Window
from local.github.request_log import RequestLog, RequestRecord, token_name
from local.servers.http_server import ConnectionDropped, Request, Response

Handler = Callable[..., Response]

REPOSITORY = r"/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)"
ROUTES: tuple[tuple[str, Handler], ...] = (
    (REPOSITORY, repository_api.show_repository),
    (rf"{REPOSITORY}/commits", repository_api.list_commits),
    (rf"{REPOSITORY}/commits/(?P<ref>.+)", repository_api.show_commit),
    (rf"{REPOSITORY}/git/trees/(?P<ref>.+)", content_api.show_tree),
    (rf"{REPOSITORY}/git/blobs/(?P<sha>[0-9a-f]{{40}})", content_api.show_blob),
    (rf"{REPOSITORY}/contents(?:/(?P<path>.*))?", content_api.show_contents),
    (rf"{REPOSITORY}/tarball(?:/(?P<ref>.+))?", downloads.redirect_to_tarball),
    (r"/codeload/(?P<owner>[^/]+)/(?P<name>[^/]+)/legacy\.tar\.gz/(?P<ref>.+)", downloads.download_tarball),
    (r"/raw/(?P<owner>[^/]+)/(?P<name>[^/]+)/(?P<rest>.+)", downloads.download_raw),
    (r"/(?:orgs|users)/(?P<owner>[^/]+)/repos", repository_api.list_owner_repositories),
    (r"/search/code", search_api.search_code),
    (r"/search/repositories", search_api.search_repositories),
)
OTHER_HOSTS = ("/raw/", "/codeload/")
RATE_LIMIT = "/rate_limit"


class Application:
    def __init__(
        self,
        catalogue: Catalogue,
        faults: Faults,
        rate_limits: RateLimits,
        log: RequestLog,
        pause: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        self._catalogue = catalogue
        self._faults = faults
        self._rate_limits = rate_limits
        self._log = log
        self._pause = pause
        self._clock = clock

    def answer(self, request: Request) -> Response:
        token = _token(request)
        status: int | None = None
        try:
            response = self._after_faults(request, token)
            status = response.status
            return response
        finally:
            conditional = "if-none-match" in request.headers
            self._log.add(
                RequestRecord(
                    self._clock(),
                    request.method,
                    request.path,
                    request.raw_query,
                    token_name(token),
                    status,
                    conditional,
                )
            )

    def _after_faults(self, request: Request, token: str | None) -> Response:
        caller = Caller(token, request.address)
        cut_tree = cut_short = False
        for rule in self._faults.take(request.method, request.path, request.raw_query, token):
            if rule.kind == "latency":
                self._pause(rule.seconds)
            elif rule.kind == "reset":
                raise ConnectionDropped
            elif rule.kind == "truncated_tree":
                cut_tree = True
            elif rule.kind == "truncated":
                cut_short = True
            else:
                return self._failure(rule, caller, _resource(request.path))
        call = Call(self._without_number(request), token, self._catalogue, cut_tree)
        response = self._api(call, caller) if _is_api(request) else _conditional(request, _routed(call))
        return replace(response, cut_short=cut_short)

    def _api(self, call: Call, caller: Caller) -> Response:
        if "user-agent" not in call.request.headers:
            return ApiError(
                403, "Request forbidden by administrative rules: a User-Agent header is required"
            ).response()
        if call.request.path == RATE_LIMIT:
            return self._show_rate_limit(caller)
        resource = _resource(call.request.path)
        window, allowed = self._rate_limits.take(caller, resource)
        if not allowed:
            return _exhausted(403, window)
        response = _conditional(call.request, _routed(call))
        if response.status == 304 and call.token is not None:
            window = self._rate_limits.give_back(caller, resource)
        headers = {"Vary": "Accept, Authorization", **window.headers(), **response.headers}
        return replace(response, headers=headers)

    def _failure(self, rule: FaultRule, caller: Caller, resource: str) -> Response:
        window = self._rate_limits.look(caller, resource)
        headers = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
        if rule.kind in ("rate_limit_429", "rate_limit_403"):
            used_up = self._rate_limits.as_if_used_up(caller, resource, rule.seconds or MINUTE)
            response = _exhausted(int(rule.kind[-3:]), used_up)
            return replace(response, headers={**response.headers, **headers})
        if rule.kind == "secondary_403":
            message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            error = ApiError(403, message, {**window.headers(), **headers})
        elif rule.kind == "dead_token":
            error = ApiError(401, "Bad credentials")
        elif rule.kind == "gone":
            error = not_found()
        else:
            error = ApiError(rule.status, "A failure on order", headers)
        return error.response()

    def _without_number(self, request: Request) -> Request:
        """`/repositories/{id}/…`, where redirects of renamed repositories lead, is `/repos/{owner}/{repo}/…`."""
        numbered = re.fullmatch(r"/repositories/(?P<number>[0-9]{1,10})(?P<rest>/.*)?", request.path)
        repository = self._catalogue.find_id(int(numbered["number"])) if numbered else None
        if numbered is None or repository is None:
            return request
        return replace(request, path=f"/repos/{repository.full_name}{numbered['rest'] or ''}")

    def _show_rate_limit(self, caller: Caller) -> Response:
        windows = {resource: self._rate_limits.look(caller, resource) for resource in WINDOW_SECONDS}
        resources: dict[str, Any] = {resource: window.to_json() for resource, window in windows.items()}
        return Response.of_json({"resources": resources, "rate": resources["core"]}, headers=windows["core"].headers())


def _routed(call: Call) -> Response:
    try:
        if call.request.method not in ("GET", "HEAD"):
            raise not_found()
        for pattern, handler in ROUTES:
            if matched := re.fullmatch(pattern, call.request.path):
                return handler(
                    call, **{name: value for name, value in matched.groupdict().items() if value is not None}
                )
        raise not_found()
    except ApiError as error:
        return error.response()


def _conditional(request: Request, response: Response) -> Response:
    """With an ETag where the answer has none of its own, or 304 when the client already has this one."""
    if response.status != 200:
        return response
    own = response.headers.get("ETag")
    etag = own or f'W/"{hashlib.sha256(response.body).hexdigest()}"'
    headers = {**response.headers, "ETag": etag}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if etag.removeprefix("W/") in known or "*" in known:
        return Response(304, b"", headers)
    return replace(response, headers=headers)


def _exhausted(status: int, window: Window) -> Response:
    return ApiError(status, "API rate limit exceeded. Wait until the limit resets.", window.headers()).response()


def _is_api(request: Request) -> bool:
    return not request.path.startswith(OTHER_HOSTS)


def _resource(path: str) -> str:
    if path == "/search/code":
        return "code_search"
    return "search" if path.startswith("/search/") else "core"


def _token(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() in ("bearer", "token") else None
