"""The skill API that existing clients speak, on real stores."""

import hashlib
import io
import zipfile

import psycopg
import pytest
from skillgate.domain.repo_url import RepoUrl
from skillgate.services.security_view import NOT_RUN, UNKNOWN, report_of, sarif_of, skill_security
from skillgate.services.skill_view import security_page
from skillgate.services.submit import Request, create_submission

from tests.support.backends import World
from tests.support.market import Http, publish_skill, skill_md
from tests.support.outage import without_postgres
from tests.support.queue import drain


@pytest.fixture
def http(real: World) -> Http:
    return Http(real.backend)


def test_a_published_skill_is_answered_with_the_fields_that_clients_read(real: World, http: Http) -> None:
    publish_skill(real.backend, "Acme/Tools/pdf", "Reads PDF files.", tags="documents, Forms", stars=7)

    answer = http.get("/api/v1/skills/acme/tools/PDF")

    assert answer.status == 200
    skill = answer.json["skill"]
    assert (skill["name"], skill["displayName"], skill["author"]) == ("acme/tools/pdf", "pdf", "Acme")
    assert (skill["ownerSlug"], skill["repoSlug"], skill["skillSlug"]) == ("Acme", "Tools", "pdf")
    assert (skill["certTier"], skill["certMethod"], skill["trustTier"]) == ("VERIFIED", "tier1", "T2")
    assert (skill["category"], skill["labels"], skill["githubStars"]) == ("documents", ["documents", "forms"], 7)
    assert (skill["currentVersion"], skill["isBlocked"], skill["vskillInstalls"]) == ("1.0.0", False, 0)
    assert skill["content"] == skill_md("pdf", "Reads PDF files.", tags="documents, Forms")
    assert skill["contentHash"] == hashlib.sha256(skill["content"].encode()).hexdigest()
    assert (answer.json["source"], answer.json["degraded"]) == ("postgres", False)
    assert answer.headers["x-skillgate-source"] == "postgres"


def test_an_unchanged_skill_is_not_sent_again(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf")
    first = http.get("/api/v1/skills/acme/tools/pdf")
    again = http.get("/api/v1/skills/acme/tools/pdf", {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")

    publish_skill(real.backend, "acme/tools/pdf", "Now reads them faster.")
    assert http.get("/api/v1/skills/acme/tools/pdf", {"if-none-match": first.headers["etag"]}).status == 200


def test_lists_page_through_everything_once_in_every_order(real: World, http: Http) -> None:
    for number in range(12):
        publish_skill(real.backend, f"acme/tools/tool-{number:02}", stars=number % 3)
    total = http.get("/api/v1/skills/count").json["count"]
    assert total == 12 + 118

    for sort in ("popular", "updated", "created", "stars", "score", "name"):
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = http.get("/api/v1/skills", None, limit=50, sort=sort, **cursor).json
            assert page["total"] == total
            seen += [skill["id"] for skill in page["skills"]]
            if page["nextCursor"] is None:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert len(seen) == len(set(seen)) == total, sort
        by_page = [
            skill["id"]
            for number in (1, 2, 3)
            for skill in http.get("/api/v1/skills", sort=sort, page=number).json["skills"]
        ]
        assert by_page == seen, sort


def test_lists_are_filtered(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf", "Fills PDF forms.", tags="forms")
    publish_skill(real.backend, "other/tools/deploy", "Deploys to kubernetes.")

    def ids(**query: str) -> list[str]:
        return [skill["id"] for skill in http.get("/api/v1/skills", None, **query).json["skills"]]

    assert ids(author="ACME") == ["acme/tools/pdf"]
    assert ids(labels="forms") == ["acme/tools/pdf"]
    assert ids(category="devops", author="other") == ["other/tools/deploy"]
    assert ids(tier="verified", author="other") == ["other/tools/deploy"]
    assert ids(tier="certified", author="other") == []
    categories = {entry["name"]: entry["count"] for entry in http.get("/api/v1/skills/categories").json["categories"]}
    assert sum(categories.values()) == 120


def test_a_seed_is_shown_until_it_is_published(real: World, http: Http) -> None:
    before = http.get("/api/v1/skills/anthropics/skills/pdf").json["skill"]
    assert (before["isSeed"], before["certTier"], before["installable"]) == (True, "LISTED", False)

    publish_skill(real.backend, "anthropics/skills/pdf", "Works with PDF files.")

    after = http.get("/api/v1/skills/anthropics/skills/pdf").json["skill"]
    assert (after["isSeed"], after["description"]) == (False, "Works with PDF files.")
    assert http.get("/api/v1/skills/count").json["count"] == 118


def test_a_repository_lists_all_its_skills(real: World, http: Http) -> None:
    for number in range(120):
        publish_skill(real.backend, f"acme/many/skill-{number}")
    answer = http.get("/api/v1/repos/Acme/Many/skills").json
    assert len(answer["skills"]) == answer["total"] == 120
    assert http.get("/api/v1/repos/acme/none/skills").status == 404


def test_versions_are_listed_compared_and_installed_byte_for_byte(real: World, http: Http) -> None:
    binary = bytes(range(256)) * 5
    first: dict[str, bytes | str] = {"scripts/run.py": "print('one')\n", "old.md": "old\n", "logo.bin": binary}
    second: dict[str, bytes | str] = {
        "scripts/run.py": "print('two')\nprint('three')\n",
        "new.md": "new\n",
        "logo.bin": binary,
    }
    publish_skill(real.backend, "acme/tools/pdf", "First.", files=first)
    publish_skill(real.backend, "acme/tools/pdf", "Second.", files=second)
    base = "/api/v1/skills/acme/tools/pdf/versions"

    listed = http.get(base).json["versions"]
    assert [version["version"] for version in listed] == ["1.0.1", "1.0.0"]

    one = http.get(f"{base}/1.0.0").json["version"]
    assert "First." in one["content"] and {file["path"] for file in one["files"]} >= {"skills/pdf/old.md"}

    diff = http.get(f"{base}/diff", None, **{"from": "1.0.0", "to": "1.0.1"}).json
    assert (diff["from"], diff["to"]) == ("1.0.0", "1.0.1")
    assert diff["diffSummary"] == "2 files changed; new.md added; old.md removed"
    assert "-description: First." in diff["contentDiff"] and "+description: Second." in diff["contentDiff"]

    files = {
        file["path"]: file
        for file in http.get(f"{base}/compare", None, **{"from": "1.0.0", "to": "1.0.1"}).json["files"]
    }
    assert set(files) == {"SKILL.md", "scripts/run.py", "new.md", "old.md"}
    run = files["scripts/run.py"]
    assert (run["status"], run["additions"], run["deletions"]) == ("modified", 2, 1)
    assert "+print('three')" in run["patch"]
    assert (files["new.md"]["status"], files["old.md"]["status"]) == ("added", "removed")

    for version, files_of, text in (("1.0.0", first, "First."), ("1.0.1", second, "Second.")):
        download = http.get(f"{base}/{version}/skill.zip")
        assert download.headers["content-type"] == "application/zip"
        digest = next(v["digest"] for v in listed if v["version"] == version)
        assert digest == f"sha256:{hashlib.sha256(download.body).hexdigest()}"
        with zipfile.ZipFile(io.BytesIO(download.body)) as archive:
            assert archive.testzip() is None
            unpacked = {name: archive.read(name) for name in archive.namelist()}
        wanted = {path: c.encode() if isinstance(c, str) else c for path, c in files_of.items()}
        assert unpacked == wanted | {"SKILL.md": skill_md("pdf", text).encode()}


def test_updates_are_told_with_how_far_and_what(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf", "First.", version="1.2.0")
    publish_skill(real.backend, "acme/tools/pdf", "Second.", version="2.0.0")
    latest = publish_skill(real.backend, "acme/tools/csv", "Only.")
    asked = [
        {"name": "acme/tools/pdf", "currentVersion": "1.2.0"},
        {"name": "csv", "currentVersion": "1.0.0"},
        {"name": "acme/tools/csv", "currentVersion": "0.9.0", "sha": latest.content_hash},
        {"name": "nobody/has/this", "currentVersion": "1.0.0"},
    ]

    results = http.post("/api/v1/skills/check-updates", {"skills": asked}).json["results"]

    assert [result["name"] for result in results] == [each["name"] for each in asked]
    pdf, csv, same, unknown = results
    assert (pdf["installed"], pdf["latest"], pdf["updateAvailable"], pdf["versionBump"]) == (
        "1.2.0",
        "2.0.0",
        True,
        "major",
    )
    assert pdf["diffSummary"] == "SKILL.md changed" and pdf["certTier"] == "VERIFIED" and pdf["certScore"] > 0
    assert (csv["latest"], csv["updateAvailable"], csv["versionBump"]) == ("1.0.0", False, "none")
    assert same["updateAvailable"] is False
    assert unknown["latest"] is None and unknown["error"]


def test_an_install_is_counted_once_per_machine_and_day_without_keeping_who(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf")
    path = "/api/v1/skills/acme/tools/pdf/installs"
    assert http.post(path, {"machineId": "laptop-of-ada"}).json["counted"] == 1
    assert http.post(path, {"machineId": "laptop-of-ada"}).json["counted"] == 0
    assert http.post(path, {"machineId": "another"}).json["counted"] == 1
    batch = {"machineId": "third", "skills": ["acme/tools/pdf", "nobody/has/this"]}
    assert http.post("/api/v1/skills/installs", batch).json["skills"] == ["acme/tools/pdf"]
    assert http.post(path).json["counted"] == 1
    assert http.get("/api/v1/skills/acme/tools/pdf").json["skill"]["vskillInstalls"] == 4
    assert http.post("/api/v1/skills/nobody/has/this/installs").status == 404

    with psycopg.connect(real.database_url) as connection:
        marks = connection.execute("SELECT machine FROM install_marks").fetchall()
    assert len({bytes(mark) for (mark,) in marks}) == 4 and all(len(mark) == 16 for (mark,) in marks)


def test_flat_names_redirect_or_name_their_candidates(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/changelog-writer")
    one = http.get("/api/v1/skills/changelog-writer")
    assert (one.status, one.headers["location"]) == (308, "/api/v1/skills/acme/tools/changelog-writer")
    part = http.get("/api/v1/skills/Changelog_Writer/security")
    assert part.headers["location"] == "/api/v1/skills/acme/tools/changelog-writer/security"

    publish_skill(real.backend, "other/tools/changelog-writer")
    several = http.get("/api/v1/skills/changelog-writer")
    assert (several.status, several.json["code"]) == (404, "ambiguous_name")
    assert set(several.json["candidates"]) == {"acme/tools/changelog-writer", "other/tools/changelog-writer"}
    assert http.get("/api/v1/skills/nobody-has-this").json["code"] == "skill_not_found"


def test_security_badge_and_reports_say_what_was_found(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf")
    base = "/api/v1/skills/acme/tools/pdf"
    security = http.get(f"{base}/security").json
    providers = {report["provider"]: report for report in security["providers"]}
    assert providers["tier1"]["coverage"]["complete"] is True and "rules" in providers["tier1"]["scannerVersion"]
    assert providers["tier2"]["status"] == "NOT_RUN"
    badge = http.get(f"{base}/badge")
    assert badge.headers["content-type"].startswith("image/svg+xml") and b"verified" in badge.body
    assert b"unknown" in http.get("/api/v1/skills/nobody/has/this/badge").body
    assert http.get(f"{base}/report.json").json["score"] == security["certScore"]
    assert http.get(f"{base}/report.sarif").json["version"] == "2.1.0"


def test_a_badge_can_be_shown_by_another_site_and_nothing_else_can(real: World, http: Http) -> None:
    publish_skill(real.backend, "acme/tools/pdf")
    base, policy = "/api/v1/skills/acme/tools/pdf", "cross-origin-resource-policy"
    badge = http.get(f"{base}/badge")
    unchanged = http.get(f"{base}/badge", {"if-none-match": badge.headers["etag"]})

    assert (badge.headers[policy], unchanged.status, unchanged.headers[policy]) == ("cross-origin", 304, "cross-origin")
    assert http.get("/api/v1/skills/nobody/has/this/badge").headers[policy] == "cross-origin"
    for other in (base, f"{base}/security", f"{base}/report.json", f"{base}/report.sarif"):
        assert http.get(other).headers[policy] == "same-origin"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/skills?colour=red", 400, "unknown_parameter"),
        ("/api/v1/skills?limit=1000", 400, "validation_failed"),
        ("/api/v1/skills?cursor=nonsense", 400, "invalid_cursor"),
        ("/api/v1/skills/search?cursor=WzFd", 400, "invalid_cursor"),
        ("/api/v1/skills/search?sort=colour", 400, "validation_failed"),
        ("/api/v1/skills/nobody/has/this", 404, "skill_not_found"),
        ("/api/v1/skills/nobody/has/this/versions", 404, "skill_not_found"),
        ("/api/v1/skills/nobody/has/this/security", 404, "skill_not_found"),
        ("/api/v1/skills/anthropics/skills/pdf/security", 404, "not_scanned"),
        ("/api/v1/skills/anthropics/skills/pdf/versions/1.0.0/SKILL.md", 404, "version_not_found"),
        ("/api/v1/changes?after=never", 400, "invalid_cursor"),
        ("/api/v1/blocklist/check", 400, "nothing_to_check"),
        ("/api/v1/blocklist/check?hash=xyz", 400, "validation_failed"),
        ("/nobody/here/.well-known/agent-skills/index.json", 404, "repository_not_found"),
    ],
)
def test_what_cannot_be_answered_is_a_problem_with_a_code(http: Http, path: str, status: int, code: str) -> None:
    bare, _, query = path.partition("?")
    answer = http.get(bare, None, **dict(pair.split("=") for pair in query.split("&") if pair))
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


def test_lists_that_are_too_long_are_refused(http: Http) -> None:
    many = [{"name": "a/b/c", "currentVersion": "1.0.0"}] * 101
    assert http.post("/api/v1/skills/check-updates", {"skills": many}).json["code"] == "validation_failed"
    assert http.post("/api/v1/skills/installs", {"skills": ["a/b/c"] * 101}).json["code"] == "validation_failed"


@pytest.fixture
def scanned_outside(real: World) -> World:
    """A world with one published skill that Semgrep found nothing in."""
    real.github.put_repository("acme", "tools", {"skills/pdf/SKILL.md": skill_md("pdf")})
    create_submission(real.backend, Request(RepoUrl("acme", "tools"), "skills/pdf/SKILL.md"))
    drain(real)
    with psycopg.connect(real.database_url) as connection:
        connection.execute("DELETE FROM external_scans")
        connection.execute(
            """INSERT INTO external_scans (job_id, version_id, scanner, content_hash, status, result, created_at)
               SELECT gen_random_uuid(), id, 'semgrep', content_hash, 'COMPLETED',
                      '{"findings": [], "findingsTotal": 0}', now()
               FROM skill_versions"""
        )
    return real


def test_security_holds_both_tiers_and_the_scanners_outside(scanned_outside: World) -> None:
    found = skill_security(scanned_outside.backend, "acme/tools/pdf")

    assert [(report.provider, report.status, report.verdict) for report in found.providers] == [
        ("tier1", "COMPLETED", "pass"),
        ("tier2", NOT_RUN, None),
        ("semgrep", "COMPLETED", "clean"),
        ("njsscan", NOT_RUN, None),
        ("trufflehog", NOT_RUN, None),
    ]


def test_security_without_postgres_is_unknown_where_it_cannot_be_read(scanned_outside: World) -> None:
    known = skill_security(scanned_outside.backend, "acme/tools/pdf").providers[0]

    tier1, *rest = skill_security(without_postgres(scanned_outside.backend), "acme/tools/pdf").providers

    assert (tier1.status, tier1.verdict, tier1.score) == ("COMPLETED", known.verdict, known.score)
    assert {report.status for report in rest} == {UNKNOWN} and {report.verdict for report in rest} == {None}


def test_routes_report_files_and_the_page_say_the_same_of_a_skill(scanned_outside: World) -> None:
    backend, http = scanned_outside.backend, Http(scanned_outside.backend)
    tier1 = skill_security(backend, "acme/tools/pdf").providers[0]

    _, report = report_of(backend, "acme/tools/pdf")
    _, sarif = sarif_of(backend, "acme/tools/pdf")
    page = security_page(backend, "acme/tools/pdf")
    one = http.get("/api/v1/skills/acme/tools/pdf/security/tier1").json

    assert tier1.findings == report["findings"] == page.reports["tier1"].findings
    assert len(sarif["runs"][0]["results"]) == tier1.findings_total == one["findingsTotal"]
    assert (one["score"], one["verdict"]) == (report["score"], report["decision"]) == (tier1.score, tier1.verdict)
