"""What people see of the queue: the list, one submission's story, the statistics, and what just happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from skillgate.concurrency import together
from skillgate.domain.errors import NotFound, StoreUnavailable
from skillgate.domain.submission import Event, State, Submission
from skillgate.observability import Measure, logger, measure
from skillgate.ports import Backend, ListQuery, Page, ScanRecord, Statistics, StreamEvent
from skillgate.services.transition import load

STREAM_LIMIT = 200


@dataclass(frozen=True)
class Listing:
    page: Page
    degraded: bool
    as_of: datetime


@dataclass(frozen=True)
class Stage:
    """A stretch of a submission's life. `seconds` is None for the one it is in."""

    event: Event
    seconds: float | None


@dataclass(frozen=True)
class Story:
    submission: Submission
    stages: Sequence[Stage]
    scans: Sequence[ScanRecord]
    position: int | None
    eta_seconds: float | None
    durable: bool
    degraded: bool
    as_of: datetime


def list_submissions(backend: Backend, query: ListQuery) -> Listing:
    """A page from Postgres; rows in flight are overlaid with their live copy where that one is newer.

    Raises StoreUnavailable with Postgres away: an unknown list is not an empty one.
    """
    page = backend.store.page(query)
    in_flight = [row.id for row in page.rows if row.in_flight]
    degraded = False
    overlay: dict[str, Submission] = {}
    if in_flight:
        try:
            found = backend.live.get_many(in_flight)
            overlay = dict(found.submissions)
        except StoreUnavailable as error:
            logger.warning("overlay_unavailable", error=error.message)
            measure(Measure.DEGRADED_READS)
            degraded = True
    rows = [
        overlay[row.id] if row.id in overlay and overlay[row.id].version > row.version else row for row in page.rows
    ]
    return Listing(Page(rows, page.total, page.total_is_exact, page.next_after), degraded, backend.now())


def submission_story(backend: Backend, submission_id: str) -> Story:
    """Everything about one submission. With Postgres away: what the live copy knows, marked as degraded."""
    submission = load(backend, [submission_id]).get(submission_id)
    if submission is None:
        raise NotFound("There is no submission with this id.", code="submission_not_found")
    history, scans, statistics = together(
        lambda: backend.store.history(submission_id),
        lambda: backend.store.scans(submission_id),
        lambda: backend.store.statistics(backend.now()),
    )
    if not (history.ok and scans.ok):
        measure(Measure.DEGRADED_READS)
    events = {event.version: event for event in submission.pending}
    if history.ok:
        events |= {event.version: event for event in history.unwrap()}
    if not events:  # bulk creation writes no event of its own
        events[1] = submission.received_event()
    position, eta = None, None
    if submission.in_flight and statistics.ok:
        position, eta = _outlook(backend, submission, statistics.unwrap())
    return Story(
        submission=submission,
        stages=_stages([events[version] for version in sorted(events)], submission),
        scans=scans.unwrap() if scans.ok else (),
        position=position,
        eta_seconds=eta,
        durable=not submission.pending,
        degraded=not (history.ok and scans.ok),
        as_of=backend.now(),
    )


def _stages(events: Sequence[Event], submission: Submission) -> list[Stage]:
    if events[0].from_state is not None:  # the first event is the claim: what came before is the time in the queue
        events = [Event(submission.id, 1, None, State.RECEIVED, submission.created_at, submission.source), *events]
    ends = [event.at for event in events[1:]]
    stages = [Stage(event, (end - event.at).total_seconds()) for event, end in zip(events, ends, strict=False)]
    last = events[-1]
    return [*stages, Stage(last, 0.0 if submission.terminal else None)]


def _outlook(backend: Backend, submission: Submission, statistics: Statistics) -> tuple[int | None, float | None]:
    """Its place in the queue and the seconds to go, from how fast recent ones got their answers. Unknown stays None."""
    try:
        position = backend.store.waiting_before(submission.created_at) + 1 if submission.state is State.RECEIVED else 0
    except StoreUnavailable:
        return None, None
    if statistics.answers_per_second:
        return position, max(1.0, (position + 1) / statistics.answers_per_second)
    return position, statistics.median_seconds


def queue_statistics(backend: Backend) -> Statistics:
    """The one place that counts. Raises StoreUnavailable: an unknown count is not zero."""
    return backend.store.statistics(backend.now())


def events_since(backend: Backend, cursor: tuple[str, int] | None) -> tuple[list[StreamEvent], tuple[str, int]]:
    """What has happened since the cursor, and where to go on. A new reader starts at now."""
    if cursor is None:
        return [], backend.store.newest_event()
    events = list(backend.store.events_after(cursor, STREAM_LIMIT))
    return events, events[-1].cursor if events else cursor
