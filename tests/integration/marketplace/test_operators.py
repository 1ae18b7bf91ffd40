"""Comparing the stores and setting them right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import psycopg
import pytest
from skillgate.observability import Measure
from skillgate.services import skill_health
from skillgate.services.published_index import build_index
from skillgate.services.rebuild import rebuild
from skillgate.services.skill_health import watch_drift

from tests.integration.marketplace.test_sources import without_kv
from tests.support.backends import World
from tests.support.market import Http, publish_skill
from tests.support.outage import without_postgres


@pytest.fixture
def http(real: World) -> Http:
    for number in range(5):
        publish_skill(real.backend, f"acme/tools/tool-{number}", files={"notes.md": f"{number}\n"})
    build_index(real.backend)
    return Http(real.backend)


def forget_in_postgres(real: World, *ids: str) -> None:
    with psycopg.connect(real.database_url) as connection:
        connection.execute("DELETE FROM skills WHERE id = ANY(%s)", [list(ids)])
        connection.execute("DELETE FROM file_contents")


def test_stores_that_agree_are_healthy(http: Http) -> None:
    health = http.get("/api/v1/admin/health/skills").json
    assert (health["kv_index_count"], health["kv_enumerated_count"], health["prisma_count"]) == (5, 5, 5)
    assert (health["postgres_count"], health["seed_count"], health["drift_detected"]) == (5, 118, False)
    assert health["drifts"] == [] and health["recommendations"]


def test_health_compares_what_is_there_and_not_only_how_many(real: World, http: Http) -> None:
    forget_in_postgres(real, "acme/tools/tool-1")
    publish_skill(without_kv(real.backend), "acme/tools/stray")  # the numbers agree again, the skills do not
    health = http.get("/api/v1/admin/health/skills").json
    assert health["kv_enumerated_count"] == health["postgres_count"] == 5
    assert health["drift_detected"] is True
    drifts = {drift["kind"]: drift["examples"] for drift in health["drifts"]}
    assert drifts["only_in_kv"] == ["acme/tools/tool-1"] and drifts["only_in_postgres"] == ["acme/tools/stray"]
    assert any("rebuild-index" in advice for advice in health["recommendations"])


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Measure, float]]:
    found: list[tuple[Measure, float]] = []
    monkeypatch.setattr(skill_health, "measure", lambda what, value=1: found.append((what, value)))
    return found


@pytest.mark.usefixtures("http")
def test_stores_that_agree_report_no_drift(real: World, reported: list[tuple[Measure, float]]) -> None:
    assert watch_drift(real.backend) == {}
    assert reported == [(Measure.DRIFT, 0)]


@pytest.mark.usefixtures("http")
def test_what_the_index_lacks_for_now_is_no_drift(real: World, reported: list[tuple[Measure, float]]) -> None:
    publish_skill(real.backend, "acme/tools/new")
    assert watch_drift(real.backend) == {}
    assert reported == [(Measure.DRIFT, 0)]


@pytest.mark.usefixtures("http")
def test_what_one_store_lacks_for_good_is_drift(real: World, reported: list[tuple[Measure, float]]) -> None:
    forget_in_postgres(real, "acme/tools/tool-1", "acme/tools/tool-2")
    found = watch_drift(real.backend)
    assert found["only_in_kv"] == 2
    assert reported == [(Measure.DRIFT, sum(found.values()))]


@pytest.mark.usefixtures("http")
def test_a_store_that_cannot_be_read_reports_no_drift_at_all(
    real: World, reported: list[tuple[Measure, float]]
) -> None:
    assert watch_drift(without_postgres(real.backend)) == {}
    assert reported == []


def test_a_rebuild_writes_back_what_postgres_lacks_files_and_all(real: World, http: Http) -> None:
    forget_in_postgres(real, "acme/tools/tool-1", "acme/tools/tool-2")
    orphan = {"pk": {"S": "ALIAS#lost"}, "sk": {"S": "acme/tools/lost"}, "gsi1pk": {"S": "ALIAS#3"}}
    orphan["gsi1sk"] = {"S": "lost#acme/tools/lost"}
    real.dynamodb.put_item(TableName=real.settings.table_name, Item=orphan)

    first = http.post("/api/v1/admin/rebuild-index").json

    assert (first["ok"], first["complete"], first["errors"]) == (True, True, 0)
    assert (first["prismaBackfilled"], first["backfilled"], first["rebuilt"]) == (2, 2, 5 + 118)
    assert (first["orphanedAliases"], first["orphans"]) == (1, ["lost → acme/tools/lost"])
    assert http.get("/api/v1/skills/acme/tools/tool-1").json["source"] == "postgres"
    assert http.get("/api/v1/skills/acme/tools/tool-1/versions/1.0.0/skill.zip").status == 200

    again = http.post("/api/v1/admin/rebuild-index").json
    assert (again["ok"], again["prismaBackfilled"], again["rebuilt"]) == (True, 0, 5 + 118)
    assert http.get("/api/v1/admin/health/skills").json["drift_detected"] is False


def test_a_rebuild_that_is_cut_off_is_taken_up_where_it_stopped(real: World, http: Http) -> None:
    for number in range(250):
        publish_skill(without_postgres(real.backend), f"more/tools/tool-{number}")

    def clock() -> Iterator[float]:
        yield from (0.0, 100.0)  # time is up after the first batch
        yield from (200.0 + step for step in count())

    ticks = clock()
    first = rebuild(real.backend, seconds=10, clock=lambda: next(ticks))
    assert not first.complete and 0 < first.backfilled < 250

    second = rebuild(real.backend)
    assert second.complete and second.backfilled == 250 and second.errors == 0
    assert Http(real.backend).get("/api/v1/skills/count").json["count"] == 255 + 118


def test_operators_routes_need_the_key(real: World) -> None:
    answer = Http(real.backend).get("/api/v1/admin/health/skills", {"x-internal-key": "wrong"})
    assert answer.status == 401


def test_what_cannot_be_read_is_unknown_and_not_zero(real: World, http: Http) -> None:
    health = Http(without_postgres(real.backend)).get("/api/v1/admin/health/skills").json
    assert health["postgres_count"] is None and health["kv_enumerated_count"] == 5
    assert any("could not be read" in advice for advice in health["recommendations"])
