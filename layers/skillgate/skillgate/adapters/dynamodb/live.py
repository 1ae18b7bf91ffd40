"""The live state of submissions, published skills and controls in DynamoDB.

Keys (`shard` is a small number from the id, so that no partition of the sparse index runs hot):

    SUB#<id>            STATE    gsi1: UNSYNCED#<shard> while Postgres lacks something of it,
                                       INFLIGHT#<shard> while in flight, else absent; sorted by when it last moved
    OPEN#<repo>#<path>  LOCK     which submission of that skill is open; counts only as long as that one is
    SKILL#…, ALIAS#…             see skill_items
    BLOCK#<repo>        <path> or *; BLOCK-HASH#<hash> *
    CONTROL#<name>      STATE
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from skillgate.adapters.dynamodb.skill_items import SHARDS, alias_item, skill_items, skill_of
from skillgate.adapters.dynamodb.skill_items import partitions as _partitions
from skillgate.adapters.dynamodb.skill_items import shard as _shard
from skillgate.adapters.dynamodb.skill_items import time_text as _time
from skillgate.adapters.dynamodb.table import Table
from skillgate.domain.errors import StoreUnavailable
from skillgate.domain.skill import Published
from skillgate.domain.submission import Event, Reason, State, Submission
from skillgate.observability import logger
from skillgate.ports import Found, OpenKey, Screening

# A finished submission stays in the fast copy for a while and is then read from Postgres.
KEEP_FINISHED = timedelta(days=30)
_NOT_OLDER = "attribute_not_exists(pk) OR version < :version"


class DynamoLive:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- submissions --------------------------------------------------------------------------------------------

    def put_new(self, submissions: Sequence[Submission], *, with_locks: bool = True) -> None:
        """Fresh ids: no condition is needed, so the puts go out in batches.

        The locks are for the time when Postgres cannot say what is open. Without one, a second submission is accepted
        then, and withdrawn when it is replayed.
        """
        items = [_submission_item(submission, unsynced=False) for submission in submissions]
        self._table.put_many(items + ([_lock_item(submission) for submission in submissions] if with_locks else []))

    def create_exclusive(self, submission: Submission) -> Submission | None:
        """Creates a submission while Postgres cannot decide: it and its lock together, or neither.

        Returns None if it was created, else the open submission that has the lock. A lock outlives its submission; one
        whose submission has ended is taken over.
        """
        item, lock = _submission_item(submission, unsynced=True), _lock_item(submission)
        ended = ""
        while True:
            free = "attribute_not_exists(pk) OR submissionId = :ended"
            if self._table.put_together([(item, "attribute_not_exists(pk)", {}), (lock, free, {":ended": ended})]):
                return None
            held = self._table.get(lock["pk"], lock["sk"]) or {"submissionId": ""}
            holder = self.get_many([held["submissionId"]]).submissions.get(held["submissionId"])
            if holder is not None and (not holder.terminal or holder.id == submission.id):
                return None if holder.id == submission.id else holder
            ended = held["submissionId"]

    def put(self, submission: Submission, *, unsynced: bool = False) -> bool:
        """Writes a newer copy. False, and nothing written, if what is there is as new or newer."""
        return self._put_if(_NOT_OLDER, submission, unsynced)

    def overwrite(self, submission: Submission, *, unsynced: bool = False) -> bool:
        """Writes the truth over a copy of the same version, or an older one; never over a newer."""
        return self._put_if("attribute_not_exists(pk) OR version <= :version", submission, unsynced)

    def replace_copy(self, submission: Submission, *, of_version: int) -> bool:
        """Writes the truth over a copy that went another way, if it is still that copy."""
        item = _submission_item(submission, unsynced=False)
        return self._table.put(item, condition="version = :seen", bound={":seen": of_version})

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
        keys, unlisted = self._table.query_index(_partitions(prefix), before=before, limit=max(1, limit // SHARDS))
        found = self._read(keys, lambda item: _still_listed(item, prefix, before))
        return Found(found.submissions, found.skipped + unlisted)

    def _read(self, keys: Sequence[tuple[str, str]], wanted: Callable[[Mapping[str, Any]], bool] = bool) -> Found:
        items, unread = self._table.get_many(keys)
        found: dict[str, Submission] = {}
        unreadable = 0
        for item in filter(wanted, items):
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
        allowed = _NOT_OLDER if not synced else "attribute_not_exists(pk) OR version <= :version"
        bound = {":version": published.revision}
        if not self._table.put_together([(item, allowed, bound) for item in skill_items(published, synced=synced)]):
            return False
        self._table.put(alias_item(published))
        return True

    def get_skill(self, skill_id: str) -> Published | None:
        item = self._table.get(f"SKILL#{skill_id.lower()}", "STATE")
        return None if item is None else skill_of(item)

    def unsynced_skills(self, limit: int) -> list[Published]:
        keys, _ = self._table.query_index(_partitions("UNSYNCED-SKILL"), limit=max(1, limit // SHARDS))
        skills: list[Published] = []
        for item in self._table.get_many(keys)[0]:
            if not _still_listed(item, "UNSYNCED-SKILL"):
                continue
            try:
                skills.append(skill_of(item))
            except (KeyError, ValueError, TypeError, zlib.error) as error:
                logger.error("unreadable_skill", key=item["pk"], error=type(error).__name__)
        return skills

    # --- the blocklist, for when Postgres cannot be asked -------------------------------------------------------

    def block(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, reason: str) -> None:
        self._table.put({"pk": _block_key(repo_key, content_hash), "sk": skill_path or "*", "reason": reason})

    def unblock(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None) -> None:
        self._table.delete(_block_key(repo_key, content_hash), skill_path or "*")

    def screen(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Screening]:
        wanted = [(_block_key(repo_key, None), scope) for repo_key, path in keys for scope in ("*", path)]
        items, unread = self._table.get_many(wanted)
        if unread:
            raise StoreUnavailable("The blocklist could not be read in full.", retry_after=5)
        reasons = {(item["pk"], item["sk"]): item["reason"] for item in items}
        found: dict[OpenKey, Screening] = {}
        for repo_key, path in keys:
            pk = _block_key(repo_key, None)
            if reason := reasons.get((pk, "*")) or reasons.get((pk, path)):
                found[repo_key, path] = Screening(blocked_reason=reason)
        return found

    def blocked_content(self, content_hash: str) -> str | None:
        item = self._table.get(_block_key(None, content_hash), "*")
        return None if item is None else str(item["reason"])

    # --- controls -----------------------------------------------------------------------------------------------

    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None:
        """What was set last stays, also if it arrives first."""
        document = json.dumps(dict(value) | {"updatedAt": _time(at), "updatedBy": by})
        self._table.put(
            {"pk": f"CONTROL#{name}", "sk": "STATE", "document": document, "setAt": _time(at)},
            condition="attribute_not_exists(setAt) OR setAt <= :at",
            bound={":at": _time(at)},
        )

    def control(self, name: str) -> dict[str, Any] | None:
        item = self._table.get(f"CONTROL#{name}", "STATE")
        return None if item is None else json.loads(item["document"])


def _block_key(repo_key: str | None, content_hash: str | None) -> str:
    return f"BLOCK#{repo_key}" if repo_key else f"BLOCK-HASH#{content_hash}"


def _still_listed(item: Mapping[str, Any], prefix: str, before: str | None = None) -> bool:
    """Whether the item is where the index says. An index is late; the item, which was read consistently, is not."""
    listed = str(item.get("gsi1pk", "")).rpartition("#")[0] == prefix
    return listed and (before is None or item["gsi1sk"] < before)


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
