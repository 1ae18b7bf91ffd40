"""Search for files and for repositories, with GitHub's limits: a thousand results, and no large files."""

from collections.abc import Callable, Iterator
from typing import Any

from local.github import objects
from local.github.answers import ApiError, Call, Item, Page
from local.github.history import File
from local.github.repository import DEFAULT_BRANCH, Repository
from local.github.representations import entry_json, repository_json, short_repository_json
from local.github.search_query import SearchQuery, number_test, parse_query
from local.servers.http_server import Response

MOST_RESULTS = 1_000
LARGEST_SEARCHED_FILE = 384 * 1024
CODE_QUALIFIERS = frozenset({"filename", "extension", "path", "size", "repo", "org", "user"})
REPOSITORY_QUALIFIERS = frozenset({"topic", "org", "user", "stars", "archived"})


def search_code(call: Call) -> Response:
    if call.token is None:
        raise ApiError(401, "Requires authentication")
    query = parse_query(call.request.query.get("q", ""), CODE_QUALIFIERS)
    page = _page(call)
    found = list(_matching_files(call, query))
    return _results(call, page, found, lambda hit: _code_result(call, *hit))


def search_repositories(call: Call) -> Response:
    query = parse_query(call.request.query.get("q", ""), REPOSITORY_QUALIFIERS)
    page = _page(call)
    found = [repository for repository in _searchable(call) if _repository_matches(repository, query)]
    if call.request.query.get("sort") == "stars":
        ascending = call.request.query.get("order") == "asc"
        found.sort(key=lambda repository: repository.metadata.stars, reverse=not ascending)
    return _results(call, page, found, lambda hit: {**repository_json(call.base_url, hit), "score": 1.0})


def _page(call: Call) -> Page:
    page = Page.of(call.request)
    if (page.number - 1) * page.size >= MOST_RESULTS:
        raise ApiError(422, "Only the first 1000 search results are available")
    return page


def _results(call: Call, page: Page, found: list[Item], item: Callable[[Item], dict[str, Any]]) -> Response:
    reachable = found[:MOST_RESULTS]
    content = {
        "total_count": len(found),
        "incomplete_results": False,
        "items": [item(hit) for hit in page.cut(reachable)],
    }
    return Response.of_json(content, headers=page.headers(call, len(reachable)))


def _searchable(call: Call) -> Iterator[Repository]:
    for repository in call.catalogue.all():
        metadata = repository.metadata
        if call.may_see(repository) and not (metadata.dmca or metadata.renamed_to):
            yield repository


def _matching_files(call: Call, query: SearchQuery) -> Iterator[tuple[Repository, str, File]]:
    sizes = [number_test(size) for size in query.values("size")]
    for repository in _searchable(call):
        head = repository.head
        if head is None or repository.metadata.fork or not _owner_matches(repository, query):
            continue
        for path, file in head.files.items():
            if (
                file.mode in (objects.FILE, objects.EXECUTABLE)
                and file.size <= LARGEST_SEARCHED_FILE
                and all(fits(file.size) for fits in sizes)
                and _path_matches(path, query)
                and _words_match(call, path, file, query)
            ):
                yield repository, path, file


def _owner_matches(repository: Repository, query: SearchQuery) -> bool:
    owners = {value.lower() for value in query.values("org") + query.values("user")}
    names = {value.lower() for value in query.values("repo")}
    if not owners and not names:
        return True
    return repository.owner.lower() in owners or repository.full_name.lower() in names


def _path_matches(path: str, query: SearchQuery) -> bool:
    directory, _, name = path.rpartition("/")
    below = all(
        directory == "" if wanted == "/" else f"{directory}/".startswith(f"{wanted.strip('/')}/")
        for wanted in query.values("path")
    )
    named = all(name.lower() == wanted.lower() for wanted in query.values("filename"))
    ending = all(name.lower().endswith(f".{wanted.lower()}") for wanted in query.values("extension"))
    return below and named and ending


def _words_match(call: Call, path: str, file: File, query: SearchQuery) -> bool:
    if not query.words:
        return True
    text = call.catalogue.read(path, file).decode("utf-8", "replace").lower()
    return all(word.lower() in text for word in query.words)


def _repository_matches(repository: Repository, query: SearchQuery) -> bool:
    metadata = repository.metadata
    text = f"{repository.name} {metadata.description or ''} {' '.join(metadata.topics)}".lower()
    return (
        not metadata.fork
        and _owner_matches(repository, query)
        and set(query.values("topic")) <= set(metadata.topics)
        and all(number_test(stars)(metadata.stars) for stars in query.values("stars"))
        and all(metadata.archived == (value == "true") for value in query.values("archived"))
        and all(word.lower() in text for word in query.words)
    )


def _code_result(call: Call, repository: Repository, path: str, file: File) -> dict[str, Any]:
    entry = entry_json(call.base_url, repository, DEFAULT_BRANCH, path, file, file.sha)
    wanted = ("name", "path", "sha", "url", "git_url", "html_url")
    short = short_repository_json(call.base_url, repository)
    return {**{name: entry[name] for name in wanted}, "repository": short, "score": 1.0}
