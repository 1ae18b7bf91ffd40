"""The fakes have what their ports have. That they behave alike is for the contract tests."""

from __future__ import annotations

import inspect

import pytest
from skillgate import ports

from tests.support import fakes

PAIRS = [
    (ports.SubmissionStore, fakes.FakeSubmissionStore),
    (ports.OperatorStore, fakes.FakeOperatorStore),
    (ports.SkillStore, fakes.FakeSkillStore),
    (ports.LiveStore, fakes.FakeLiveStore),
    (ports.IdempotencyStore, fakes.FakeIdempotencyStore),
    (ports.SubmissionQueue, fakes.FakeQueue),
    (ports.SkillSource, fakes.FakeSource),
    (ports.Judge, fakes.FakeJudge),
    (ports.Counters, fakes.FakeCounters),
]


@pytest.mark.parametrize(("port", "fake"), PAIRS, ids=lambda kind: kind.__name__)
def test_a_fake_has_every_method_of_its_port_with_the_same_parameters(port: type, fake: type) -> None:
    methods = {name: method for name, method in vars(port).items() if inspect.isfunction(method) and name[0] != "_"}
    assert methods
    for name, method in methods.items():
        own = getattr(fake, name, None)
        assert own is not None, f"{fake.__name__} has no {name}"
        assert _shape(own) == _shape(method), name


def _shape(method: object) -> list[tuple[str, object, object]]:
    assert callable(method)
    return [(p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()]
