"""GitHub's JSON for repositories, commits and files."""

import base64
import textwrap
from datetime import datetime
from typing import Any
from urllib.parse import quote

from local.github import objects
from local.github.history import Commit, File
from local.github.repository import DEFAULT_BRANCH, Repository

HTML = "https://github.com"
"""Pages for people: the stand-in has none, and its html_url fields read as on GitHub."""

LICENSE_NAMES = {
    "MIT": "MIT License",
    "Apache-2.0": "Apache License 2.0",
    "BSD-3-Clause": 'BSD 3-Clause "New" or "Revised" License',
}
LARGEST_INLINE_CONTENT = 1_000_000
BASE64_LINE = 60


def api_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def owner_json(base_url: str, owner: str) -> dict[str, Any]:
    return {
        "login": owner,
        "type": "Organization",
        "url": f"{base_url}/users/{owner}",
        "html_url": f"{HTML}/{owner}",
        "repos_url": f"{base_url}/users/{owner}/repos",
        "avatar_url": "",
    }


def short_repository_json(base_url: str, repository: Repository) -> dict[str, Any]:
    """What search results say of a file's repository."""
    return {
        "id": repository.id,
        "node_id": f"R_{repository.id}",
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.metadata.private,
        "owner": owner_json(base_url, repository.owner),
        "html_url": f"{HTML}/{repository.full_name}",
        "description": repository.metadata.description,
        "fork": repository.metadata.fork,
        "url": f"{base_url}/repos/{repository.full_name}",
    }


def repository_json(base_url: str, repository: Repository) -> dict[str, Any]:
    metadata = repository.metadata
    head = repository.head
    pushed = api_time(head.date if head else metadata.created_at)
    return {
        **short_repository_json(base_url, repository),
        "visibility": "private" if metadata.private else "public",
        "archived": metadata.archived,
        "disabled": False,
        "default_branch": DEFAULT_BRANCH,
        "stargazers_count": metadata.stars,
        "watchers_count": metadata.stars,
        "forks_count": metadata.forks,
        "open_issues_count": 0,
        "license": _license_json(base_url, metadata.license),
        "topics": list(metadata.topics),
        "size": sum(file.size for file in head.files.values()) // 1024 if head else 0,
        "created_at": api_time(metadata.created_at),
        "pushed_at": pushed,
        "updated_at": pushed,
        "clone_url": f"{HTML}/{repository.full_name}.git",
    }


def commit_json(base_url: str, repository: Repository, commit: Commit) -> dict[str, Any]:
    api = f"{base_url}/repos/{repository.full_name}"
    person = {"name": objects.AUTHOR_NAME, "email": objects.AUTHOR_EMAIL, "date": api_time(commit.date)}
    parents = [] if commit.parent is None else [commit.parent]
    return {
        "sha": commit.sha,
        "url": f"{api}/commits/{commit.sha}",
        "html_url": f"{HTML}/{repository.full_name}/commit/{commit.sha}",
        "commit": {
            "author": person,
            "committer": person,
            "message": commit.message.rstrip("\n"),
            "tree": {"sha": commit.tree, "url": f"{api}/git/trees/{commit.tree}"},
            "url": f"{api}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None},
        },
        "author": None,
        "committer": None,
        "parents": [{"sha": sha, "url": f"{api}/commits/{sha}"} for sha in parents],
    }


def entry_json(
    base_url: str, repository: Repository, ref: str, path: str, file: File | None, sha: str
) -> dict[str, Any]:
    """One entry of a directory listing; `file` is None for a directory."""
    kind, page, size = ("dir", "tree", 0) if file is None else (_kind(file), "blob", file.size)
    name, where = repository.full_name, quote(path)
    url = f"{base_url}/repos/{name}/contents/{where}?ref={quote(ref, safe='')}"
    git_url = f"{base_url}/repos/{name}/git/{'trees' if file is None else 'blobs'}/{sha}"
    html_url = f"{HTML}/{name}/{page}/{quote(ref)}/{where}"
    raw_url = f"{base_url}/raw/{name}/{quote(ref)}/{where}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": sha,
        "size": size,
        "url": url,
        "html_url": html_url,
        "git_url": git_url,
        "download_url": None if file is None or file.mode == objects.SUBMODULE else raw_url,
        "type": kind,
        "_links": {"self": url, "git": git_url, "html": html_url},
    }


def submodule_fields(git_url: str | None) -> dict[str, Any]:
    return {"type": "submodule", "size": 0, "submodule_git_url": git_url, "download_url": None}


def content_fields(content: bytes) -> dict[str, str]:
    """A file's content inside its JSON, which is left out of what is larger than a megabyte."""
    if len(content) > LARGEST_INLINE_CONTENT:
        return {"content": "", "encoding": "none"}
    return {"content": base64_lines(content), "encoding": "base64"}


def base64_lines(content: bytes) -> str:
    lines = textwrap.wrap(base64.b64encode(content).decode(), BASE64_LINE)
    return "".join(f"{line}\n" for line in lines)


def _kind(file: File) -> str:
    # For clients from before submodules, a listing calls them files.
    return "symlink" if file.mode == objects.SYMLINK else "file"


def _license_json(base_url: str, spdx_id: str | None) -> dict[str, Any] | None:
    if spdx_id is None:
        return None
    key = spdx_id.lower()
    return {
        "key": key,
        "name": LICENSE_NAMES.get(spdx_id, spdx_id),
        "spdx_id": spdx_id,
        "url": f"{base_url}/licenses/{key}",
        "node_id": f"L_{key}",
    }
