"""Comparing the stores of the marketplace: what is in each, not only how many, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from skillgate.concurrency import together
from skillgate.domain.listing import VISIBLE
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend
from skillgate.services.published_index import build_index, read_index
from skillgate.services.seeds import seed_ids

_SHOWN = 20
_REBUILD = "POST /api/v1/admin/rebuild-index writes back what Postgres lacks and builds the index again."


@dataclass(frozen=True)
class Drift:
    kind: str
    count: int
    examples: Sequence[str]
    explanation: str
    ids: frozenset[str] = frozenset()  # all of them


@dataclass(frozen=True)
class SkillHealth:
    """A count is None where its store could not be read: unknown is not zero."""

    index_count: int | None
    enumerated_count: int | None
    postgres_count: int | None
    seed_count: int
    drifts: Sequence[Drift]
    recommendations: Sequence[str]
    as_of: datetime


def skill_health(backend: Backend) -> SkillHealth:
    kv, durable, index = together(
        backend.kv_skills.revisions, backend.catalogue.revisions, lambda: _index_revisions(backend)
    )
    drifts: list[Drift] = []
    advice: list[str] = []
    visible: Mapping[str, int] | None = None
    if durable.ok:
        visible = {id_: revision for id_, (revision, status) in durable.unwrap().items() if status in VISIBLE}
    for name, part in (("Postgres", durable), ("the KV", kv), ("the index", index)):
        if not part.ok:
            advice.append(f"{name.capitalize()} could not be read; look at its alarms before anything else.")
    if visible is not None and kv.ok:
        drifts += _between_stores(visible, kv.unwrap())
    known = visible if visible is not None else kv.unwrap() if kv.ok else None
    held = index.unwrap() if index.ok else None
    if held is None and index.ok:
        drifts.append(Drift("index_missing", 1, (), "There is no published index."))
    elif held is not None and known is not None:
        drifts += _of_index(known, held)
    kinds = {drift.kind for drift in drifts}
    if kinds & {"only_in_kv", "kv_newer"}:
        advice.append(_REBUILD)
    if kinds & {"only_in_postgres", "postgres_newer"}:
        advice.append("Skills are missing or old in the KV: publish them again, or wait for the sweeper, then rebuild.")
    if kinds & {"missing_in_index", "gone_but_in_index", "old_in_index", "index_missing"} and _REBUILD not in advice:
        advice.append(f"The index is behind; the builder runs every five minutes. If it stays so: {_REBUILD}")
    return SkillHealth(
        index_count=None if not index.ok else len(held) if held is not None else 0,
        enumerated_count=len(kv.unwrap()) if kv.ok else None,
        postgres_count=len(visible) if visible is not None else None,
        seed_count=len(seed_ids()),
        drifts=drifts,
        recommendations=advice or ["Nothing needs to be done."],
        as_of=backend.now(),
    )


def watch_drift(backend: Backend) -> dict[str, int]:
    """Reports how many skills the stores disagree about for good, by kind.

    A skill that is just being published is in one store before the other, and the index follows within minutes. So what
    differs is looked at again after the index was built, and only what still does counts. A store that cannot be read
    reports nothing: it has alarms of its own, and unknown is not zero.
    """
    before = skill_health(backend)
    after = before
    if before.drifts:
        build_index(backend)
        after = skill_health(backend)
    if None in (after.index_count, after.enumerated_count, after.postgres_count):
        logger.warning("drift_unknown", recommendations=after.recommendations)
        return {}
    earlier = {drift.kind: drift for drift in before.drifts}
    lasting = {drift.kind: _lasting(earlier.get(drift.kind), drift) for drift in after.drifts}
    found = {kind: count for kind, count in lasting.items() if count}
    if found:
        logger.warning("drift", found=found)
    measure(Measure.DRIFT, sum(found.values()))
    return found


def _lasting(before: Drift | None, after: Drift) -> int:
    if before is None:
        return 0
    return len(before.ids & after.ids) if after.ids else after.count


def _index_revisions(backend: Backend) -> dict[str, int] | None:
    found = read_index(backend)
    if found is None:
        return None
    return {listing.skill_id: listing.revision for listing in found[1].listings() if listing.version}


def _between_stores(durable: Mapping[str, int], kv: Mapping[str, int]) -> list[Drift]:
    both = durable.keys() & kv.keys()
    return _present(
        _drift("only_in_kv", kv.keys() - durable.keys(), "Postgres lacks what the KV lists."),
        _drift("only_in_postgres", durable.keys() - kv.keys(), "The KV lacks what Postgres has."),
        _drift("kv_newer", (id_ for id_ in both if kv[id_] > durable[id_]), "The KV has a newer revision."),
        _drift("postgres_newer", (id_ for id_ in both if durable[id_] > kv[id_]), "Postgres has a newer revision."),
    )


def _of_index(known: Mapping[str, int], held: Mapping[str, int]) -> list[Drift]:
    both = known.keys() & held.keys()
    return _present(
        _drift("missing_in_index", known.keys() - held.keys(), "The index lacks published skills."),
        _drift("gone_but_in_index", held.keys() - known.keys(), "The index holds what is not published any more."),
        _drift("old_in_index", (id_ for id_ in both if held[id_] < known[id_]), "The index holds older revisions."),
    )


def _drift(kind: str, ids: Iterable[str], explanation: str) -> Drift:
    found = sorted(ids)
    return Drift(kind, len(found), found[:_SHOWN], explanation, frozenset(found))


def _present(*drifts: Drift) -> list[Drift]:
    return [drift for drift in drifts if drift.count]
