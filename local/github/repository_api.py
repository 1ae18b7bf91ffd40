"""Endpoints about repositories and their commits."""

from local.github.answers import ApiError, Call, Page, not_found
from local.github.history import Commit
from local.github.objects import ROOT
from local.github.repository import DEFAULT_BRANCH, Repository
from local.github.representations import commit_json, repository_json
from local.servers.http_server import Response

SHA_ONLY = "application/vnd.github.sha"


def show_repository(call: Call, owner: str, name: str) -> Response:
    return Response.of_json(repository_json(call.base_url, call.repository(owner, name)))


def show_commit(call: Call, owner: str, name: str, ref: str) -> Response:
    repository = call.repository(owner, name)
    _require_commits(repository)
    commit = repository.resolve(ref)
    if commit is None:
        raise ApiError(422, f"No commit found for SHA: {ref}")
    if call.accepts(SHA_ONLY):
        return Response(200, commit.sha.encode(), {"Content-Type": f"{SHA_ONLY}; charset=utf-8"})
    return Response.of_json(commit_json(call.base_url, repository, commit))


def list_commits(call: Call, owner: str, name: str) -> Response:
    repository = call.repository(owner, name)
    _require_commits(repository)
    newest = repository.resolve(call.request.query.get("sha", DEFAULT_BRANCH))
    if newest is None:
        raise not_found()
    commits = repository.history_of(call.request.query.get("path", ROOT).strip("/"), newest)
    page = Page.of(call.request)
    shown = [commit_json(call.base_url, repository, commit) for commit in page.cut(commits)]
    return Response.of_json(shown, headers=page.headers(call, len(commits)))


def list_owner_repositories(call: Call, owner: str) -> Response:
    """The same for /orgs and /users: here an owner is both."""
    owned = [
        repository
        for repository in call.catalogue.all()
        if repository.owner.lower() == owner.lower() and repository.metadata.renamed_to is None
    ]
    if not owned:
        raise not_found()
    visible = [repository for repository in owned if call.may_see(repository) and not repository.metadata.dmca]
    page = Page.of(call.request)
    shown = [repository_json(call.base_url, repository) for repository in page.cut(visible)]
    return Response.of_json(shown, headers=page.headers(call, len(visible)))


def require_commit(repository: Repository, ref: str) -> Commit:
    _require_commits(repository)
    commit = repository.resolve(ref)
    if commit is None:
        raise not_found()
    return commit


def _require_commits(repository: Repository) -> None:
    if repository.head is None:
        raise ApiError(409, "Git Repository is empty.")
