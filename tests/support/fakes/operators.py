"""What operators did and decided, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tests.support.fakes.database import Block, FakeDatabase


class FakeOperatorStore:
    def __init__(self, database: FakeDatabase | None = None) -> None:
        self.database = database or FakeDatabase()

    def record(
        self, *, at: datetime, actor: str, action: str, subjects: Sequence[str], reason: str, detail: Mapping[str, Any]
    ) -> None:
        with self.database.transaction():
            for subject in subjects:
                self.database.audit.append(
                    {
                        "id": len(self.database.audit) + 1,
                        "at": at,
                        "actor": actor,
                        "action": action,
                        "subject": subject,
                        "reason": reason,
                        "detail": dict(detail),
                    }
                )

    def block(
        self,
        *,
        repo_key: str | None,
        skill_path: str | None,
        content_hash: str | None,
        reason: str,
        by: str,
        at: datetime,
    ) -> None:
        entry = Block(repo_key, skill_path, content_hash, reason)
        with self.database.transaction():
            if all(known.scope != entry.scope for known in self.database.blocklist):
                self.database.blocklist.append(entry)

    def unblock(self, *, repo_key: str | None, skill_path: str | None, content_hash: str | None, at: datetime) -> bool:
        with self.database.transaction():
            before = len(self.database.blocklist)
            scope = (repo_key, skill_path, content_hash)
            self.database.blocklist[:] = [entry for entry in self.database.blocklist if entry.scope != scope]
            return len(self.database.blocklist) < before

    def audit_log(self, *, limit: int, before: int | None, subject: str | None) -> list[dict[str, Any]]:
        with self.database.transaction():
            entries = [
                entry
                for entry in reversed(self.database.audit)
                if (before is None or entry["id"] < before) and subject in (None, entry["subject"])
            ]
        return entries[:limit]

    def set_control(self, name: str, value: Mapping[str, Any], *, at: datetime, by: str) -> None:
        with self.database.transaction():
            known = self.database.controls.get(name)
            if known is None or known[0] <= at:
                self.database.controls[name] = at, dict(value) | {"updatedAt": at.isoformat(), "updatedBy": by}

    def control(self, name: str) -> dict[str, Any] | None:
        with self.database.transaction():
            known = self.database.controls.get(name)
        return None if known is None else dict(known[1])
