"""The durable store of submissions in memory."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from skillgate.domain.errors import DuplicateSubmission
from skillgate.domain.ids import is_id
from skillgate.domain.submission import IN_FLIGHT, OPEN, Event, State, Submission
from skillgate.ports import ListQuery, OpenKey, Page, ScanRecord, Screening, Statistics, StreamEvent

from tests.support.fakes.database import FakeDatabase

EXACT_UP_TO = 10_000
_BUCKET = timedelta(minutes=5)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FakeSubmissionStore:
    def __init__(self, database: FakeDatabase | None = None) -> None:
        self.database = database or FakeDatabase()

    # --- creating and moving ------------------------------------------------------------------------------------

    def insert_many(self, submissions: Sequence[Submission], *, with_events: bool) -> set[str]:
        new: set[str] = set()
        with self.database.transaction():
            for submission in submissions:
                if submission.id in self.database.submissions or self._open_at(submission.open_key):
                    continue
                self.database.submissions[submission.id] = replace(submission, pending=())
                new.add(submission.id)
                if with_events:
                    self.database.events.append(submission.received_event())
        return new

    def find_open(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Submission]:
        with self.database.transaction():
            return {key: found for key in keys if (found := self._open_at(key))}

    def screen(self, keys: Sequence[OpenKey]) -> dict[OpenKey, Screening]:
        found: dict[OpenKey, Screening] = {}
        with self.database.transaction():
            for repo_key, path in keys:
                reason = next(
                    (
                        b.reason
                        for b in self.database.blocklist
                        if b.repo_key == repo_key and b.skill_path in (None, path)
                    ),
                    None,
                )
                row = next(
                    (
                        row
                        for row in self.database.skills.values()
                        if row.status == "published"
                        and (row.current.repo.key, row.current.skill_path) == (repo_key, path)
                    ),
                    None,
                )
                if reason or row:
                    skill = row.current if row else None
                    found[repo_key, path] = Screening(
                        reason,
                        skill.skill_id if skill else None,
                        skill.name if skill else None,
                        skill.commit_sha if skill else None,
                    )
        return found

    def blocked_content(self, content_hash: str) -> str | None:
        with self.database.transaction():
            return next((b.reason for b in self.database.blocklist if b.content_hash == content_hash), None)

    def move(self, before: Submission, after: Submission, event: Event) -> bool:
        with self.database.transaction():
            row = self.database.submissions.get(after.id)
            if row is None or row.version != after.version - 1 or row.state is not before.state:
                return False
            starts_over = after.state is State.RECEIVED and row.state is not State.RECEIVED
            self._write(row, replace(after, sent_at=None if starts_over else row.sent_at))
            self.database.events.append(event)
            return True

    def replay(self, submission: Submission) -> bool:
        with self.database.transaction():
            row = self.database.submissions.get(submission.id)
            if row is not None and (row.version >= submission.version or not self._continues(row, submission)):
                return False
            self._write(row, submission if row is None else replace(submission, sent_at=row.sent_at))
            known = {(event.submission_id, event.version) for event in self.database.events}
            missing = [e for e in submission.pending if (e.submission_id, e.version) not in known]
            self.database.events += missing
            return True

    def _continues(self, row: Submission, copy: Submission) -> bool:
        """Whether the copy's events go on from the row's: none is missing, and those that both have agree."""
        told = {event.version: (event.to_state, event.at) for event in copy.pending}
        known = [event for event in self.database.events if event.submission_id == row.id and event.version in told]
        agree = all(told[event.version] == (event.to_state, event.at) for event in known)
        return agree and min(told, default=copy.version) <= row.version + 1

    def mark_uncopied(self, ids: Sequence[str]) -> None:
        with self.database.transaction():
            self.database.uncopied |= set(ids) & self.database.submissions.keys()

    def uncopied(self, limit: int) -> list[Submission]:
        with self.database.transaction():
            rows = [self.database.submissions[id_] for id_ in self.database.uncopied]
        return sorted(rows, key=lambda row: row.updated_at)[:limit]

    def mark_copied(self, submissions: Sequence[Submission]) -> None:
        with self.database.transaction():
            for copied in submissions:
                row = self.database.submissions.get(copied.id)
                if row is not None and row.version == copied.version:
                    self.database.uncopied.discard(copied.id)

    def _write(self, row: Submission | None, after: Submission) -> None:
        holder = self._open_at(after.open_key)
        if after.state in OPEN and holder is not None and holder.id != after.id:
            raise DuplicateSubmission("Another submission of this skill is open.")
        self.database.submissions[after.id] = replace(after, pending=())
        if after.ended_at is not None and (row is None or row.ended_at is None):
            bucket = _EPOCH + (after.ended_at - _EPOCH) // _BUCKET * _BUCKET
            self.database.answers.append((bucket, after.state))

    def _open_at(self, key: OpenKey) -> Submission | None:
        rows = self.database.submissions.values()
        return next((row for row in rows if row.state in OPEN and row.open_key == key), None)

    def mark_sent(self, ids: Sequence[str], at: datetime) -> None:
        with self.database.transaction():
            for id_ in ids:
                row = self.database.submissions.get(id_)
                if row is not None and row.sent_at is None:
                    self.database.submissions[id_] = replace(row, sent_at=at)

    # --- reading ------------------------------------------------------------------------------------------------

    def get_many(self, ids: Sequence[str]) -> dict[str, Submission]:
        with self.database.transaction():
            return {id_: self.database.submissions[id_] for id_ in ids if id_ in self.database.submissions}

    def history(self, submission_id: str) -> list[Event]:
        with self.database.transaction():
            found = [event for event in self.database.events if event.submission_id == submission_id]
        return sorted(found, key=lambda event: event.version)

    def stuck(self, *, idle_since: datetime, now: datetime, limit: int) -> list[Submission]:
        idle = [row for row in self._rows() if row.in_flight and row.updated_at < idle_since]
        free = [row for row in idle if row.lease_until is None or row.lease_until < now]
        return sorted(free, key=lambda row: row.updated_at)[:limit]

    def unsent(self, *, created_before: datetime, limit: int) -> list[Submission]:
        waiting = [row for row in self._rows() if row.state is State.RECEIVED and row.sent_at is None]
        return sorted((r for r in waiting if r.created_at < created_before), key=lambda r: r.created_at)[:limit]

    def waiting_before(self, created_at: datetime) -> int:
        return sum(row.state is State.RECEIVED and row.created_at < created_at for row in self._rows())

    def page(self, query: ListQuery) -> Page:
        matching = [row for row in self._rows() if _matches(row, query)]
        matching.sort(key=lambda row: _position(row, query.sort), reverse=query.descending)
        total, exact = len(matching), True
        if query.text or query.repo_key:
            total, exact = min(total, EXACT_UP_TO), total <= EXACT_UP_TO
        if query.after is not None:
            edge = query.after
            matching = [
                row
                for row in matching
                if (_position(row, query.sort) < edge if query.descending else _position(row, query.sort) > edge)
            ]
        matching = matching[query.offset :]
        shown = matching[: query.limit]
        return Page(shown, total, exact, _position(shown[-1], query.sort) if len(matching) > query.limit else None)

    def statistics(self, now: datetime) -> Statistics:
        rows = self._rows()
        with self.database.transaction():
            answers = list(self.database.answers)

        def answered(span: timedelta, state: State | None = None) -> int:
            return sum(at > now - span and state in (None, each) for at, each in answers)

        recent = sorted((r.ended_at, r.created_at) for r in rows if r.ended_at and r.ended_at > now - timedelta(days=1))
        seconds = sorted((ended - created).total_seconds() for ended, created in recent)
        span = (recent[-1][0] - recent[0][0]).total_seconds() if recent else 0.0
        return Statistics(
            as_of=now,
            states={state: sum(row.state is state for row in rows) for state in State},
            answered_hour=answered(timedelta(hours=1)),
            answered_six_hours=answered(timedelta(hours=6)),
            answered_day=answered(timedelta(days=1)),
            published_day=answered(timedelta(days=1), State.PUBLISHED),
            median_seconds=statistics.median(seconds) if seconds else None,
            p95_seconds=_percentile(seconds, 0.95) if seconds else None,
            answers_per_second=len(recent) / span if span > 0 else None,
            oldest_in_flight=min((row.created_at for row in rows if row.state in IN_FLIGHT), default=None),
        )

    def events_after(self, cursor: tuple[str, int] | None, limit: int) -> list[StreamEvent]:
        start = cursor[1] if cursor else 0
        with self.database.transaction():
            numbered = list(enumerate(self.database.events, start=1))[start : start + limit]
            rows = self.database.submissions
            return [
                StreamEvent(
                    ("1", number),
                    event,
                    rows[event.submission_id].repo_url,
                    rows[event.submission_id].skill_name,
                    rows[event.submission_id].skill_path,
                )
                for number, event in numbered
            ]

    def newest_event(self) -> tuple[str, int]:
        with self.database.transaction():
            return ("1", len(self.database.events)) if self.database.events else ("0", 0)

    # --- scans --------------------------------------------------------------------------------------------------

    def save_scan(self, scan: ScanRecord) -> None:
        with self.database.transaction():
            self.database.scans[scan.submission_id, scan.tier, scan.content_hash, scan.scanner] = scan

    def scans(self, submission_id: str) -> list[ScanRecord]:
        with self.database.transaction():
            found = [scan for scan in self.database.scans.values() if scan.submission_id == submission_id]
        return sorted(found, key=lambda scan: (scan.created_at, scan.tier))

    def _rows(self) -> list[Submission]:
        with self.database.transaction():
            return list(self.database.submissions.values())


def _position(row: Submission, sort: str) -> tuple[datetime, str]:
    return getattr(row, sort), row.id


def _matches(row: Submission, query: ListQuery) -> bool:
    if query.states and row.state not in query.states:
        return False
    if query.repo_key and row.repo_key != query.repo_key:
        return False
    if not query.text:
        return True
    if is_id(query.text):
        return row.id == query.text
    return query.text.lower() in row.skill_name.lower() or query.text.lower() in row.repo_key


def _percentile(ordered: Sequence[float], fraction: float) -> float:
    """As Postgres' percentile_cont: between the two nearest values, in proportion."""
    place = fraction * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
