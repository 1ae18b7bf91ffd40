"""Endpoints for what is in a repository: trees, files, blobs."""

import posixpath
from typing import Any

from local.github import objects
from local.github.answers import ApiError, Call, not_found
from local.github.history import Commit, File
from local.github.repository import DEFAULT_BRANCH, Repository
from local.github.repository_api import require_commit
from local.github.representations import base64_lines, content_fields, entry_json, submodule_fields
from local.servers.http_server import Response

LARGEST_TREE = 100_000
LARGEST_DIRECTORY = 1_000
RAW = "application/vnd.github.raw"


def show_tree(call: Call, owner: str, name: str, ref: str) -> Response:
    repository = call.repository(owner, name)
    found = repository.find_tree(ref)
    commit, directory = found or (require_commit(repository, ref), objects.ROOT)
    entries = _tree_entries(call, repository, commit, directory, recursive="recursive" in call.request.query)
    limit = len(entries) // 2 if call.cut_tree else LARGEST_TREE
    sha = commit.trees[directory]
    return Response.of_json(
        {
            "sha": sha,
            "url": f"{call.base_url}/repos/{repository.full_name}/git/trees/{sha}",
            "tree": entries[:limit],
            "truncated": call.cut_tree or len(entries) > limit,
        }
    )


def show_blob(call: Call, owner: str, name: str, sha: str) -> Response:
    repository = call.repository(owner, name)
    found = repository.find_blob(sha)
    if found is None or found[1].mode == objects.SUBMODULE:
        raise not_found()
    content = call.catalogue.read(*found)
    if call.accepts(RAW):
        return _raw(content)
    return Response.of_json(
        {
            "sha": sha,
            "node_id": f"B_{sha}",
            "size": len(content),
            "url": f"{call.base_url}/repos/{repository.full_name}/git/blobs/{sha}",
            "content": base64_lines(content),
            "encoding": "base64",
        }
    )


def show_contents(call: Call, owner: str, name: str, path: str = "") -> Response:
    repository = call.repository(owner, name)
    if repository.head is None:
        raise ApiError(404, "This repository is empty.")
    ref = call.request.query.get("ref", DEFAULT_BRANCH)
    commit = repository.resolve(ref)
    if commit is None:
        raise ApiError(404, f"No commit found for the ref {ref}")
    path = path.strip("/")
    if path in commit.trees:
        return Response.of_json(_directory(call, repository, commit, ref, path)[:LARGEST_DIRECTORY])
    if path not in commit.files:
        raise not_found()
    return _file(call, repository, commit, ref, path)


def _tree_entries(
    call: Call, repository: Repository, commit: Commit, directory: str, *, recursive: bool
) -> list[dict[str, Any]]:
    prefix = f"{directory}/" if directory else ""
    api = f"{call.base_url}/repos/{repository.full_name}/git"
    entries = []
    for path, sha in commit.trees.items():
        if path != directory and path.startswith(prefix):
            entries.append(
                {"mode": objects.DIRECTORY, "type": "tree", "sha": sha, "url": f"{api}/trees/{sha}", "path": path}
            )
    for path, file in commit.files.items():
        if path.startswith(prefix):
            entries.append({**_tree_leaf(file, api), "path": path})
    relative = [{**entry, "path": entry["path"].removeprefix(prefix)} for entry in entries]
    listed = relative if recursive else [entry for entry in relative if "/" not in entry["path"]]
    return sorted(listed, key=lambda entry: entry["path"].encode("utf-8", "surrogateescape"))


def _tree_leaf(file: File, api: str) -> dict[str, Any]:
    if file.mode == objects.SUBMODULE:
        return {"mode": file.mode, "type": "commit", "sha": file.sha}
    blob = {"mode": file.mode, "type": "blob", "sha": file.sha}
    return {**blob, "size": file.size, "url": f"{api}/blobs/{file.sha}"}


def _directory(call: Call, repository: Repository, commit: Commit, ref: str, path: str) -> list[dict[str, Any]]:
    def is_child(other: str) -> bool:
        return other != objects.ROOT and other.rpartition("/")[0] == path

    directories = [
        entry_json(call.base_url, repository, ref, child, None, sha)
        for child, sha in commit.trees.items()
        if is_child(child)
    ]
    files = [
        entry_json(call.base_url, repository, ref, child, file, file.sha)
        for child, file in commit.files.items()
        if is_child(child)
    ]
    return sorted(directories + files, key=lambda entry: str(entry["name"]))


def _file(call: Call, repository: Repository, commit: Commit, ref: str, path: str) -> Response:
    file = commit.files[path]
    entry = entry_json(call.base_url, repository, ref, path, file, file.sha)
    if file.mode == objects.SUBMODULE:
        submodule = repository.metadata.submodules.get(path)
        return Response.of_json({**entry, **submodule_fields(submodule.url if submodule else None)})
    content = call.catalogue.read(path, file)
    if file.mode == objects.SYMLINK:
        target = _inside_target(path, content, commit)
        if target is None:
            return Response.of_json({**entry, "target": content.decode("utf-8", "replace")})
        # A link to a file of the same repository is answered with that file, under the link's own name.
        content = call.catalogue.read(target, commit.files[target])
        entry |= {"type": "file", "size": len(content)}
    if call.accepts(RAW):
        return _raw(content)
    return Response.of_json({**entry, **content_fields(content)})


def _inside_target(link: str, target: bytes, commit: Commit) -> str | None:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target.decode("utf-8", "replace")))
    file = commit.files.get(path)
    return path if file is not None and file.mode in (objects.FILE, objects.EXECUTABLE) else None


def _raw(content: bytes) -> Response:
    return Response(200, content, {"Content-Type": f"{RAW}; charset=utf-8"})
