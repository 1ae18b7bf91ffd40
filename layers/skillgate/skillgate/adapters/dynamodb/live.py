"""The live state of submissions, published skills and controls in DynamoDB.

Keys (`shard` is a small number from the id, so that no partition of the sparse index runs hot):

    SUB#<id>            STATE    gsi1: UNSYNCED#<shard> while Postgres lacks something of it,
                                       INFLIGHT#<shard> while in flight, else absent; sorted by when it last moved
    OPEN#<repo>#<path>  LOCK     which submission of that skill is open; counts only as long as that one is
    SKILL#<id>          STATE    gsi1: UNSYNCED-SKILL#<shard> or PUBLISHED#<shard>, sorted by id
    CONTROL#<name>      STATE
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from skillgate.adapters.dynamodb.table import Table
from skillgate.domain.skill import Published
from skillgate.domain.submission import Event, Reason, State, Submission
from skillgate.ports import Found

SHARDS = 16
# A finished submission stays in the fast copy for a while and is then read from Postgres.
KEEP_FINISHED = timedelta(days=30)
_NOT_OLDER = "attribute_not_exists(pk) OR version < :version"


class DynamoLive:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- submissions --------------------------------------------------------------------------------------------

    def put_new(self, submissions: Sequence[Submission], *, unsynced: bool = False) -> None:
        """Fresh ids: no condition is needed, so the puts go out in batches, each with its lock."""
        self._table.put_many([item for s in submissions for item in (_submission_item(s, unsynced), _lock_item(s))])

    def claim_open(self, submission: Submission) -> Submission | None:
        """Takes the lock on the skill while Postgres cannot decide. Returns the open submission that has it, or None.

        A lock outlives its submission; one whose submission has ended is taken over.
        """
        lock = _lock_item(submission)
        if self._table.put(lock, condition="attribute_not_exists(pk)"):
            return None
        held = self._table.get(lock["pk"], lock["sk"])
        holder_id = held["submissionId"] if held else ""
        holder = self.get_many([holder_id]).submissions.get(holder_id)
        if holder is not None and not holder.terminal:
            return holder
        free = "attribute_not_exists(pk) OR submissionId = :ended"
        if self._table.put(lock, condition=free, bound={":ended": holder_id}):
            return None
        return self.claim_open(submission)  # somebody else took it over in between

    def put(self, submission: Submission, *, unsynced: bool = False) -> bool:
        """Writes a newer copy. False, and nothing written, if what is there is as new or newer."""
        return self._put_if(_NOT_OLDER, submission, unsynced)

    def overwrite(self, submission: Submission, *, unsynced: bool = False) -> bool:
        """Writes the truth over a copy of the same version, or an older one; never over a newer."""
        return self._put_if("attribute_not_exists(pk) OR version <= :version", submission, unsynced)

    def _put_if(self, condition: str, submission: Submission, unsynced: bool) -> bool:
        item = _submission_item(submission, unsynced)
        return self._table.put(item, condition=condition, bound={":version": submission.version})

    def get_many(self, ids: Sequence[str]) -> Found:
        return self._read([(f"SUB#{id_}", "STATE") for id_ in ids])

    def in_flight_before(self, idle_since: datetime, limit: int) -> Found:
        return self._listed("INFLIGHT", limit, before=_time(idle_since))

    def unsynced(self, limit: int) -> Found:
        return self._listed("UNSYNCED", limit)

    def _listed(self, prefix: str, limit: int, before: str | None = None) -> Found:
        keys = self._table.query_index(_partitions(prefix), before=before, limit=max(1, limit // SHARDS))
        return self._read(keys)

    def _read(self, keys: Sequence[tuple[str, str]]) -> Found:
        items, unread = self._table.get_many(keys)
        found: dict[str, Submission] = {}
        unreadable = 0
        for item in items:
            try:
                submission = _submission(item)
            except (KeyError, ValueError, TypeError):
                unreadable += 1
            else:
                found[submission.id] = submission
        gone = len(set(keys)) - len(items) - unread
        return Found(found, skipped=unread + unreadable + max(0, gone))

    # --- published skills ---------------------------------------------------------------------------------------

    def put_skill(self, published: Published, *, synced: bool) -> bool:
        prefix = "PUBLISHED" if synced else "UNSYNCED-SKILL"
        item = {
            "pk": f"SKILL#{published.skill_id}",
            "sk": "STATE",
            "gsi1pk": f"{prefix}#{_shard(published.skill_id)}",
            "gsi1sk": published.skill_id,
            "version": published.revision,
            "document": zlib.compress(json.dumps(_skill_document(published)).encode()),
        }
        allowed = _NOT_OLDER if not synced else "attribute_not_exists(pk) OR version <= :version"
        return self._table.put(item, condition=allowed, bound={":version": published.revision})

    def get_skill(self, skill_id: str) -> Published | None:
        item = self._table.get(f"SKILL#{skill_id.lower()}", "STATE")
        return None if item is None else _skill(item)

    def unsynced_skills(self, limit: int) -> list[Published]:
        keys = self._table.query_index(_partitions("UNSYNCED-SKILL"), limit=max(1, limit // SHARDS))
        return [_skill(item) for item in self._table.get_many(keys)[0]]

    # --- controls -----------------------------------------------------------------------------------------------

    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None:
        document = json.dumps(dict(value) | {"updatedAt": _time(at), "updatedBy": by})
        self._table.put({"pk": f"CONTROL#{name}", "sk": "STATE", "document": document})

    def control(self, name: str) -> dict[str, Any] | None:
        item = self._table.get(f"CONTROL#{name}", "STATE")
        return None if item is None else json.loads(item["document"])


def _partitions(prefix: str) -> list[str]:
    return [f"{prefix}#{shard}" for shard in range(SHARDS)]


def _shard(key: str) -> int:
    return zlib.crc32(key.encode()) % SHARDS


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _lock_item(submission: Submission) -> dict[str, Any]:
    repo_key, path = submission.open_key
    expires = int((submission.created_at + KEEP_FINISHED).timestamp())
    return {"pk": f"OPEN#{repo_key}#{path}", "sk": "LOCK", "submissionId": submission.id, "expiresAt": expires}


def _submission_item(submission: Submission, unsynced: bool) -> dict[str, Any]:
    item: dict[str, Any] = {
        "pk": f"SUB#{submission.id}",
        "sk": "STATE",
        "version": submission.version,
        "document": json.dumps(_submission_document(submission), separators=(",", ":")),
    }
    prefix = "UNSYNCED" if unsynced else "INFLIGHT" if submission.in_flight else None
    if prefix:
        item |= {
            "gsi1pk": f"{prefix}#{_shard(submission.id)}",
            "gsi1sk": f"{_time(submission.updated_at)}#{submission.id}",
        }
    if submission.ended_at is not None:
        item["expiresAt"] = int((submission.ended_at + KEEP_FINISHED).timestamp())
    return item


_TIMES = ("created_at", "updated_at", "lease_until", "sent_at", "ended_at")


def _submission_document(submission: Submission) -> dict[str, Any]:
    values = {name: value for name, value in vars(submission).items() if value is not None}
    values |= {name: _time(values[name]) for name in _TIMES if name in values}
    values["pending"] = [_event_document(event) for event in submission.pending]
    if submission.reason:
        values["reason"] = vars(submission.reason)
    return values


def _submission(item: Mapping[str, Any]) -> Submission:
    values = json.loads(item["document"])
    values |= {name: datetime.fromisoformat(values[name]) for name in _TIMES if name in values}
    values["state"] = State(values["state"])
    values["pending"] = tuple(_event(event) for event in values["pending"])
    if "reason" in values:
        values["reason"] = Reason(**values["reason"])
    return Submission(**values)


def _event_document(event: Event) -> dict[str, Any]:
    return vars(event) | {"at": _time(event.at), "reason": vars(event.reason) if event.reason else None}


def _event(values: dict[str, Any]) -> Event:
    return Event(
        **values
        | {
            "at": datetime.fromisoformat(values["at"]),
            "from_state": State(values["from_state"]) if values["from_state"] else None,
            "to_state": State(values["to_state"]),
            "reason": Reason(**values["reason"]) if values["reason"] else None,
        }
    )


_SKILL_TIMES = ("published_at", "created_at", "updated_at")


def _skill_document(published: Published) -> dict[str, Any]:
    values = dict(vars(published)) | {"labels": list(published.labels), "files": list(published.files)}
    return values | {name: _time(values[name]) for name in _SKILL_TIMES if values[name] is not None}


def _skill(item: Mapping[str, Any]) -> Published:
    values = json.loads(zlib.decompress(bytes(item["document"])))
    values |= {name: datetime.fromisoformat(values[name]) for name in _SKILL_TIMES if values[name] is not None}
    return Published(**values | {"labels": tuple(values["labels"])})
