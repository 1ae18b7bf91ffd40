"""From the many ways in which people write where their repository is, to the repository on GitHub."""

from __future__ import annotations

import re
from urllib.parse import unquote

from skillgate.adapters.discovery.leads import Lead
from skillgate.domain.errors import InvalidInput
from skillgate.domain.repo_url import RepoUrl, parse_location

_NAME = r"[A-Za-z0-9_.-]+"
_REMOTE = re.compile(
    rf"(?:git\+)?(?:https?|git|ssh)://(?:git@)?(?:www\.)?github\.com/(?P<name>{_NAME}/{_NAME})(?P<rest>[/?#].*)?"
    rf"|(?:git@github\.com:|github:)(?P<short>{_NAME}/{_NAME})(?:#.*)?"
    rf"|(?P<bare>{_NAME}/{_NAME})"
)
_RAW = re.compile(rf"https://raw\.githubusercontent\.com/(?P<name>{_NAME}/{_NAME})/(?:refs/heads/)?[^/]+/(?P<path>.+)")


def lead_of(text: object, folder: object = None) -> Lead | None:
    """The lead that a link gives, narrowed to what it points at or to the folder; None if it is not to GitHub.

    Nothing at the link itself is ever fetched.
    """
    if not isinstance(text, str) or len(text) > 500:
        return None
    try:
        found = _location(text.strip())
    except InvalidInput:
        return None
    if found is None:
        return None
    repo, path = found
    within = path or (folder if isinstance(folder, str) else "")
    return Lead(repo, within=within.strip("/").removeprefix("./"), is_public=False)


def _location(text: str) -> tuple[RepoUrl, str | None] | None:
    if raw := _RAW.fullmatch(text):
        return RepoUrl.parse(f"https://github.com/{raw['name']}"), unquote(raw["path"])
    remote = _REMOTE.fullmatch(text)
    if remote is None:
        return None
    name = (remote["name"] or remote["short"] or remote["bare"]).removesuffix(".git")
    rest = (remote["rest"] or "").split("?")[0].split("#")[0]
    return parse_location(f"https://github.com/{name}{rest}")
