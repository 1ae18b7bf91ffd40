"""The discovery index that installers read."""

from __future__ import annotations

import hashlib

from skillgate.services.published_index import build_index
from skillgate.services.well_known import SCHEMA

from tests.integration.marketplace.test_sources import cold
from tests.support.backends import World
from tests.support.market import Http, publish_skill
from tests.support.outage import without_postgres


def test_every_entry_leads_to_the_bytes_it_announces(real: World) -> None:
    publish_skill(real.backend, "acme/tools/plain")
    publish_skill(real.backend, "acme/tools/rich", files={"scripts/run.sh": "echo hello\n"})
    http = Http(real.backend)
    for path in ("/.well-known/agent-skills/index.json", "/.well-known/skills/index.json",
                 "/Acme/Tools/.well-known/agent-skills/index.json"):  # fmt: skip
        index = http.get(path)
        assert index.json["$schema"] == SCHEMA and index.headers["etag"]
        entries = {entry["name"]: entry for entry in index.json["skills"]}
        assert {name: entry["type"] for name, entry in entries.items()} == {"plain": "skill-md", "rich": "archive"}
        for entry in entries.values():
            assert set(entry) == {"name", "type", "description", "url", "digest"}
            content = http.get(entry["url"]).body
            assert entry["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"


def test_names_are_unique_and_in_letters_that_installers_take(real: World) -> None:
    publish_skill(real.backend, "acme/tools/PDF_Forms")
    publish_skill(real.backend, "other/tools/pdf-forms")
    for machine in "ab":
        Http(real.backend).post("/api/v1/skills/other/tools/pdf-forms/installs", {"machineId": machine})
    http = Http(real.backend)
    root = http.get("/.well-known/agent-skills/index.json").json["skills"]
    assert [(entry["name"], entry["url"].split("/")[4]) for entry in root] == [("pdf-forms", "other")]
    own = http.get("/acme/tools/.well-known/agent-skills/index.json").json["skills"]
    assert [entry["name"] for entry in own] == ["pdf-forms"]


def test_discovery_and_installs_work_with_postgres_away(real: World) -> None:
    publish_skill(real.backend, "acme/tools/rich", files={"scripts/run.sh": "echo hello\n"})
    before = Http(real.backend).get("/acme/tools/.well-known/agent-skills/index.json").json
    build_index(real.backend)
    http = Http(without_postgres(cold(real.backend)))
    assert http.get("/acme/tools/.well-known/agent-skills/index.json").json == before
    content = http.get(before["skills"][0]["url"]).body
    assert before["skills"][0]["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
