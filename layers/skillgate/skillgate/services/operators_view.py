"""What operators look at first: the queue, a day's answers, and whether the stores agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillgate.concurrency import together
from skillgate.ports import AnsweredHour, Backend
from skillgate.services.operate import Health, queue_health
from skillgate.services.skill_health import SkillHealth, skill_health

HOURS = 24


@dataclass(frozen=True)
class Overview:
    """`hours` is empty and `stores` None where they could not be read: unknown is not zero."""

    queue: Health
    hours: Sequence[AnsweredHour]
    stores: SkillHealth | None


def overview(backend: Backend) -> Overview:
    queue, hours, stores = together(
        lambda: queue_health(backend),
        lambda: backend.charts.answered_by_hour(backend.now(), HOURS),
        lambda: skill_health(backend),
    )
    return Overview(queue.unwrap(), hours.value or (), stores.value)
