"""Queues and messages in one SQLite file.

Every accepted call is one committed transaction, so a killed process loses nothing that was answered. Times are
milliseconds of the wall clock: a message that was in flight when the process died comes back when its visibility ends.
A receive reads the head of an index, so it costs what it returns, however long the queue is.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from local.sqs.content import Content

_SCHEMA = """
CREATE TABLE IF NOT EXISTS queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    attributes TEXT NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: receipt handles name it
    queue INTEGER NOT NULL REFERENCES queue ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes TEXT NOT NULL,
    system_attributes TEXT NOT NULL,
    sent INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    receive_count INTEGER NOT NULL DEFAULT 0,
    first_received INTEGER,
    dead_letter_source TEXT
);
CREATE INDEX IF NOT EXISTS message_due ON message (queue, visible_at, receive_count);
CREATE INDEX IF NOT EXISTS message_age ON message (queue, sent);
CREATE TABLE IF NOT EXISTS move_task (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    destination TEXT,
    per_second INTEGER,
    status TEXT NOT NULL,
    moved INTEGER NOT NULL DEFAULT 0,
    to_move INTEGER NOT NULL,
    started INTEGER NOT NULL,
    failure TEXT
);
"""
_BUSY_SECONDS = 10  # a server that was just told to stop may still hold the file
_SHUFFLE_WINDOW = 1_000


@dataclass(frozen=True)
class Queue:
    id: int
    name: str
    attributes: Mapping[str, str]
    created: int
    modified: int

    def number(self, attribute: str) -> int:
        return int(self.attributes[attribute])


@dataclass(frozen=True)
class Message:
    id: int
    queue: int
    message_id: str
    body: str
    attributes: str
    system_attributes: str
    sent: int
    visible_at: int
    receive_count: int
    first_received: int | None
    dead_letter_source: str | None


@dataclass(frozen=True)
class Counts:
    visible: int
    in_flight: int
    delayed: int


@dataclass(frozen=True)
class DeadLetters:
    """Where a message goes that was received `max_receive_count` times, and the name of where it came from."""

    queue: int
    max_receive_count: int
    source_arn: str


class Store:
    def __init__(self, path: Path | None, *, clock: Callable[[], float] = time.time) -> None:
        """Open the file, or a store in memory for None; `sqlite3.OperationalError` where another server has it."""
        self._clock = clock
        self.db = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=_BUSY_SECONDS)
        self.db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute(
            "PRAGMA synchronous = NORMAL"
        )  # a commit outlives the process; only a power cut can lose the last
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.executescript(_SCHEMA)

    def close(self) -> None:
        self.db.close()

    def now(self) -> int:
        return int(self._clock() * 1_000)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    # --- queues ---------------------------------------------------------------------------------------------------

    def create_queue(self, name: str, attributes: Mapping[str, str]) -> None:
        now = self.now()
        self.db.execute(
            "INSERT INTO queue (name, attributes, created, modified) VALUES (?, ?, ?, ?)",
            (name, json.dumps(attributes), now, now),
        )

    def queue(self, name: str) -> Queue | None:
        row = self.db.execute(
            "SELECT id, name, attributes, created, modified FROM queue WHERE name = ?", (name,)
        ).fetchone()
        return None if row is None else Queue(row[0], row[1], json.loads(row[2]), row[3], row[4])

    def queue_names(self) -> list[str]:
        return [name for (name,) in self.db.execute("SELECT name FROM queue ORDER BY name")]

    def set_attributes(self, queue: Queue, attributes: Mapping[str, str]) -> None:
        self.db.execute(
            "UPDATE queue SET attributes = ?, modified = ? WHERE id = ?",
            (json.dumps(attributes), self.now(), queue.id),
        )

    def delete_queue(self, queue: Queue) -> None:
        self.db.execute("DELETE FROM queue WHERE id = ?", (queue.id,))

    def purge(self, queue: Queue) -> None:
        self.db.execute("DELETE FROM message WHERE queue = ?", (queue.id,))

    def counts(self, queue: Queue) -> Counts:
        self._drop_expired(queue)
        now = self.now()
        row = self.db.execute(
            "SELECT count(*) FILTER (WHERE visible_at <= :now),"
            " count(*) FILTER (WHERE visible_at > :now AND receive_count > 0),"
            " count(*) FILTER (WHERE visible_at > :now AND receive_count = 0)"
            " FROM message WHERE queue = :queue",
            {"now": now, "queue": queue.id},
        ).fetchone()
        return Counts(*row)

    # --- messages -------------------------------------------------------------------------------------------------

    def send(self, queue: Queue, contents: Sequence[tuple[Content, int]]) -> list[str]:
        """Add messages, each with its delay in seconds, all or none; returns their ids in order."""
        now = self.now()
        ids = [str(uuid.uuid4()) for _ in contents]
        with self.transaction():
            self.db.executemany(
                "INSERT INTO message (queue, message_id, body, attributes, system_attributes, sent, visible_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (queue.id, message_id, sent.body, sent.attributes, sent.system_attributes, now, now + delay * 1_000)
                    for message_id, (sent, delay) in zip(ids, contents, strict=True)
                ],
            )
        return ids

    def receive(
        self,
        queue: Queue,
        limit: int,
        visibility: int,
        dead_letters: DeadLetters | None,
        *,
        shuffle: bool = False,
        duplicate: bool = False,
    ) -> tuple[list[Message], bool]:
        """Take up to `limit` visible messages for `visibility` seconds, and say whether any became a dead letter.

        Messages that used up their receives move to the dead letters instead. `duplicate` leaves a message visible
        that is received for the first time.
        """
        self._drop_expired(queue)
        now, hidden_until = self.now(), self.now() + visibility * 1_000
        moved = False
        with self.transaction():
            found = self._due(queue.id, limit, now, shuffle=shuffle)
            while dead_letters and (
                spent := [message.id for message in found if message.receive_count >= dead_letters.max_receive_count]
            ):
                self._bury(spent, dead_letters, now)
                moved = True
                found = self._due(queue.id, limit, now, shuffle=shuffle)
            taken = [
                replace(
                    message,
                    visible_at=now if duplicate and message.receive_count == 0 else hidden_until,
                    receive_count=message.receive_count + 1,
                    first_received=message.first_received or now,
                )
                for message in found
            ]
            self.db.executemany(
                "UPDATE message SET visible_at = ?, receive_count = ?, first_received = ? WHERE id = ?",
                [(message.visible_at, message.receive_count, message.first_received, message.id) for message in taken],
            )
        return taken, moved

    def next_visible(self, queue: Queue) -> int | None:
        """When the next hidden message of the queue becomes visible."""
        (moment,) = self.db.execute(
            "SELECT min(visible_at) FROM message WHERE queue = ? AND visible_at > ?", (queue.id, self.now())
        ).fetchone()
        return None if moment is None else int(moment)

    def message(self, queue: Queue, row: int) -> Message | None:
        found = self.db.execute("SELECT * FROM message WHERE id = ? AND queue = ?", (row, queue.id)).fetchone()
        return None if found is None else Message(*found)

    def delete(self, message: Message) -> None:
        self.db.execute("DELETE FROM message WHERE id = ?", (message.id,))

    def hide(self, message: Message, seconds: int) -> None:
        self.db.execute("UPDATE message SET visible_at = ? WHERE id = ?", (self.now() + seconds * 1_000, message.id))

    def release(self) -> None:
        """Make visible what was received and not deleted: at a start, nobody is left who works on it."""
        now = self.now()
        self.db.execute("UPDATE message SET visible_at = ? WHERE visible_at > ? AND receive_count > 0", (now, now))

    def visible(self, queue: Queue, limit: int) -> list[Message]:
        return self._due(queue.id, limit, self.now(), shuffle=False)

    def redrive(self, message: Message, queue: Queue) -> None:
        """Put a dead letter into another queue, where it is a new message: new id, new age, never received."""
        now = self.now()
        self.db.execute(
            "UPDATE message SET queue = ?, message_id = ?, sent = ?, visible_at = ?, receive_count = 0,"
            " first_received = NULL, dead_letter_source = NULL WHERE id = ?",
            (queue.id, str(uuid.uuid4()), now, now, message.id),
        )

    def _due(self, queue: int, limit: int, now: int, *, shuffle: bool) -> list[Message]:
        head = "SELECT * FROM message WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, receive_count LIMIT ?"
        if shuffle:
            rows = self.db.execute(
                f"SELECT * FROM ({head}) ORDER BY random() LIMIT ?",  # noqa: S608 -- no value is spliced in
                (queue, now, _SHUFFLE_WINDOW, limit),
            )
        else:
            rows = self.db.execute(head, (queue, now, limit))
        return [Message(*row) for row in rows]

    def _bury(self, messages: Sequence[int], dead_letters: DeadLetters, now: int) -> None:
        self.db.executemany(
            "UPDATE message SET queue = ?, visible_at = ?, dead_letter_source = ? WHERE id = ?",
            [(dead_letters.queue, now, dead_letters.source_arn, message) for message in messages],
        )

    def _drop_expired(self, queue: Queue) -> None:
        oldest = self.now() - queue.number("MessageRetentionPeriod") * 1_000
        self.db.execute("DELETE FROM message WHERE queue = ? AND sent < ?", (queue.id, oldest))
