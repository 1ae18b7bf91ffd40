"""What every part of the API needs to answer: GitHub's errors, pages, and access to a repository."""

from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from local.github.catalogue import Catalogue
from local.github.repository import Repository
from local.servers.http_server import Request, Response

DOCUMENTATION = "https://docs.github.com/rest"
Item = TypeVar("Item")

LARGEST_PAGE = 100
DEFAULT_PAGE = 30


class ApiError(Exception):
    """An answer that is an error, as GitHub words it."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}
        self.more = more

    def response(self) -> Response:
        content = {"message": self.message, "documentation_url": DOCUMENTATION, "status": str(self.status), **self.more}
        return Response.of_json(content, self.status, self.headers)


def not_found() -> ApiError:
    return ApiError(404, "Not Found")


@dataclass(frozen=True)
class Call:
    """A request on its way through the API, with what was found out about it."""

    request: Request
    token: str | None
    catalogue: Catalogue
    cut_tree: bool = False
    """A fault asks for a tree listing that says it is truncated."""

    @property
    def base_url(self) -> str:
        return self.request.base_url

    def accepts(self, media_type: str) -> bool:
        return media_type in self.request.headers.get("accept", "")

    def repository(self, owner: str, name: str) -> Repository:
        """Raises the ApiError that GitHub gives for a repository that is gone, hidden, blocked or moved."""
        repository = self.catalogue.find(owner, name)
        if repository is None or not self.may_see(repository):
            raise not_found()
        if repository.metadata.dmca:
            raise ApiError(451, "Repository access blocked", block=_dmca_notice(repository))
        if repository.metadata.renamed_to is not None:
            raise self._moved(repository, repository.metadata.renamed_to)
        return repository

    def may_see(self, repository: Repository) -> bool:
        return not repository.metadata.private or self.token in repository.metadata.visible_to

    def _moved(self, old: Repository, new_name: str) -> ApiError:
        new = self.catalogue.find(*new_name.split("/"))
        if new is None or not self.may_see(new):
            return not_found()
        rest = self.request.path.split("/", 4)[4:]
        url = "/".join([f"{self.base_url}/repositories/{new.id}", *rest])
        if self.request.raw_query:
            url += f"?{self.request.raw_query}"
        return ApiError(301, "Moved Permanently", {"Location": url}, url=url)


@dataclass(frozen=True)
class Page:
    number: int
    size: int

    @classmethod
    def of(cls, request: Request) -> "Page":
        size = _whole_number(request, "per_page", DEFAULT_PAGE)
        return cls(_whole_number(request, "page", 1), min(size, LARGEST_PAGE))

    def cut(self, items: list[Item]) -> list[Item]:
        return items[(self.number - 1) * self.size : self.number * self.size]

    def headers(self, call: Call, total: int) -> dict[str, str]:
        """The Link header, where there is more than one page."""
        last = max(1, -(-total // self.size))
        targets = {"prev": self.number - 1, "next": self.number + 1, "last": last, "first": 1}
        wanted = [name for name in ("prev", "first") if self.number > 1]
        wanted += [name for name in ("next", "last") if self.number < last]
        if not wanted:
            return {}
        return {"Link": ", ".join(f'<{self._url(call, targets[name])}>; rel="{name}"' for name in wanted)}

    @staticmethod
    def _url(call: Call, number: int) -> str:
        query = {**call.request.query, "page": str(number)}
        return f"{call.base_url}{call.request.path}?{urlencode(query)}"


def _whole_number(request: Request, name: str, default: int) -> int:
    given = request.query.get(name, "")
    return int(given) if given.isdecimal() and int(given) > 0 else default


def _dmca_notice(repository: Repository) -> dict[str, str]:
    return {
        "reason": "dmca",
        "created_at": "2025-01-01T00:00:00Z",
        "html_url": f"https://github.com/github/dmca/blob/main/{repository.name}.md",
    }
