"""Search through the API, from memory and from Postgres: the same ranks, the same manners."""

from __future__ import annotations

import pytest
from skillgate.domain.errors import StoreUnavailable
from skillgate.ports import Backend
from skillgate.services.published_index import build_index
from skillgate.services.search import Search, search_skills

from tests.integration.marketplace.test_sources import cold, without_index
from tests.support.backends import World
from tests.support.market import Http, publish_skill

SKILLS = {
    "acme/terraform-kit/terraform": "Writes modules.",
    "acme/terraform-kit/terraform-review": "Looks over plans.",
    "beta/infra/review-terraform": "Another look.",
    "gamma/terraform/state-doctor": "Heals broken state.",
    "delta/cloud/provisioner": "Creates machines with terraform.",
    "acme/many/powershell": "Scripts for Windows.",
    "other/many/terraform": "The same name elsewhere.",
    "delta/cloud/pdf": "Reads documents.",
}
HOSTILE = [
    "'",
    '"',
    "%",
    "_",
    "\\",
    "' OR 1=1 --",
    "🙂",
    "a" * 10_240,
    "word " * 2_048,
    "%%%",
    "(",
    "a & | !",
    "\x01",
    "​",
]


@pytest.fixture(params=["index", "postgres"])
def market(request: pytest.FixtureRequest, real: World) -> Backend:
    for location, description in SKILLS.items():
        publish_skill(real.backend, location, description)
    if request.param == "postgres":
        return without_index(real.backend)
    return refreshed(real.backend)


def refreshed(backend: Backend) -> Backend:
    """With a new index loaded, where there is one to load."""
    try:
        build_index(backend, full=True)
    except StoreUnavailable:
        return backend
    again = cold(backend)
    while again.warm.get() is None:
        pass
    return again


def found(backend: Backend, q: str) -> list[str]:
    """Of what was published here; the seeds are found as well."""
    hits = search_skills(backend, Search(q, limit=50)).hits
    return [hit.listing.skill_id for hit in hits if hit.listing.skill_id in SKILLS]


def test_exact_beats_prefix_beats_word_beats_repository_beats_description(market: Backend) -> None:
    ranked = found(market, "terraform")
    exact, rest = set(ranked[:2]), ranked[2:]
    assert exact == {"acme/terraform-kit/terraform", "other/many/terraform"}
    assert rest == [
        "acme/terraform-kit/terraform-review",
        "beta/infra/review-terraform",
        "gamma/terraform/state-doctor",
        "delta/cloud/provisioner",
    ]


def test_popularity_breaks_ties_and_nothing_else(market: Backend) -> None:
    for machine in range(3):
        Http(market).post("/api/v1/skills/delta/cloud/provisioner/installs", {"machineId": str(machine)})
    Http(market).post("/api/v1/skills/other/many/terraform/installs", {"machineId": "one"})
    ranked = found(refreshed(market), "terraform")
    assert ranked[:2] == ["other/many/terraform", "acme/terraform-kit/terraform"]
    assert ranked[-1] == "delta/cloud/provisioner"


def test_a_typo_still_finds(market: Backend) -> None:
    assert {"acme/terraform-kit/terraform", "other/many/terraform"} <= set(found(market, "terrafrom"))
    assert "acme/many/powershell" in found(market, "powershel")


def test_a_repositorys_name_or_address_whole_or_in_part_finds_all_its_skills(market: Backend) -> None:
    whole = ["acme/terraform-kit", "https://github.com/Acme/terraform-kit", "github.com/acme/terraform-kit.git"]
    for q in [*whole, "terraform-ki", "e/terraform-k"]:
        assert {"acme/terraform-kit/terraform", "acme/terraform-kit/terraform-review"} <= set(found(market, q)), q


def test_one_name_in_two_repositories_is_found_twice_and_told_apart(market: Backend) -> None:
    results = Http(market).get("/api/v1/skills/search", q="terraform", tier="VERIFIED").json["results"]
    both = {each["id"]: each for each in results if each["skillSlug"] == "terraform"}
    assert set(both) == {"acme/terraform-kit/terraform", "other/many/terraform"}
    assert both["other/many/terraform"]["alternateRepos"] == ["acme/terraform-kit"]
    assert both["acme/terraform-kit/terraform"]["alternateRepos"] == ["other/many"]


def test_whatever_q_holds_it_is_no_error(market: Backend) -> None:
    http = Http(market)
    for q in HOSTILE:
        answer = http.get("/api/v1/skills/search", q=q)
        assert answer.status == 200 and "results" in answer.json, q[:20]


def test_signs_alone_find_nothing_and_an_empty_query_finds_everything(market: Backend) -> None:
    assert Http(market).get("/api/v1/skills/search", q="%").json["results"] == []
    assert len(Http(market).get("/api/v1/skills/search", q="", limit=100).json["results"]) == 100


def test_results_page_by_cursor_without_gaps_or_repeats(market: Backend) -> None:
    http = Http(market)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = http.get("/api/v1/skills/search", None, q="terraform", limit=2, **cursor).json
        seen += [each["id"] for each in page["results"]]
        if not page["pagination"]["hasMore"]:
            break
        cursor = {"cursor": page["pagination"]["nextCursor"]}
    whole = [hit.listing.skill_id for hit in search_skills(market, Search("terraform", limit=100)).hits]
    assert seen == whole and len(seen) == len(set(seen)) >= 6


def test_filters_narrow_and_answers_name_their_source(market: Backend) -> None:
    http = Http(market)
    answer = http.get("/api/v1/skills/search", q="terraform", repo="https://github.com/acme/terraform-kit")
    assert {each["repoSlug"] for each in answer.json["results"]} == {"terraform-kit"}
    assert answer.headers["x-skillgate-source"] in ("index", "postgres") and answer.headers["x-skillgate-as-of"]
    assert http.get("/api/v1/skills/search", q="terraform", hasScripts="true", author="acme").json["results"] == []
    assert http.get("/api/v1/skills/search", q="terraform", agent="cursor", author="acme").json["results"]
    by_name = http.get("/api/v1/skills/search", q="terraform", author="acme", sort="name").json["results"]
    assert [each["displayName"] for each in by_name] == ["terraform", "terraform-review"]


def test_clients_find_what_they_can_install(market: Backend) -> None:
    answer = Http(market).get("/api/search", q="terraform", limit=5)
    assert answer.json["skills"][0].keys() == {"id", "name", "source", "installs"}
    assert "acme/terraform-kit/terraform" in {skill["id"] for skill in answer.json["skills"]}


def test_a_skill_published_after_the_index_was_built_is_found(market: Backend) -> None:
    publish_skill(market, "late/comer/zebra-stripes")
    assert [hit.listing.skill_id for hit in search_skills(market, Search("zebra-stripes")).hits] == [
        "late/comer/zebra-stripes"
    ]
