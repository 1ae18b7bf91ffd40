"""In-memory stand-ins for every port, held to the same contract tests as the real adapters."""

from tests.support.fakes.backend import ManualClock, fake_backend, settings
from tests.support.fakes.catalogue import FakeCatalogue
from tests.support.fakes.contents import FakeContents
from tests.support.fakes.counters import FakeCounters
from tests.support.fakes.database import FakeDatabase
from tests.support.fakes.external_scans import FakeScanOutbox
from tests.support.fakes.idempotency import FakeIdempotencyStore
from tests.support.fakes.live import FakeLiveStore
from tests.support.fakes.operators import FakeOperatorStore
from tests.support.fakes.outside import FakeJudge, FakeSource
from tests.support.fakes.queue import FakeQueue
from tests.support.fakes.skills import FakeSkillStore
from tests.support.fakes.submissions import FakeSubmissionStore

__all__ = [
    "FakeCatalogue",
    "FakeContents",
    "FakeCounters",
    "FakeDatabase",
    "FakeIdempotencyStore",
    "FakeJudge",
    "FakeLiveStore",
    "FakeOperatorStore",
    "FakeQueue",
    "FakeScanOutbox",
    "FakeSkillStore",
    "FakeSource",
    "FakeSubmissionStore",
    "ManualClock",
    "fake_backend",
    "settings",
]
