"""What a run reports at its end."""

import pytest
from skillgate.domain.discovery import GITHUB_CODE, Candidate, Outcome, TokenState, Verdict
from skillgate.domain.repo_url import RepoUrl
from skillgate.observability import Measure
from skillgate.services.discovery import run_log
from skillgate.services.discovery.run_log import RunLog

from tests.support.fakes import fake_backend


class Discoveries:
    """Keeps nothing."""

    def begin(self, run: object, *, forget_before: object) -> None:
        return None

    def save(self, run: object, rows: object) -> None:
        return None


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> dict[Measure, float]:
    found: dict[Measure, float] = {}
    monkeypatch.setattr(run_log, "measure", found.__setitem__)
    return found


@pytest.fixture
def log() -> RunLog:
    return RunLog(fake_backend(discoveries=Discoveries()), GITHUB_CODE, 10)


def test_a_run_reports_what_it_found_and_took(log: RunLog, reported: dict[Measure, float]) -> None:
    verdicts = (Verdict.ENQUEUED, Verdict.ENQUEUED, Verdict.KNOWN, Verdict.ERROR, Verdict.LEFT)
    log.took((Candidate(RepoUrl("acme", f"tools-{n}"), "SKILL.md"), verdict) for n, verdict in enumerate(verdicts))
    log.end(Outcome.CAPPED)
    assert reported == {
        Measure.DISCOVERY_CANDIDATES: 4,
        Measure.DISCOVERY_ENQUEUED: 2,
        Measure.DISCOVERY_ERRORS: 1,
    }


def test_a_run_that_found_nothing_reports_zeros(log: RunLog, reported: dict[Measure, float]) -> None:
    log.end(Outcome.COMPLETED)
    assert set(reported.values()) == {0}


def test_the_quota_left_is_that_of_all_tokens_together(log: RunLog, reported: dict[Measure, float]) -> None:
    tokens = [
        TokenState("1", retired=False, resource="core", remaining=4_000),
        TokenState("1", retired=False, resource="search", remaining=9),
        TokenState("2", retired=False, resource="core", remaining=300),
        TokenState("3", retired=True),
    ]
    log.end(Outcome.COMPLETED, tokens=tokens)
    assert reported[Measure.DISCOVERY_QUOTA_LEFT] == 4_300
