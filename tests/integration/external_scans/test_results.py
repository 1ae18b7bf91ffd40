"""What workers report: believed only with a good signature, counted once, bound to job and content."""

import json
import threading
from typing import Any

import pytest
from skillgate.domain.external_scan import Scanner, ScanStatus
from skillgate.services.sweep import sweep

from tests.support.external_scans import SKILL, WEBHOOK_SECRETS, Scans, completed, finding
from workers.scanner.signatures import webhook_headers


@pytest.fixture
def dispatched(scans: Scans) -> Scans:
    scans.publish()
    scans.dispatch()
    return scans


def semgrep(scans: Scans) -> Any:
    published = scans.backend.skills.get("acme/tools/pdf")
    assert published is not None
    return scans.scan(published)


def good_headers(scans: Scans, body: bytes, *, ago: float = 0.0, secret: str = WEBHOOK_SECRETS[0]) -> dict[str, str]:
    return webhook_headers("msg_1", body, secret, scans.clock().timestamp() - ago)


def test_a_result_is_shown_with_version_coverage_and_time(dispatched: Scans) -> None:
    answer = dispatched.report(completed(semgrep(dispatched), [finding("high")]))

    assert (answer.status, answer.body["applied"]) == (202, True)
    shown = dispatched.security("semgrep")
    assert shown["status"] == "COMPLETED" and shown["verdict"] == "findings"
    assert shown["scannerVersion"] == "1.172.0" and shown["durationMs"] == 2345
    assert shown["coverage"]["filesScanned"] == 2 and shown["coverage"]["complete"] is True
    assert shown["findings"] == [finding("high")] and shown["findingsOmitted"] == 0
    assert [each["provider"] for each in dispatched.security()["providers"]] == [
        "tier1", "tier2", "semgrep", "njsscan", "trufflehog",
    ]  # fmt: skip


def test_a_clean_result_is_clean_and_the_other_scanners_are_still_pending(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched)))

    states = {each["provider"]: (each["status"], each["verdict"]) for each in dispatched.security()["providers"]}
    assert states["tier1"] == ("COMPLETED", "pass") and states["tier2"] == ("NOT_RUN", None)
    assert states["semgrep"] == ("COMPLETED", "clean") and states["njsscan"] == ("PENDING", None)


def test_every_valid_secret_signs(dispatched: Scans) -> None:
    body = json.dumps(completed(semgrep(dispatched))).encode()

    assert dispatched.post(body, good_headers(dispatched, body, secret=WEBHOOK_SECRETS[1])).status == 202


def test_one_good_signature_among_several_is_enough(dispatched: Scans) -> None:
    body = json.dumps(completed(semgrep(dispatched))).encode()
    headers = good_headers(dispatched, body)
    headers["webhook-signature"] = f"v1,AAAA v1a,zzz {headers['webhook-signature']}"

    assert dispatched.post(body, headers).status == 202


def tampered(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body.replace(b'"findings": []', b'"findings":  []'), headers


def another_id(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body, headers | {"webhook-id": "msg_2"}


def another_time(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body, headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}


def without_signature(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body, {name: value for name, value in headers.items() if name != "webhook-signature"}


def without_anything(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body, {}


def with_a_strange_time(body: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    return body, headers | {"webhook-timestamp": "٣٣٣"}


@pytest.mark.parametrize(
    "spoil", [tampered, another_id, another_time, without_signature, without_anything, with_a_strange_time]
)
def test_a_webhook_that_is_not_exactly_what_was_signed_gets_401_and_changes_nothing(
    dispatched: Scans, spoil: Any
) -> None:
    body = json.dumps(completed(semgrep(dispatched))).encode()

    answer = dispatched.post(*spoil(body, good_headers(dispatched, body)))

    assert answer.status == 401, answer.body
    assert semgrep(dispatched).status is ScanStatus.PENDING and semgrep(dispatched).result is None


@pytest.mark.parametrize("ago", [301, -301])
def test_a_webhook_outside_of_five_minutes_gets_401_and_changes_nothing(dispatched: Scans, ago: int) -> None:
    body = json.dumps(completed(semgrep(dispatched))).encode()

    answer = dispatched.post(body, good_headers(dispatched, body, ago=ago + (1 if ago > 0 else -1)))

    assert (answer.status, answer.body["code"]) == (401, "webhook_stale")
    assert semgrep(dispatched).status is ScanStatus.PENDING


def test_a_webhook_signed_with_another_secret_gets_401_and_changes_nothing(dispatched: Scans) -> None:
    body = json.dumps(completed(semgrep(dispatched))).encode()

    answer = dispatched.post(body, good_headers(dispatched, body, secret="not-ours"))

    assert (answer.status, answer.body["code"]) == (401, "webhook_signature_invalid")
    assert semgrep(dispatched).status is ScanStatus.PENDING


def test_a_replayed_webhook_gets_401_and_changes_nothing(dispatched: Scans) -> None:
    body = json.dumps(completed(semgrep(dispatched), [finding()])).encode()
    headers = good_headers(dispatched, body)
    assert dispatched.post(body, headers).status == 202
    before = semgrep(dispatched)

    answer = dispatched.post(body, headers)

    assert (answer.status, answer.body["code"]) == (401, "webhook_replayed")
    assert semgrep(dispatched) == before


def test_a_flood_of_one_id_is_one_result(dispatched: Scans) -> None:
    body = json.dumps(completed(semgrep(dispatched), [finding("critical", confirmed=True)])).encode()
    headers = good_headers(dispatched, body)
    statuses: list[int] = []
    start = threading.Barrier(12)

    def send() -> None:
        start.wait()
        statuses.append(dispatched.post(body, headers).status)

    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [202] + [401] * 11
    skill = dispatched.backend.skills.get("acme/tools/pdf")
    assert skill is not None and skill.revision == 2  # quarantined once


def test_a_late_result_for_other_content_is_kept_and_changes_nothing(dispatched: Scans) -> None:
    before = semgrep(dispatched)
    report = completed(before, [finding("critical", confirmed=True)]) | {"contentHash": "0" * 64}

    answer = dispatched.report(report)

    assert (answer.status, answer.body) == (202, {"ok": True, "applied": False, "why": "other_content"})
    assert semgrep(dispatched) == before
    assert dispatched.security()["status"] == "published"
    assert kept(dispatched) == [("msg_1", "other_content", "0" * 64)]


def test_a_second_result_for_the_same_job_is_kept_and_changes_nothing(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched)), "msg_1")
    before = semgrep(dispatched)

    answer = dispatched.report(completed(before, [finding("critical", confirmed=True)]), "msg_2")

    assert answer.body["why"] == "already_completed" and semgrep(dispatched) == before
    assert kept(dispatched) == [("msg_2", "already_completed", before.content_hash)]


def kept(scans: Scans) -> list[tuple[str, str, str]]:
    import psycopg

    with psycopg.connect(scans.world.database_url) as connection:
        return connection.execute(
            "SELECT webhook_id, not_applied, content->>'contentHash' FROM external_scan_messages"
            " WHERE not_applied IS NOT NULL"
        ).fetchall()


def test_a_result_for_the_old_version_leaves_the_new_one_alone(dispatched: Scans) -> None:
    old = semgrep(dispatched)
    new = dispatched.publish(SKILL + "\nAnd then say thanks.\n")

    dispatched.report(completed(old, [finding("critical", confirmed=True)]))

    skill = dispatched.backend.skills.get("acme/tools/pdf")
    assert skill is not None and (skill.content_hash, skill.status) == (new.content_hash, "published")


def test_a_job_that_was_never_planned_is_404_and_its_id_is_not_used_up(dispatched: Scans) -> None:
    report = completed(semgrep(dispatched))

    unknown = dispatched.report(report | {"jobId": "0198d1a2-0000-7000-8000-000000000000"})
    assert (unknown.status, unknown.body["code"]) == (404, "job_unknown")

    assert dispatched.report(report).status == 202


def test_findings_are_capped_at_a_hundred_with_the_worst_kept_and_the_rest_counted(dispatched: Scans) -> None:
    found = [finding("low", rule=f"r{n}") for n in range(150)] + [finding("high", rule="the-worst")]

    dispatched.report(completed(semgrep(dispatched), found))

    shown = dispatched.security("semgrep")
    assert len(shown["findings"]) == 100 and shown["findings"][0]["ruleId"] == "the-worst"
    assert (shown["findingsTotal"], shown["findingsOmitted"]) == (151, 51)


def test_what_a_worker_already_left_out_is_counted_too(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched), [finding()], findingsTotal=700))

    assert dispatched.security("semgrep")["findingsOmitted"] == 699


def sarif(*results: dict[str, Any]) -> dict[str, Any]:
    rules = [
        {"id": "CS1", "properties": {"security-severity": "9.8", "precision": "very-high"}},
        {"id": "CS2", "defaultConfiguration": {"level": "note"}},
    ]
    driver = {"name": "Semgrep OSS", "semanticVersion": "1.172.0", "rules": rules}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": list(results)}]}


def sarif_result(rule: str, **more: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": "skills/pdf/run.py"}, "region": {"startLine": 7}}
    return {"ruleId": rule, "message": {"text": "Careful."}, "locations": [{"physicalLocation": place}], **more}


def test_sarif_is_taken_too(dispatched: Scans) -> None:
    document = sarif(sarif_result("CS2"), sarif_result("CS3", level="error"))
    report = completed(semgrep(dispatched), sarif=document)
    del report["scannerVersion"]

    assert dispatched.report(report).status == 202

    shown = dispatched.security("semgrep")
    assert [(each["ruleId"], each["severity"], each["line"]) for each in shown["findings"]] == [
        ("CS3", "high", 7),
        ("CS2", "low", 7),
    ]
    assert shown["scannerVersion"] == "Semgrep OSS 1.172.0"


def test_a_sarif_result_of_the_highest_severity_and_precision_quarantines(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched), sarif=sarif(sarif_result("CS1"))))

    assert dispatched.security()["status"] == "quarantined"


@pytest.mark.parametrize("document", [{}, {"runs": 1}, {"runs": [{}]}, sarif({"locations": 3}), sarif(3)])  # type: ignore[arg-type]
def test_what_only_claims_to_be_sarif_is_400_and_changes_nothing(dispatched: Scans, document: Any) -> None:
    answer = dispatched.report(completed(semgrep(dispatched), sarif=document))

    assert (answer.status, answer.body["code"]) == (400, "invalid_sarif")
    assert semgrep(dispatched).status is ScanStatus.PENDING


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_a_number_that_json_does_not_have_is_400_wherever_it_is(dispatched: Scans, number: bytes) -> None:
    report = completed(semgrep(dispatched), sarif={"runs": [], "x": "HERE"}, contentHash="0" * 64)
    body = json.dumps(report).encode().replace(b'"HERE"', number)

    answer = dispatched.post(body, good_headers(dispatched, body))

    assert (answer.status, answer.body["code"]) == (400, "invalid_json")


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "nmap"},
        {"status": "fine"},
        {"contentHash": "xyz"},
        {"status": "failed"},
        {"error": {"code": "x", "message": "x"}},
        {"findings": [{"ruleId": "x", "severity": "awful"}]},
    ],
)
def test_a_signed_report_that_does_not_fit_is_400_and_changes_nothing(
    dispatched: Scans, change: dict[str, Any]
) -> None:
    assert dispatched.report(completed(semgrep(dispatched)) | change).status == 400
    assert semgrep(dispatched).status is ScanStatus.PENDING


def failed(scan: Any) -> dict[str, Any]:
    error = {"code": "scanner_timed_out", "message": "semgrep did not finish."}
    return completed(scan) | {"status": "failed", "error": error, "findings": [finding("critical", confirmed=True)]}


def test_a_scanner_that_failed_says_nothing_about_the_skill(dispatched: Scans) -> None:
    assert dispatched.report(failed(semgrep(dispatched))).status == 202

    shown = dispatched.security("semgrep")
    assert (shown["status"], shown["verdict"], shown["errorCode"]) == ("FAILED", None, "scanner_timed_out")
    assert shown["findings"] == [] and shown["findingsTotal"] is None
    assert dispatched.security()["status"] == "published"


def test_a_result_that_comes_after_a_failure_counts(dispatched: Scans) -> None:
    dispatched.report(failed(semgrep(dispatched)), "msg_1")
    dispatched.report(completed(semgrep(dispatched)), "msg_2")

    shown = dispatched.security("semgrep")
    assert (shown["status"], shown["verdict"], shown["errorCode"]) == ("COMPLETED", "clean", None)


def test_a_scan_that_has_begun_shows_as_running_and_word_of_it_that_comes_late_changes_nothing(
    dispatched: Scans,
) -> None:
    scan = semgrep(dispatched)
    running = {"jobId": scan.job_id, "contentHash": scan.content_hash, "provider": "semgrep", "status": "running"}
    dispatched.report(running, "msg_1")
    assert dispatched.security("semgrep")["status"] == "RUNNING"

    dispatched.report(completed(scan), "msg_2")
    assert dispatched.report(running, "msg_3").body["applied"] is False
    assert dispatched.security("semgrep")["status"] == "COMPLETED"


def test_pending_over_twenty_minutes_shows_as_timed_out_and_is_dispatched_again_once(dispatched: Scans) -> None:
    first = semgrep(dispatched)
    dispatched.clock.advance(minutes=19)
    assert dispatched.security("semgrep")["status"] == "PENDING"
    dispatched.clock.advance(minutes=2)
    assert dispatched.security("semgrep")["status"] == "TIMED_OUT"

    assert sweep(dispatched.backend).external_scans_again == 3
    dispatched.dispatch()
    second = semgrep(dispatched)
    assert (second.status, second.dispatches, second.job_id) == (ScanStatus.PENDING, 2, first.job_id)
    assert second.worker != first.worker  # the one that did not answer is asked last

    dispatched.clock.advance(minutes=21)
    report = sweep(dispatched.backend)
    assert (report.external_scans_again, report.external_scans_timed_out) == (0, 3)
    assert dispatched.dispatch() == 0
    assert semgrep(dispatched).status is ScanStatus.TIMED_OUT


def test_a_result_that_comes_after_the_time_out_still_counts(dispatched: Scans) -> None:
    for _ in range(2):
        dispatched.clock.advance(minutes=21)
        sweep(dispatched.backend)
        dispatched.dispatch()

    dispatched.report(completed(semgrep(dispatched)))

    assert dispatched.security("semgrep")["verdict"] == "clean"


def test_ids_are_forgotten_after_a_month_and_kept_reports_are_not(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched)), "msg_1")
    dispatched.report(completed(semgrep(dispatched)), "msg_2")

    dispatched.clock.advance(days=31)
    sweep(dispatched.backend)

    assert dispatched.report(completed(semgrep(dispatched)), "msg_1").body["why"] == "already_completed"
    assert [webhook_id for webhook_id, _, _ in kept(dispatched)] == ["msg_2", "msg_1"]


def test_an_operator_starts_failed_scans_over(dispatched: Scans) -> None:
    dispatched.report(failed(semgrep(dispatched)))

    body = json.dumps({"reason": "the worker's disk was full"}).encode()
    answer = dispatched.call("POST", "/api/v1/admin/external-scans/start-over", body)

    assert answer.body["detail"] == {"queued": 1}
    dispatched.clock.advance(minutes=5)
    sweep(dispatched.backend)
    dispatched.dispatch()
    assert semgrep(dispatched).status is ScanStatus.PENDING


def test_an_unknown_provider_is_404_and_an_unknown_skill_too(dispatched: Scans) -> None:
    path = "/api/v1/skills/acme/tools/pdf/security/nmap"
    assert dispatched.call("GET", path).body["code"] == "provider_unknown"
    assert dispatched.call("GET", "/api/v1/skills/acme/tools/nope/security").body["code"] == "skill_not_found"


def test_statistics_count_by_scanner_and_status(dispatched: Scans) -> None:
    dispatched.report(completed(semgrep(dispatched)))

    seen = dispatched.call("GET", "/api/v1/admin/external-scans").body

    assert seen["state"] == "ok" and seen["dispatchedLastHour"] == 3
    assert seen["endedLastDay"] == {"semgrep": {"COMPLETED": 1}}
    assert seen["unfinished"] == {"njsscan": {"PENDING": 1}, Scanner.TRUFFLEHOG: {"PENDING": 1}}
    assert seen["queue"]["deadLetters"] == 0 and seen["lastResultAt"]
