"""Search: qualifiers, pages, and the cap of a thousand results."""

from typing import Any

import httpx
import pytest

from local.github import GitHubStandIn


@pytest.fixture(autouse=True)
def _repositories(stand_in: GitHubStandIn) -> None:
    stand_in.put_repository(
        "acme",
        "tools",
        {
            "SKILL.md": "x" * 10,
            "skills/a/SKILL.md": "x" * 100,
            "skills/b/skill.md": "needle",
            "skills/b/run.py": "needle",
        },
        {"topics": ["agent-skills", "tools"], "stars": 50, "description": "Useful things"},
    )
    stand_in.put_repository("other", "kit", {"SKILL.md": "x" * 1000}, {"topics": ["agent-skills"], "stars": 5})
    stand_in.put_repository("other", "copy", {"SKILL.md": "x"}, {"fork": True})
    stand_in.put_repository("other", "large", {}, {"generated": {"SKILL.md": 400_000}})


def found(get: Any, query: str) -> list[str]:
    items = get("/search/code", q=query)["items"]
    return [f"{item['repository']['full_name']}/{item['path']}" for item in items]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "filename:SKILL.md",
            [
                "acme/tools/SKILL.md",
                "acme/tools/skills/a/SKILL.md",
                "acme/tools/skills/b/skill.md",
                "other/kit/SKILL.md",
            ],
        ),
        ("filename:SKILL.md repo:other/kit", ["other/kit/SKILL.md"]),
        ("filename:SKILL.md user:Other", ["other/kit/SKILL.md"]),
        ("filename:SKILL.md size:10..100", ["acme/tools/SKILL.md", "acme/tools/skills/a/SKILL.md"]),
        ("filename:SKILL.md size:>100", ["other/kit/SKILL.md"]),
        ("filename:SKILL.md size:<=6", ["acme/tools/skills/b/skill.md"]),
        ("filename:SKILL.md size:1000..*", ["other/kit/SKILL.md"]),
        ("filename:SKILL.md path:skills", ["acme/tools/skills/a/SKILL.md", "acme/tools/skills/b/skill.md"]),
        ("filename:SKILL.md path:skills/a", ["acme/tools/skills/a/SKILL.md"]),
        ("filename:SKILL.md path:/ repo:acme/tools", ["acme/tools/SKILL.md"]),
        ("NEEDLE extension:py", ["acme/tools/skills/b/run.py"]),
    ],
)
def test_code_is_found_by_its_qualifiers(get: Any, query: str, expected: list[str]) -> None:
    assert found(get, query) == expected


def test_a_result_leads_to_its_file(client: httpx.Client, get: Any) -> None:
    (item,) = get("/search/code", q="filename:SKILL.md repo:other/kit")["items"]
    assert get("/repos/other/kit/git/blobs/" + item["sha"])["size"] == 1000
    assert client.get(item["url"]).json()["sha"] == item["sha"]
    assert client.get(item["repository"]["url"]).json()["full_name"] == "other/kit"


def test_results_come_in_pages_up_to_the_cap(stand_in: GitHubStandIn, client: httpx.Client) -> None:
    stand_in.put_repository("many", "skills", {f"s/{number:04}/SKILL.md": "x" for number in range(1050)})
    query = {"q": "filename:SKILL.md repo:many/skills", "per_page": "500"}
    url: str | None = str(client.build_request("GET", "/search/code", params=query).url)
    seen: list[str] = []
    while url is not None:
        answer = client.get(url)
        page = answer.json()
        assert (page["total_count"], page["incomplete_results"]) == (1050, False)
        assert len(page["items"]) == 100
        seen += [item["path"] for item in page["items"]]
        url = answer.links.get("next", {}).get("url")
    assert len(seen) == len(set(seen)) == 1000
    beyond = client.get("/search/code", params={**query, "page": "11"})
    assert beyond.status_code == 422
    assert "first 1000" in beyond.json()["message"]


def test_code_search_needs_a_token(stand_in: GitHubStandIn) -> None:
    answer = httpx.get(f"{stand_in.url}/search/code", params={"q": "filename:SKILL.md"})
    assert (answer.status_code, answer.json()["message"]) == (401, "Requires authentication")


@pytest.mark.parametrize("query", ["", "language:python", "size:many", '"open quote'])
def test_a_query_that_cannot_be_answered_rightly_is_refused(client: httpx.Client, query: str) -> None:
    assert client.get("/search/code", params={"q": query}).status_code == 422


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "topic:agent-skills"}, ["acme/tools", "other/kit"]),
        ({"q": "topic:agent-skills topic:tools"}, ["acme/tools"]),
        ({"q": "topic:agent-skills stars:<10"}, ["other/kit"]),
        ({"q": "topic:agent-skills", "sort": "stars", "order": "asc"}, ["other/kit", "acme/tools"]),
        ({"q": "useful"}, ["acme/tools"]),
        ({"q": "topic:agent-skills", "per_page": "1", "page": "2"}, ["other/kit"]),
    ],
)
def test_repositories_are_found(get: Any, query: dict[str, str], expected: list[str]) -> None:
    items = get("/search/repositories", **query)["items"]
    assert [item["full_name"] for item in items] == expected
