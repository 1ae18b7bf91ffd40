"""Reads with a way back: Postgres, the KV, the published index, the seeds, and back again."""

from __future__ import annotations

import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from skillgate.domain.errors import NotFound, StoreUnavailable
from skillgate.ports import Backend
from skillgate.search.warm import WarmIndex
from skillgate.services import marketplace
from skillgate.services.marketplace import SkillQuery
from skillgate.services.publish import replay
from skillgate.services.published_index import build_index
from skillgate.services.search import Search, search_skills
from skillgate.services.seeds import seed_ids

from tests.support.backends import World
from tests.support.market import Http, publish_skill, skill_md
from tests.support.outage import Away, without_postgres


def without_kv(backend: Backend) -> Backend:
    return replace(backend, kv_skills=Away(), live=Away(), contents_copy=Away())


def without_index(backend: Backend) -> Backend:
    away = Away()
    return replace(backend, index=away, warm=WarmIndex(away.pointer, away.read, away.overrides, backend.now))


def cold(backend: Backend) -> Backend:
    """The same stores in an execution environment that has just started."""
    return replace(
        backend, warm=WarmIndex(backend.index.pointer, backend.index.read, backend.kv_skills.overrides, backend.now)
    )


def ids(backend: Backend) -> set[str]:
    return {each.skill_id for each in marketplace.get_skills(backend, SkillQuery(limit=500)).skills}


@pytest.fixture
def market(real: World) -> Backend:
    for number in range(30):
        publish_skill(real.backend, f"acme/tools/tool-{number}")
    build_index(real.backend)
    return cold(real.backend)


def test_the_chain_is_walked_and_walked_back_and_nothing_is_lost_on_the_way(market: Backend) -> None:
    everything = {f"acme/tools/tool-{number}" for number in range(30)} | seed_ids()
    no_postgres = without_postgres(market)
    chain = [
        (market, "postgres", False, everything),
        (no_postgres, "kv", True, everything),
        (without_kv(no_postgres), "index", True, everything),
        (without_index(without_kv(no_postgres)), "seeds", True, set(seed_ids())),
        (without_kv(no_postgres), "index", True, everything),
        (no_postgres, "kv", True, everything),
        (market, "postgres", False, everything),
    ]
    for backend, source, degraded, expected in chain:
        page = marketplace.get_skills(backend, SkillQuery(limit=500))
        assert (page.provenance.source, page.provenance.degraded) == (source, degraded)
        assert {each.skill_id for each in page.skills} == expected and page.total == len(expected)
        count, counted = marketplace.get_skill_count(backend)
        assert (count, counted.source) == (len(expected), source)
        categories, told = marketplace.get_skill_categories(backend)
        assert (sum(categories.values()), told.source) == (len(expected), source)


def test_one_skill_is_found_by_name_wherever_it_still_is(market: Backend) -> None:
    no_postgres = without_postgres(market)
    for backend, source in [
        (market, "postgres"), (no_postgres, "kv"), (without_kv(no_postgres), "index"),
    ]:  # fmt: skip
        found = marketplace.get_skill_by_name(backend, "acme/tools/tool-7")
        assert (found.listing.skill_id, found.provenance.source) == ("acme/tools/tool-7", source)
    nothing = without_index(without_kv(no_postgres))
    assert marketplace.get_skill_by_name(nothing, "anthropics/skills/pdf").provenance.source == "seeds"
    with pytest.raises(StoreUnavailable):  # unknown is not absent
        marketplace.get_skill_by_name(nothing, "acme/tools/tool-7")
    with pytest.raises(NotFound):
        marketplace.get_skill_by_name(no_postgres, "acme/tools/none")


def test_a_search_is_answered_from_memory_and_with_stores_away(market: Backend) -> None:
    def search(backend: Backend) -> tuple[str, bool, int]:
        found = search_skills(backend, Search("tool", limit=20))
        return found.provenance.source, found.provenance.degraded, len(found.hits)

    loading = cold(market)
    while loading.warm.get() is None:
        assert search(cold(without_index(loading))) == ("postgres", False, 20)
    assert search(loading) == ("index", False, 20)
    assert search(without_postgres(loading)) == ("index", False, 20)
    rare = search_skills(without_postgres(loading), Search("tool-7"))
    assert (rare.provenance.source, rare.provenance.degraded) == ("index", True)  # nobody could say if there is more
    assert search(without_postgres(cold(market)))[0] == "index"
    no_index = without_index(without_postgres(market))
    assert search(no_index) == ("kv", True, 20)
    assert search(without_kv(no_index))[0] == "seeds"


def test_an_item_that_cannot_be_read_is_skipped_counted_and_hides_no_other(real: World, market: Backend) -> None:
    item = {"pk": {"S": "SKILL#acme/tools/tool-3"}, "sk": {"S": "LISTING"}, "document": {"B": b"not zlib"}}
    item |= {"gsi1pk": {"S": "PUBLISHED#0"}, "gsi1sk": {"S": "acme/tools/tool-3#1"}, "version": {"N": "9"}}
    real.dynamodb.put_item(TableName=real.settings.table_name, Item=item)

    page = marketplace.get_skills(without_postgres(market), SkillQuery(limit=500))

    assert (page.provenance.source, page.provenance.skipped) == ("kv", 1)
    assert len(page.skills) == 29 + len(seed_ids())
    answer = Http(without_postgres(market)).get("/api/v1/skills", limit=100).json
    assert (answer["source"], answer["degraded"], answer["skipped"]) == ("kv", True, 1)


def test_a_kv_that_lost_its_items_does_not_empty_the_marketplace(real: World, market: Backend) -> None:
    for number in range(30):
        key = {"pk": {"S": f"SKILL#acme/tools/tool-{number}"}, "sk": {"S": "LISTING"}}
        real.dynamodb.delete_item(TableName=real.settings.table_name, Key=key)
    page = marketplace.get_skills(without_postgres(market), SkillQuery(limit=500))
    assert page.provenance.source == "index" and len(page.skills) == 30 + len(seed_ids())


def test_where_the_enumeration_finds_more_than_the_index_the_index_is_rebuilt(market: Backend) -> None:
    away = without_postgres(market)
    publish_skill(away, "acme/tools/published-meanwhile")
    assert not build_index(away).built  # nobody has noticed yet

    assert "acme/tools/published-meanwhile" in ids(away)

    built = build_index(away)
    assert built.built and built.source == "kv" and built.count == 31 + len(seed_ids())
    found = without_kv(cold(away))
    assert "acme/tools/published-meanwhile" in ids(found)
    assert not build_index(away).built


def test_the_enumeration_has_more_than_one_read_in_flight(real: World) -> None:
    for number in range(250):
        publish_skill(real.backend, f"acme/tools/tool-{number}")
    together = threading.Barrier(3, timeout=20)  # is only passed if three reads are in flight at once
    table = real.backend.kv_skills._table  # type: ignore[attr-defined]
    client = table._client

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

        def batch_get_item(self, **arguments: Any) -> Any:
            together.wait()
            return client.batch_get_item(**arguments)

    table._client = Watched()
    try:
        listings, skipped = marketplace.enumerate_kv(real.backend)
    finally:
        table._client = client
    assert (len(listings), skipped) == (250, 0)


def test_hundreds_of_concurrent_publishes_lose_none(real: World) -> None:
    wanted = {f"owner-{number % 7}/repo/skill-{number}" for number in range(200)}
    stop = threading.Event()

    def keep_building() -> int:
        built = 0
        while not stop.is_set():
            built += build_index(real.backend).built
        return built

    with ThreadPoolExecutor(20) as pool:
        building = pool.submit(keep_building)
        published = [pool.submit(publish_skill, real.backend, location) for location in sorted(wanted)]
        for each in published:
            each.result()
        stop.set()
        assert building.result() >= 1
    build_index(real.backend)

    assert wanted <= ids(real.backend)
    assert wanted <= ids(without_postgres(real.backend))
    assert wanted <= ids(without_kv(cold(without_postgres(real.backend))))
    assert not build_index(real.backend).built  # and the builder knows that nothing is left to do


def test_two_builders_at_once_leave_one_whole_index(real: World) -> None:
    publish_skill(real.backend, "acme/tools/pdf")
    outcomes: list[str] = []

    def build() -> None:
        try:
            outcomes.append(str(build_index(real.backend, full=True).built))
        except Exception as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "True" in outcomes and set(outcomes) <= {"True", "Conflict"}
    assert "acme/tools/pdf" in ids(without_kv(cold(without_postgres(real.backend))))


def test_a_damaged_index_is_not_believed(real: World, market: Backend) -> None:
    pointer = market.index.pointer()
    assert pointer is not None
    key = {"pk": {"S": f"INDEX#{pointer.generation}"}, "sk": {"S": "CHUNK#00000"}}
    real.dynamodb.put_item(TableName=real.settings.table_name, Item=key | {"data": {"B": json.dumps({}).encode()}})
    page = marketplace.get_skills(without_kv(cold(without_postgres(market))), SkillQuery(limit=500))
    assert page.provenance.source == "seeds" and page.provenance.degraded


def test_a_very_large_skill_is_published_through_the_kv_and_caught_up_whole(real: World) -> None:
    chance = random.Random(1)
    body = "\n".join(f"{chance.getrandbits(256):064x}" for _ in range(12_000))  # does not compress to one item
    away = without_postgres(real.backend)
    published = publish_skill(away, "acme/tools/atlas", files={"data.txt": body, "SKILL.md": skill_md("atlas") + body})
    copy = away.live.get_skill("acme/tools/atlas")
    assert copy is not None and copy.content_hash == published.content_hash

    (unsynced,) = real.backend.live.unsynced_skills(10)
    replay(real.backend, unsynced)

    durable = real.backend.skills.get("acme/tools/atlas")
    assert durable is not None and durable.content == skill_md("atlas") + body
    assert Http(real.backend).get("/api/v1/skills/acme/tools/atlas/versions/1.0.0/skill.zip").status == 200


def test_old_generations_are_cleared_away_and_the_last_is_kept_for_who_still_loads_it(market: Backend) -> None:
    generations = [market.index.pointer()]
    for _ in range(3):
        build_index(market, full=True)
        generations.append(market.index.pointer())
    held = [bool(market.index.read(each.generation, range(each.chunks))) for each in generations if each]
    assert held == [False, False, True, True]
