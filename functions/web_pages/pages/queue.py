"""The queue, and one submission's story."""

from aws_lambda_powertools.event_handler import Response
from skillgate.api.models import StatisticsOut
from skillgate.domain.errors import NotFound
from skillgate.domain.ids import is_id
from skillgate.domain.submission import BUCKETS, State
from skillgate.ports import Backend, ListQuery
from skillgate.services import queue_view
from skillgate.web.findings import shown_findings

from web_pages.site import Site

_SHOWN = 50
_PAGES = 100
# The stages of the way that most submissions go, as the submission's page draws it.
_STEPS = (
    ("Received", frozenset({State.RECEIVED})),
    ("Tier 1", frozenset({State.TIER1_SCANNING, State.RESCAN_REQUIRED})),
    ("Tier 2", frozenset({State.TIER2_SCANNING, State.NEEDS_REVIEW})),
    ("Published", frozenset({State.AUTO_APPROVED, State.PUBLISHED})),
)


def register(site: Site, backend: Backend) -> None:
    @site.get("/queue", include_in_schema=False)
    def queue() -> Response[str]:
        state, text = site.query("state"), site.query("q")
        sort = "updated_at" if site.query("sort") == "updated" else "created_at"
        number = site.number("page", default=1, most=_PAGES)
        query = ListQuery(
            states=_states(state), text=text, sort=sort, offset=(number - 1) * _SHOWN, limit=_SHOWN, descending=True
        )
        listing = queue_view.list_submissions(backend, query)
        return site.page(
            "queue.html",
            listing=listing,
            numbers=StatisticsOut.of(queue_view.queue_statistics(backend)),
            state=state if _states(state) else None,
            text=text,
            sort="updated" if sort == "updated_at" else "created",
            number=number,
            has_more=listing.page.next_after is not None and number < _PAGES,
        )

    @site.get("/submissions/<submission_id>", include_in_schema=False)
    def submission(submission_id: str) -> Response[str]:
        if not is_id(submission_id):
            raise NotFound("There is no submission with this id.", code="submission_not_found")
        story = queue_view.submission_story(backend, submission_id)
        scans = {scan.tier: scan for scan in story.scans}
        tier1, tier2 = scans.get(1), scans.get(2)
        return site.page(
            "submission.html",
            story=story,
            steps=_steps(story),
            tier1=tier1,
            tier2=tier2,
            findings=shown_findings(tier1.report if tier1 else None, tier2.report if tier2 else None),
        )


def _states(text: str | None) -> tuple[State, ...]:
    if text is None:
        return ()
    if text in BUCKETS:
        return tuple(sorted(BUCKETS[text]))
    return (State(text),) if text in State.__members__ else ()


def _steps(story: queue_view.Story) -> list[tuple[str, str]]:
    """Each step's name and whether it is done, being done, skipped, failed or yet to come."""
    state = story.submission.state
    seen = {stage.event.to_state for stage in story.stages} | {state}
    last = max((index for index, (_, states) in enumerate(_STEPS) if states & seen), default=0)
    steps = []
    for index, (name, states) in enumerate(_STEPS):
        if state is State.PUBLISHED or index < last:
            steps.append((name, "done" if states & seen else "skipped"))
        elif index == last:
            steps.append((name, "failed" if story.submission.terminal else "current"))
        else:
            steps.append((name, "ahead"))
    return steps
