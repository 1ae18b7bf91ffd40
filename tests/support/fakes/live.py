"""The fast copy in memory: the newer of two copies wins, and one lock per open skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from skillgate.domain.skill import Published
from skillgate.domain.submission import Submission
from skillgate.ports import Found, OpenKey, Screening

from tests.support.fakes.database import Switch


class FakeLiveStore(Switch):
    def __init__(self) -> None:
        super().__init__()
        self._submissions: dict[str, tuple[Submission, bool]] = {}  # with whether Postgres lacks something of it
        self._locks: dict[OpenKey, str] = {}
        self._skills: dict[str, tuple[Published, bool]] = {}  # with whether Postgres has it
        self._blocked: dict[tuple[str | None, str | None, str | None], str] = {}
        self._controls: dict[str, tuple[datetime, dict[str, Any]]] = {}

    # --- submissions --------------------------------------------------------------------------------------------

    def put_new(self, submissions: Sequence[Submission], *, with_locks: bool = True) -> None:
        with self.transaction():
            for submission in submissions:
                self._submissions[submission.id] = submission, False
                if with_locks:
                    self._locks[submission.open_key] = submission.id

    def create_exclusive(self, submission: Submission) -> Submission | None:
        with self.transaction():
            held = self._submissions.get(self._locks.get(submission.open_key, ""))
            if held is not None and held[0].id == submission.id:
                return None
            if held is not None and not held[0].terminal:
                return held[0]
            self._submissions[submission.id] = submission, True
            self._locks[submission.open_key] = submission.id
            return None

    def put(self, submission: Submission, *, unsynced: bool = False) -> bool:
        return self._put_over(submission, unsynced, equal_too=False)

    def overwrite(self, submission: Submission, *, unsynced: bool = False) -> bool:
        return self._put_over(submission, unsynced, equal_too=True)

    def replace_copy(self, submission: Submission, *, of_version: int) -> bool:
        with self.transaction():
            known = self._submissions.get(submission.id)
            if known != (submission, False) and (known is None or known[0].version != of_version):
                return False
            self._submissions[submission.id] = submission, False
            return True

    def _put_over(self, submission: Submission, unsynced: bool, *, equal_too: bool) -> bool:
        with self.transaction():
            known = self._submissions.get(submission.id)
            if known is not None:
                if known == (submission, unsynced):
                    return True  # a retry that meets its own first try
                if known[0].version > submission.version or (known[0].version == submission.version and not equal_too):
                    return False
            self._submissions[submission.id] = submission, unsynced
            return True

    def get_many(self, ids: Sequence[str]) -> Found:
        wanted = list(dict.fromkeys(ids))
        with self.transaction():
            found = {id_: self._submissions[id_][0] for id_ in wanted if id_ in self._submissions}
        return Found(found, skipped=len(wanted) - len(found))

    def in_flight_before(self, idle_since: datetime, limit: int) -> Found:
        with self.transaction():
            rows = [s for s, unsynced in self._submissions.values() if not unsynced and s.in_flight]
        return _oldest([row for row in rows if row.updated_at < idle_since], limit)

    def unsynced(self, limit: int) -> Found:
        with self.transaction():
            rows = [submission for submission, unsynced in self._submissions.values() if unsynced]
        return _oldest(rows, limit)

    # --- published skills ---------------------------------------------------------------------------------------

    def put_skill(self, published: Published, *, synced: bool) -> bool:
        with self.transaction():
            known = self._skills.get(published.skill_id)
            if known is not None and known != (published, synced):
                newer = known[0].revision > published.revision
                if newer or (known[0].revision == published.revision and not synced):
                    return False
            self._skills[published.skill_id] = published, synced
            return True

    def get_skill(self, skill_id: str) -> Published | None:
        with self.transaction():
            known = self._skills.get(skill_id.lower())
        return None if known is None else known[0]

    def unsynced_skills(self, limit: int) -> list[Published]:
        with self.transaction():
            return [skill for skill, synced in self._skills.values() if not synced][:limit]

    # --- the blocklist ------------------------------------------------------------------------------------------

    def block(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, reason: str) -> None:
        with self.transaction():
            self._blocked[repo_key, skill_path, content_hash] = reason

    def unblock(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None) -> None:
        with self.transaction():
            self._blocked.pop((repo_key, skill_path, content_hash), None)

    def screen(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Screening]:
        with self.transaction():
            reasons = {
                key: self._blocked.get((key[0], None, None)) or self._blocked.get((key[0], key[1], None))
                for key in keys
            }
        return {key: Screening(blocked_reason=reason) for key, reason in reasons.items() if reason}

    def blocked_content(self, content_hash: str) -> str | None:
        with self.transaction():
            return self._blocked.get((None, None, content_hash))

    # --- controls -----------------------------------------------------------------------------------------------

    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None:
        with self.transaction():
            known = self._controls.get(name)
            if known is None or known[0] <= at:
                self._controls[name] = at, dict(value) | {"updatedAt": at.isoformat(), "updatedBy": by}

    def control(self, name: str) -> dict[str, Any] | None:
        with self.transaction():
            known = self._controls.get(name)
        return None if known is None else dict(known[1])


def _oldest(rows: Sequence[Submission], limit: int) -> Found:
    ordered = sorted(rows, key=lambda row: row.updated_at)[:limit]
    return Found({row.id: row for row in ordered})
