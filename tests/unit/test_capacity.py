"""The models of cost and waiting: every figure has a source, and the arithmetic is that of a sheet of paper."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from pathlib import Path

import pytest

from local.capacity import consumer, cost, simulate
from local.capacity.figures import HERE, Basis, Figures, MissingFigure, load

BASIS = load()
KINDS = {"m": BASIS.measured, "a": BASIS.assumed, "p": BASIS.prices}


def used_by_the_models() -> set[tuple[str, str]]:
    """Every figure that a model's source asks for, as (kind, name): `m["name"]`, or `basis.measured["name"]`."""
    found = set()
    names = {"measured": "m", "assumed": "a", "prices": "p"} | {kind: kind for kind in KINDS}
    for path in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                of = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                if of in names and isinstance(node.slice.value, str):
                    found.add((names[of], node.slice.value))
    return found


USED = sorted(used_by_the_models())


def test_the_models_use_figures_of_every_kind() -> None:
    assert {kind for kind, _ in USED} == set(KINDS) and len(USED) > 30


@pytest.mark.parametrize(("kind", "name"), USED)
def test_a_figure_that_a_model_uses_is_there_and_says_where_it_comes_from(kind: str, name: str) -> None:
    assert KINDS[kind][name] >= 0
    assert KINDS[kind].sources[name]


def test_every_measured_figure_names_its_benchmark() -> None:
    assert all(source.startswith("bench capacity: ") for source in BASIS.measured.sources.values())
    assert BASIS.measured.machine


@pytest.mark.parametrize("kind", ["assumed", "prices"])
def test_no_figure_is_kept_that_no_model_uses(kind: str) -> None:
    letter = kind[0]
    assert set(KINDS[letter].values) == {name for used, name in USED if used == letter}


def test_a_missing_figure_is_an_error_with_its_name_and_its_file() -> None:
    without = {name: value for name, value in BASIS.measured.values.items() if name != "github_kilobytes"}
    basis = replace(BASIS, measured=replace(BASIS.measured, values=without))
    with pytest.raises(MissingFigure, match=r"measured\.yaml has no github_kilobytes: run `make measured`"):
        cost.report(basis)


def paper() -> Basis:
    """Round figures, to be reckoned with by hand."""
    measured = dict.fromkeys(BASIS.measured.values, 0.0) | {
        "consumer_alone_seconds": 1.0,
        "consumer_batch_seconds": 1.9,  # so 0.1 s of work for each record
        "judge_characters_in": 4_000,
        "dynamodb_write_units": 10,
        "github_requests": 5,
    }
    assumed = dict.fromkeys(BASIS.assumed.values, 0.0) | {
        "cpu_factor": 1, "skill_size": 1, "characters_per_token": 4, "tier2_share": 0.5, "judge_tokens_out": 100,
        "judge_seconds": 2, "vcpu_per_acu": 0.25, "database_load": 0.5, "reads_per_submission": 1,
    }  # fmt: skip
    prices = dict.fromkeys(BASIS.prices.values, 0.0) | {
        "lambda_gb_second_arm": 0.01, "dynamodb_write_unit": 0.001, "judge_million_tokens_in": 3,
        "judge_million_tokens_out": 10, "aurora_acu_hour": 0.1, "http_api_request": 0.01,
    }  # fmt: skip
    return Basis(*(Figures(f"{name}.yaml", "today", values, {}) for name, values in
                   (("measured", measured), ("assumptions", assumed), ("prices", prices))))  # fmt: skip


def test_a_bill_is_the_sum_that_one_gets_by_hand() -> None:
    bill = cost.monthly(1_000, paper(), cost.Installation(consumer_gb=consumer.FULL_VCPU_GB, tier2_share=0.0))
    # 100 batches of 0.9 s waiting and 10 × 0.1 s of work, at 1.7275 GB and a cent for a GB-second
    assert bill["consumer"] == pytest.approx(100 * 1.9 * consumer.FULL_VCPU_GB * 0.01)
    assert bill["DynamoDB"] == pytest.approx(1_000 * 10 * 0.001)
    assert bill["HTTP API and its functions"] == pytest.approx(2_000 * 0.01)
    assert bill["Aurora and RDS Proxy"] == pytest.approx(730 * 0.5 * 0.1)
    assert bill["judge"] == 0


def test_the_judge_is_paid_for_the_share_that_it_sees() -> None:
    bill = cost.monthly(1_000, paper(), cost.Installation())
    assert bill["judge"] == pytest.approx(1_000 * 0.5 * (1_000 * 3 + 100 * 10) / 1e6)


def test_half_the_processor_makes_the_work_twice_as_long_but_not_the_waiting() -> None:
    assert consumer.batch_seconds(paper(), 10) == pytest.approx(1.9)
    assert consumer.batch_seconds(paper(), 10, consumer.FULL_VCPU_GB / 2) == pytest.approx(0.9 + 2.0)
    assert consumer.batch_seconds(paper(), 10, consumer.FULL_VCPU_GB * 2) == pytest.approx(1.9)


def test_a_batch_waits_for_the_judge_if_one_of_it_does() -> None:
    assert consumer.judged_chance(0.5, 1) == 0.5
    assert consumer.judged_chance(0.5, 2) == 0.75
    assert consumer.judged_chance(0.0, 10) == 0


@pytest.mark.parametrize("volume", cost.VOLUMES)
def test_more_tier_2_and_smaller_batches_cost_more(volume: int) -> None:
    def total(setup: cost.Installation) -> float:
        return sum(cost.monthly(volume, BASIS, setup).values())

    usual = total(cost.Installation())
    assert total(cost.Installation(tier2_share=1)) > usual > total(cost.Installation(tier2_share=0))
    assert total(cost.Installation(batch_size=1)) > usual


def test_the_report_shows_every_volume_part_and_setting_and_what_it_rests_on() -> None:
    text = cost.report(BASIS)
    for shown in (
        "1,000",
        "100,000",
        "1,000,000",
        "judge",
        "Aurora",
        "batch size 1",
        "3.5 GB",
        "tier 2",
        "concurrency",
    ):
        assert shown in text
    assert all(word in text for word in ("measured", "assumed", "prices", BASIS.measured.machine))


# --- the queue --------------------------------------------------------------------------------------------------------


class Always(simulate.ServiceTimes):
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def of(self, size: int) -> float:
        return self._seconds


def test_one_consumer_makes_the_second_batch_wait_for_the_first() -> None:
    seen = simulate.simulate([0.0] * 20, 1, Always(5.0))
    assert (seen.p50, seen.worst) == (5.0, 5.0)


def test_two_consumers_take_two_batches_at_once() -> None:
    assert simulate.simulate([0.0] * 20, 2, Always(5.0)).worst == 0


def test_a_batch_takes_what_has_arrived_and_no_more() -> None:
    seen = simulate.simulate([0.0, 1.0, 2.0], 1, Always(10.0))
    assert seen.worst == 9.0  # the first goes alone; the others wait for it and go together
    assert seen.busy == pytest.approx(20 / simulate.DAY)


def test_a_day_brings_as_many_as_it_should_and_more_concurrency_never_makes_anybody_wait_longer() -> None:
    times = simulate.arrivals(5_000, random.Random(1), crawled=0.6)
    assert len(times) == 5_000 and times == sorted(times)
    worst = [simulate.simulate(times, n, Always(3.0)).worst for n in (1, 2, 5, 20)]
    assert worst == sorted(worst, reverse=True) and worst[0] > worst[-1]


def test_tokens_are_reckoned_from_the_requests_of_a_submission() -> None:
    assert simulate.tokens_needed(24_000, paper()) == 1  # 1,000 an hour, five requests each
    assert simulate.tokens_needed(24_024, paper()) == 2


def test_the_files_are_in_the_repository() -> None:
    assert {path.name for path in Path(HERE).glob("*.yaml")} == {"measured.yaml", "assumptions.yaml", "prices.yaml"}
