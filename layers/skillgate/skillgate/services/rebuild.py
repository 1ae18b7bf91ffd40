"""Setting the stores right: what only the KV has is written back to Postgres, and the index is built again.

It works through the KV in order of the ids and writes down how far it got, so that a run that is cut off is continued
by the next one. Every step may be repeated without harm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skillgate.concurrency import chunks, settle
from skillgate.domain.errors import Conflict, SkillgateError
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.services import publish
from skillgate.services.marketplace import want_rebuild
from skillgate.services.published_index import build_index

PROGRESS = "index-rebuild-progress"
_BATCH = 200
_WORKERS = 8
_SHOWN = 50
# What is left to an answer when an index of the largest size has to be built as well.
_SECONDS_FOR_INDEX = 12.0


@dataclass
class Rebuild:
    """`complete` False: time ran out, and the next call goes on from there."""

    rebuilt: int = 0
    backfilled: int = 0
    errors: int = 0
    details: list[str] = field(default_factory=list)
    orphans: Sequence[tuple[str, str]] = ()
    complete: bool = False
    index_built: bool = False


def rebuild(backend: Backend, *, seconds: float = 22.0, clock: Callable[[], float] = time.monotonic) -> Rebuild:
    """Raises StoreUnavailable if either store cannot be read at all."""
    deadline = clock() + seconds
    progress = backend.live.control(PROGRESS) or {}
    after = str(progress.get("after", ""))
    done = Rebuild(backfilled=int(progress.get("backfilled", 0)), errors=int(progress.get("errors", 0)))
    listed = backend.kv_skills.revisions()
    durable = backend.catalogue.revisions()
    for batch in chunks(sorted(id_ for id_ in listed if id_ > after), _BATCH):
        lacking = [id_ for id_ in batch if id_ not in durable or durable[id_][0] < listed[id_]]
        _backfill(backend, lacking, done)
        if clock() > deadline:
            _note(backend, batch[-1], done)
            return done
    _note(backend, "", Rebuild())
    done.orphans = _orphans(backend)
    done.complete = True
    done.rebuilt, done.index_built = _index(backend, deadline - clock())
    return done


def _backfill(backend: Backend, ids: Sequence[str], done: Rebuild) -> None:
    def one(skill_id: str) -> bool:
        skill = backend.live.get_skill(skill_id)
        if skill is None:
            return False
        publish.replay(backend, skill)
        return True

    for skill_id, outcome in zip(ids, settle(one, ids, workers=_WORKERS), strict=True):
        if outcome.ok:
            done.backfilled += bool(outcome.value)
        else:
            done.errors += 1
            message = outcome.error.message if isinstance(outcome.error, SkillgateError) else "its item is unreadable"
            logger.warning("backfill_failed", skill_id=skill_id, error=str(outcome.error))
            if len(done.details) < _SHOWN:
                done.details.append(f"{skill_id}: {message}")


def _orphans(backend: Backend) -> list[tuple[str, str]]:
    """Names that lead to a skill which neither store has."""
    known = {*backend.kv_skills.revisions(), *backend.catalogue.revisions()}
    kv = [(alias, skill_id) for alias, skill_id in backend.kv_skills.aliases() if skill_id not in known]
    durable = [pair for pair in backend.catalogue.orphaned_aliases(_SHOWN) if pair[1] not in known]
    return sorted({*kv, *durable})


def _index(backend: Backend, seconds: float) -> tuple[int, bool]:
    """Builds the index if there is time for a large one, and else leaves it to the builder, which has more."""
    if seconds >= _SECONDS_FOR_INDEX:
        try:
            return build_index(backend, full=True).count, True
        except Conflict:
            logger.info("index_built_by_another")
    want_rebuild(backend, "an operator asked for it")
    pointer = backend.index.pointer()
    return (pointer.count if pointer else 0), False


def _note(backend: Backend, after: str, done: Rebuild) -> None:
    progress = {"after": after, "backfilled": done.backfilled, "errors": done.errors}
    backend.live.set_control(PROGRESS, progress, at=backend.now(), by="rebuild")
