"""The counters against a real count, after many writers have done everything that can be done to a submission."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from skillgate.adapters.postgres.connections import Connections
from skillgate.adapters.postgres.submissions import PostgresSubmissions
from skillgate.concurrency import settle
from skillgate.domain.submission import OPERATOR_TRANSITIONS, TRANSITIONS, State, Submission

from tests.support.backends import TEMPLATE_DATABASE, Servers
from tests.support.examples import moved, submission

WRITERS = 6
ROUNDS = 40
FIVE_MINUTES = 300

Answers = Counter[tuple[float, State]]


@pytest.fixture
def connections(servers: Servers) -> Iterator[Connections]:
    with (
        servers.postgres.scratch_database(template=TEMPLATE_DATABASE) as url,
        closing(Connections(url, size=WRITERS)) as made,
    ):
        yield made


class Writer:
    """Does random things to submissions of its own, side by side with the others, and remembers each answer."""

    def __init__(self, connections: Connections, seed: int) -> None:
        self._connections, self._store = connections, PostgresSubmissions(connections)
        self._random = random.Random(seed)
        self._mine: list[Submission] = []
        self.answers: Answers = Counter()

    def run(self, rounds: int) -> Answers:
        for _ in range(rounds):
            self._random.choice([self._insert, self._move, self._move, self._move, self._replay, self._delete])()
        return self.answers

    def _insert(self) -> None:
        new = [submission() for _ in range(self._random.randint(1, 5))]
        assert len(self._store.insert_many(new, with_events=True)) == len(new)
        self._mine += new

    def _move(self) -> None:
        if not self._mine:
            return
        place = self._random.randrange(len(self._mine))
        before = self._mine[place]
        ways = TRANSITIONS.get(before.state, frozenset()) | OPERATOR_TRANSITIONS.get(before.state, frozenset())
        if not ways:
            return
        after = moved(before, self._random.choice(sorted(ways)), minutes=self._random.randint(1, 9))
        assert self._store.move(before, replace(after, pending=()), after.pending[-1])
        self._mine[place] = replace(after, pending=())
        self._count(after.ended_at, after.state)

    def _replay(self) -> None:
        """A submission that began and ended while Postgres was away."""
        received = submission()
        ended = moved(replace(received, pending=(received.received_event(),)), State.REJECTED)
        assert self._store.replay(ended)
        self._mine.append(replace(ended, pending=()))
        self._count(ended.ended_at, ended.state)

    def _delete(self) -> None:
        gone = [self._mine.pop() for _ in range(min(len(self._mine), self._random.randint(1, 3)))]
        with self._connections.transaction() as connection:
            connection.execute("DELETE FROM submissions WHERE id = ANY(%s::uuid[])", [[each.id for each in gone]])

    def _count(self, ended_at: datetime | None, state: State) -> None:
        if ended_at is not None:
            self.answers[ended_at.timestamp() // FIVE_MINUTES * FIVE_MINUTES, state] += 1


@pytest.mark.parametrize("seed", range(3))
def test_the_counters_equal_a_real_count_whatever_was_done_at_once(connections: Connections, seed: int) -> None:
    barrier = threading.Barrier(WRITERS)

    def write(number: int) -> Answers:
        barrier.wait(30)
        return Writer(connections, seed * WRITERS + number).run(ROUNDS)

    given: Answers = Counter()
    for outcome in settle(write, range(WRITERS), workers=WRITERS):
        given += outcome.unwrap()

    with connections.transaction() as connection:
        real = connection.execute("SELECT state, count(*) AS n FROM submissions GROUP BY state").fetchall()
        kept = connection.execute(
            "SELECT state, sum(submissions) AS n FROM submission_counts GROUP BY state HAVING sum(submissions) <> 0"
        ).fetchall()
        answers = connection.execute(
            "SELECT bucket, state, sum(answers) AS n FROM submission_answers GROUP BY bucket, state"
        ).fetchall()
    assert {row["state"]: row["n"] for row in kept} == {row["state"]: row["n"] for row in real}
    assert {(row["bucket"].timestamp(), State(row["state"])): row["n"] for row in answers} == given
    assert given.total() > 0 and len(real) > 2, "the writers did too little to prove anything"


def test_one_statement_that_changes_many_rows_is_counted_row_by_row(connections: Connections) -> None:
    store = PostgresSubmissions(connections)
    store.insert_many([submission() for _ in range(10)], with_events=False)
    ended = submission().created_at + timedelta(minutes=1)

    with connections.transaction() as connection:
        connection.execute("UPDATE submissions SET state = 'REJECTED', ended_at = %s", [ended])
        connection.execute("DELETE FROM submissions WHERE id IN (SELECT id FROM submissions LIMIT 4)")

    numbers = store.statistics(ended + timedelta(minutes=1))
    assert (numbers.states[State.RECEIVED], numbers.states[State.REJECTED]) == (0, 6)
    assert numbers.answered_hour == 10, "an answer was given, whatever became of the row"
