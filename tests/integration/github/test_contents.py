"""Trees, contents, blobs, raw files and tarballs tell the same story about a commit."""

import base64
import gzip
import io
import tarfile
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from local.github import GitHubStandIn
from local.github.objects import blob_id

SUBMODULE = {"url": "https://github.com/acme/other.git", "sha": "1234567890abcdef1234567890abcdef12345678"}
FILES: dict[str, str | bytes] = {
    "README.md": "# Tools\n",
    "skills/one/SKILL.md": "---\nname: one\n---\n",
    "skills/one/scripts/run.sh": "#!/bin/sh\n",
    "skills/one/data.bin": bytes(range(256)),
    "skills/sp ace/\u00fc#?%.md": "odd name",
}
METADATA: dict[str, Any] = {
    "executable": ["skills/one/scripts/run.sh"],
    "symlinks": {"skills/one/AGENTS.md": "SKILL.md", "skills/one/outside": "/etc/passwd"},
    "submodules": {"vendor/other": SUBMODULE},
    "generated": {"assets/big.txt": 1_500_000},
}


@pytest.fixture
def sha(stand_in: GitHubStandIn) -> str:
    head = stand_in.put_repository("acme", "tools", FILES, METADATA)
    assert head is not None
    return head


def tree_of(get: Any, sha: str) -> dict[str, Any]:
    return {entry["path"]: entry for entry in get(f"/repos/acme/tools/git/trees/{sha}", recursive=1)["tree"]}


def members_of(client: httpx.Client, ref: str) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    answer = client.get(f"/repos/acme/tools/tarball/{ref}", follow_redirects=True)
    assert answer.status_code == 200
    members = {}
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(answer.content))) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() else None
            members[member.name] = (member, file.read() if file else b"")
    return members


def test_every_blob_of_the_tree_verifies_however_it_is_fetched(client: httpx.Client, get: Any, sha: str) -> None:
    members = members_of(client, sha)
    for path, entry in tree_of(get, sha).items():
        if entry["type"] != "blob":
            continue
        blob = get(f"/repos/acme/tools/git/blobs/{entry['sha']}")
        content = base64.b64decode(blob["content"])
        raw = client.get(f"/raw/acme/tools/{sha}/{quote(path)}")
        assert blob_id(content) == entry["sha"]
        assert len(content) == blob["size"] == entry["size"]
        assert raw.content == content
        member, packed = members[f"acme-tools-{sha[:7]}/{path}"]
        assert (member.linkname.encode() if member.issym() else packed) == content


def test_the_tree_has_gits_modes(get: Any, sha: str) -> None:
    modes = {path: (entry["mode"], entry["type"]) for path, entry in tree_of(get, sha).items()}
    assert modes["README.md"] == ("100644", "blob")
    assert modes["skills/one/scripts/run.sh"] == ("100755", "blob")
    assert modes["skills/one/AGENTS.md"] == ("120000", "blob")
    assert modes["vendor/other"] == ("160000", "commit")
    assert modes["skills/one"] == ("040000", "tree")


def test_a_tree_can_be_walked_directory_by_directory(get: Any, sha: str) -> None:
    def walk(tree: str, prefix: str) -> dict[str, str]:
        found = {}
        for entry in get(f"/repos/acme/tools/git/trees/{tree}")["tree"]:
            assert "/" not in entry["path"]
            found[prefix + entry["path"]] = entry["sha"]
            if entry["type"] == "tree":
                found |= walk(entry["sha"], f"{prefix}{entry['path']}/")
        return found

    whole = get("/repos/acme/tools/git/trees/main", recursive=1)
    assert whole["truncated"] is False
    assert whole["sha"] == get("/repos/acme/tools/commits/main")["commit"]["tree"]["sha"]
    assert walk(sha, "") == {entry["path"]: entry["sha"] for entry in whole["tree"]}


def test_a_file_comes_as_base64_in_short_lines(get: Any, sha: str) -> None:
    shown = get("/repos/acme/tools/contents/skills/one/data.bin", ref=sha)
    assert (shown["type"], shown["encoding"], shown["size"]) == ("file", "base64", 256)
    assert base64.b64decode(shown["content"]) == FILES["skills/one/data.bin"]
    assert max(len(line) for line in shown["content"].splitlines()) == 60


def test_a_file_over_a_megabyte_comes_without_its_content(client: httpx.Client, get: Any, sha: str) -> None:
    path = "/repos/acme/tools/contents/assets/big.txt"
    shown = get(path)
    assert (shown["encoding"], shown["content"], shown["size"]) == ("none", "", 1_500_000)
    raw = client.get(path, headers={"Accept": "application/vnd.github.raw+json"})
    assert len(raw.content) == 1_500_000
    assert client.get(shown["download_url"]).content == raw.content
    assert blob_id(raw.content) == shown["sha"]


def test_a_directory_is_listed_with_its_children_only(get: Any, sha: str) -> None:
    listed = {entry["name"]: entry["type"] for entry in get("/repos/acme/tools/contents/skills/one")}
    assert listed == {
        "AGENTS.md": "symlink",
        "SKILL.md": "file",
        "data.bin": "file",
        "outside": "symlink",
        "scripts": "dir",
    }
    top = {entry["name"]: entry["type"] for entry in get("/repos/acme/tools/contents")}
    assert top == {"README.md": "file", "assets": "dir", "skills": "dir", "vendor": "dir"}
    (submodule,) = get("/repos/acme/tools/contents/vendor/")
    assert (submodule["type"], submodule["download_url"]) == ("file", None)


def test_a_link_inside_the_repository_is_answered_with_its_target_and_one_outside_is_not(get: Any, sha: str) -> None:
    inside = get("/repos/acme/tools/contents/skills/one/AGENTS.md")
    assert (inside["type"], inside["path"]) == ("file", "skills/one/AGENTS.md")
    assert base64.b64decode(inside["content"]).decode() == FILES["skills/one/SKILL.md"]
    outside = get("/repos/acme/tools/contents/skills/one/outside")
    assert (outside["type"], outside["target"]) == ("symlink", "/etc/passwd")
    assert "content" not in outside


def test_a_submodule_names_the_repository_it_points_to(client: httpx.Client, get: Any, sha: str) -> None:
    shown = get("/repos/acme/tools/contents/vendor/other")
    assert (shown["type"], shown["submodule_git_url"], shown["sha"]) == (
        "submodule",
        SUBMODULE["url"],
        SUBMODULE["sha"],
    )
    assert client.get(f"/repos/acme/tools/git/blobs/{SUBMODULE['sha']}").status_code == 404
    assert client.get("/raw/acme/tools/main/vendor/other").status_code == 404


def test_the_tarball_is_on_another_path_and_has_one_top_folder(client: httpx.Client, sha: str) -> None:
    redirect = client.get("/repos/acme/tools/tarball/main")
    assert redirect.status_code == 302
    assert httpx.URL(redirect.headers["Location"]).path == "/codeload/acme/tools/legacy.tar.gz/main"
    answer = client.get(redirect.headers["Location"])
    assert "Content-Length" not in answer.headers
    assert "X-RateLimit-Limit" not in answer.headers
    members = members_of(client, "main")
    top = f"acme-tools-{sha[:7]}"
    assert {name.split("/")[0] for name in members} == {top}
    assert members[f"{top}/skills/one/scripts/run.sh"][0].mode & 0o100
    assert members[f"{top}/vendor/other"][0].isdir()
    assert members[f"{top}/skills/one/outside"][0].linkname == "/etc/passwd"


@pytest.mark.parametrize(
    "path",
    [
        "/repos/acme/tools/contents/no/such/file",
        "/repos/acme/tools/contents/README.md?ref=nowhere",
        "/repos/acme/tools/contents/../../etc/passwd",
        "/repos/acme/tools/git/trees/nowhere",
        "/repos/acme/tools/git/blobs/" + "0" * 40,
        "/repos/acme/tools/tarball/nowhere",
        "/raw/acme/tools/main/no-such-file",
        "/raw/acme/tools/nowhere/README.md",
        "/raw/acme/tools/main/..%2f..%2fetc%2fpasswd",
        "/no/such/endpoint",
    ],
)
def test_what_is_not_there_is_not_found(client: httpx.Client, sha: str, path: str) -> None:
    assert client.get(path).status_code == 404


def test_writing_through_the_api_is_not_offered(client: httpx.Client, sha: str) -> None:
    assert client.put("/repos/acme/tools/contents/README.md", json={"content": ""}).status_code == 404
    assert client.get("/raw/acme/tools/refs/heads/main/README.md").text == FILES["README.md"]


@pytest.mark.parametrize("path", ["../up", "/rooted", "a//b", ".git/config", "a/./b", "nul\0"])
def test_a_path_that_git_would_refuse_is_refused(stand_in: GitHubStandIn, path: str) -> None:
    with pytest.raises(ValueError, match="git has no such path"):
        stand_in.put_repository("acme", "bad", {path: "x"})


def test_a_file_cannot_also_be_a_directory(stand_in: GitHubStandIn) -> None:
    with pytest.raises(ValueError, match="cannot also be a directory"):
        stand_in.put_repository("acme", "bad", {"a": "x", "a/b": "y"})
