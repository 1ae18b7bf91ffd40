"""Which repository a name stands for: moved heads, old commits, renamed, private, empty, gone and blocked ones."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from local.github import GitHubStandIn, Limits


def test_a_repository_is_described_as_github_describes_it(stand_in: GitHubStandIn, get: Any) -> None:
    metadata = {"stars": 12, "forks": 3, "topics": ["agent-skills"], "license": "MIT", "description": "Tools"}
    stand_in.put_repository("Acme", "Tools", {"SKILL.md": "x" * 4096}, metadata)

    shown = get("/repos/acme/tools")

    assert shown["full_name"] == "Acme/Tools"
    assert shown["owner"]["login"] == "Acme"
    assert shown["html_url"] == "https://github.com/Acme/Tools"
    assert (shown["default_branch"], shown["private"], shown["archived"], shown["fork"]) == (
        "main",
        False,
        False,
        False,
    )
    assert (shown["stargazers_count"], shown["forks_count"], shown["size"]) == (12, 3, 4)
    assert (shown["topics"], shown["description"]) == (["agent-skills"], "Tools")
    assert shown["license"]["spdx_id"] == "MIT"
    assert shown["pushed_at"] == "2025-01-01T00:00:00Z"
    assert get(httpx.URL(shown["url"]).path) == shown


def test_a_push_moves_the_head_and_old_commits_stay(stand_in: GitHubStandIn, client: httpx.Client, get: Any) -> None:
    first = stand_in.put_repository("acme", "tools", {"SKILL.md": "one", "other": "same"})
    second = stand_in.put_repository("acme", "tools", {"SKILL.md": "two", "other": "same"})

    assert first is not None and first != second
    head = get("/repos/acme/tools/commits/main")
    assert head["sha"] == second
    assert [parent["sha"] for parent in head["parents"]] == [first]
    assert get("/repos/acme/tools")["pushed_at"] == head["commit"]["committer"]["date"]
    assert client.get(f"/raw/acme/tools/{first}/SKILL.md").text == "one"
    assert client.get("/raw/acme/tools/main/SKILL.md").text == "two"
    assert get(f"/repos/acme/tools/commits/{first[:7]}")["sha"] == first

    def history(**query: Any) -> list[str]:
        return [commit["sha"] for commit in get("/repos/acme/tools/commits", **query)]

    assert history() == [second, first]
    assert history(path="SKILL.md", per_page=1) == [second]
    assert history(path="other") == [first]
    assert history(sha=first) == [first]


def test_pushing_the_same_files_again_makes_no_commit(stand_in: GitHubStandIn) -> None:
    first = stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    assert stand_in.put_repository("acme", "tools", {"SKILL.md": "one"}, {"stars": 5}) == first


def test_a_client_can_ask_for_the_bare_commit_id(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    sha = stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    answer = client.get("/repos/acme/tools/commits/HEAD", headers={"Accept": "application/vnd.github.sha"})
    assert answer.text == sha


@pytest.mark.parametrize("ref", ["nowhere", "0" * 40, "abc"])
def test_an_unknown_ref_is_unprocessable(stand_in: GitHubStandIn, client: httpx.Client, ref: str) -> None:
    stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    answer = client.get(f"/repos/acme/tools/commits/{ref}")
    assert (answer.status_code, answer.json()["message"]) == (422, f"No commit found for SHA: {ref}")


def test_a_change_on_disk_is_served_at_once_even_within_a_clock_tick(tmp_path: Path) -> None:
    file = tmp_path / "acme" / "tools" / "SKILL.md"
    file.parent.mkdir(parents=True)
    with GitHubStandIn(tmp_path) as stand_in, httpx.Client(base_url=stand_in.url) as client:
        for text in ("one", "two", "six"):
            file.write_text(text)
            assert client.get("/raw/acme/tools/main/SKILL.md").text == text
        commits = client.get("/repos/acme/tools/commits").json()
        assert len(commits) == 3
        assert client.get(f"/raw/acme/tools/{commits[-1]['sha']}/SKILL.md").text == "one"


def test_a_folder_that_disappears_is_no_longer_served(tmp_path: Path) -> None:
    for name in ("stays", "goes"):
        (tmp_path / "Acme" / name).mkdir(parents=True)
        (tmp_path / "Acme" / name / "SKILL.md").write_text("one")
    with GitHubStandIn(tmp_path) as stand_in, httpx.Client(base_url=stand_in.url) as client:
        assert [repository["name"] for repository in client.get("/users/acme/repos").json()] == ["goes", "stays"]
        (tmp_path / "Acme" / "goes").rename(tmp_path / "elsewhere")
        assert [repository["name"] for repository in client.get("/users/acme/repos").json()] == ["stays"]
        assert client.get("/repos/acme/goes").status_code == 404
        assert client.get("/repos/acme/stays").json()["full_name"] == "Acme/stays"


def test_a_metadata_file_that_does_not_fit_is_answered_as_a_failure_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "tools.yaml").write_text("starz: 5\n")
    with GitHubStandIn(tmp_path) as stand_in:
        assert httpx.get(f"{stand_in.url}/repos/acme/tools").status_code == 500
    assert "starz" in caplog.text


def test_a_renamed_repository_redirects_to_its_number(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    sha = stand_in.put_repository("acme", "new-name", {"SKILL.md": "one"})
    stand_in.put_repository("acme", "old-name", {}, {"renamed_to": "acme/new-name"})

    answer = client.get("/repos/acme/old-name")
    assert answer.status_code == 301
    assert answer.headers["Location"] == answer.json()["url"]
    assert httpx.URL(answer.headers["Location"]).path.startswith("/repositories/")

    assert client.get("/repos/acme/old-name", follow_redirects=True).json()["full_name"] == "acme/new-name"
    assert client.get("/repos/acme/old-name/commits/main", follow_redirects=True).json()["sha"] == sha
    tree = client.get("/repos/acme/old-name/git/trees/main?recursive=1", follow_redirects=True).json()
    assert [entry["path"] for entry in tree["tree"]] == ["SKILL.md"]
    assert client.get("/raw/acme/old-name/main/SKILL.md", follow_redirects=True).text == "one"


def test_a_private_repository_exists_only_for_the_tokens_that_may_see_it(
    stand_in: GitHubStandIn, client: httpx.Client
) -> None:
    stand_in.put_repository("acme", "secret", {"SKILL.md": "one"}, {"private": True, "visible_to": ["insider"]})
    for path in ("/repos/acme/secret", "/repos/acme/secret/tarball/main", "/raw/acme/secret/main/SKILL.md"):
        assert client.get(path).status_code == 404
    assert client.get("/search/code", params={"q": "filename:SKILL.md"}).json()["total_count"] == 0
    seen = client.get("/repos/acme/secret", headers={"Authorization": "token insider"})
    assert (seen.status_code, seen.json()["private"]) == (200, True)


def test_an_empty_repository_exists_but_has_no_commit(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("acme", "empty", {})
    statuses = {
        path: client.get(f"/repos/acme/empty{path}").status_code
        for path in ("", "/commits/main", "/commits", "/git/trees/main", "/contents", "/tarball/main")
    }
    assert statuses == {
        "": 200,
        "/commits/main": 409,
        "/commits": 409,
        "/git/trees/main": 409,
        "/contents": 404,
        "/tarball/main": 404,
    }


def test_a_removed_repository_is_gone_until_it_is_pushed_again(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("acme", "tools", {"SKILL.md": "one"})
    assert client.delete("/_control/repositories/acme/tools").status_code == 204
    assert client.get("/repos/acme/tools").json()["message"] == "Not Found"
    assert client.get("/repos/acme/tools").status_code == 404
    assert client.delete("/_control/repositories/acme/tools").status_code == 404
    stand_in.put_repository("acme", "tools", {"SKILL.md": "two"})
    assert client.get("/raw/acme/tools/main/SKILL.md").text == "two"


def test_a_repository_taken_down_for_copyright_says_so(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("acme", "copied", {"SKILL.md": "one"}, {"dmca": True})
    answer = client.get("/repos/acme/copied")
    assert (answer.status_code, answer.json()["block"]["reason"]) == (451, "dmca")


def test_what_was_pushed_outlives_a_restart_with_its_history(tmp_path: Path) -> None:
    served, state = tmp_path / "served", tmp_path / "state"
    (served / "acme" / "on-disk").mkdir(parents=True)
    (served / "acme" / "on-disk" / "SKILL.md").write_text("from disk")

    with GitHubStandIn(served, state=state) as stand_in, httpx.Client(base_url=stand_in.url) as client:
        first = stand_in.put_repository(
            "acme", "pushed", {"a/SKILL.md": "one"}, {"stars": 7, "generated": {"big": 9000}}
        )
        second = stand_in.put_repository(
            "acme", "pushed", {"a/SKILL.md": "two"}, {"stars": 8, "generated": {"big": 9000}}
        )
        replaced = stand_in.put_repository("acme", "on-disk", {"SKILL.md": "pushed over it"})
        stand_in.put_repository("acme", "removed", {"SKILL.md": "x"})
        stand_in.remove_repository("acme", "removed")
        big = client.get("/raw/acme/pushed/main/big").content

    with GitHubStandIn(served, state=state) as stand_in, httpx.Client(base_url=stand_in.url) as client:
        assert client.get("/repos/acme/pushed").json()["stargazers_count"] == 8
        assert client.get("/repos/acme/pushed/commits/main").json()["sha"] == second
        assert client.get(f"/raw/acme/pushed/{first}/a/SKILL.md").text == "one"
        assert client.get("/raw/acme/pushed/main/big").content == big
        assert client.get("/repos/acme/on-disk/commits/main").json()["sha"] == replaced
        assert client.get("/repos/acme/removed").status_code == 404


def test_owners_list_their_repositories_page_by_page(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    for number in range(5):
        stand_in.put_repository("acme", f"tool-{number}", {"SKILL.md": "x"})
    stand_in.put_repository("acme", "hidden", {"SKILL.md": "x"}, {"private": True})
    stand_in.put_repository("acme", "moved", {}, {"renamed_to": "acme/tool-1"})
    stand_in.put_repository("other", "tool", {"SKILL.md": "x"})

    for kind in ("orgs", "users"):
        url: str | None = f"/{kind}/acme/repos?per_page=2"
        pages = []
        while url is not None:
            answer = client.get(url)
            pages.append([repository["name"] for repository in answer.json()])
            url = answer.links.get("next", {}).get("url")
        assert pages == [["tool-0", "tool-1"], ["tool-2", "tool-3"], ["tool-4"]]
    assert client.get("/users/acme/repos").links == {}
    assert client.get("/users/nobody/repos").status_code == 404


def test_thousands_of_skills_are_put_and_found(stand_in: GitHubStandIn, get: Any) -> None:
    for number in range(600):
        files = {f"skills/s{skill}/SKILL.md": f"---\nname: s{skill}\n---\n{number}" for skill in range(8 + number % 2)}
        stand_in.put_repository(f"owner-{number % 40}", f"repo-{number}", files, {"topics": ["agent-skills"]})
    assert get("/search/code", q="filename:SKILL.md")["total_count"] == 5100
    assert get("/search/repositories", q="topic:agent-skills")["total_count"] == 600
    tree = get("/repos/owner-1/repo-1/git/trees/HEAD", recursive=1)["tree"]
    assert len([entry for entry in tree if entry["type"] == "blob"]) == 9


def test_limits_for_the_local_stack_do_not_run_dry() -> None:
    assert Limits.generous().core_anonymous >= 1_000_000
    assert Limits().core_anonymous == 60
