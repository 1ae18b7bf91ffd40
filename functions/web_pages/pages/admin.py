"""The operators' pages: what to look at, and what to do about it, always with a reason."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from aws_lambda_powertools.event_handler import Response
from skillgate.api.auth import current_principal, operator_because
from skillgate.domain.errors import InvalidInput, SkillgateError
from skillgate.domain.ids import is_id
from skillgate.domain.principal import Role, operators
from skillgate.domain.repo_url import RepoUrl, parse_location, skill_path
from skillgate.domain.submission import IN_FLIGHT, State
from skillgate.ports import Backend, ListQuery
from skillgate.services import blocklist, blocklist_view, disputes, operate, operators_view, queue_view
from skillgate.services.external_scans import quarantine
from skillgate.services.operate import Acted
from skillgate.web import charts
from skillgate.web.words import duration

from web_pages.site import Site, first

_ADMINS, _REVIEWERS = operators(), operators(Role.REVIEWER)
_SHOWN = 100
_NO_STORE = {"Cache-Control": "no-store"}
_HASH = re.compile(r"[0-9a-f]{64}")


def register(site: Site, backend: Backend) -> None:
    def page(name: str, **values: object) -> Response[str]:
        done, failed = site.number("done", default=0, most=10_000), site.number("failed", default=0, most=10_000)
        return site.page(f"admin/{name}.html", 200, headers=_NO_STORE, tab=name, done=done, failed=failed, **values)

    def after(section: str, *, done: int = 0, failed: int = 0) -> Response[str]:
        figures = urlencode({name: number for name, number in (("done", done), ("failed", failed)) if number})
        return site.see(f"/admin/{section}" + (f"?{figures}" if figures else ""))

    @site.get("/admin", include_in_schema=False, security=_REVIEWERS)
    def overview() -> Response[str]:
        seen = operators_view.overview(backend)
        numbers, hours = seen.queue.statistics, seen.hours or ()
        return page(
            "health",
            health=seen.queue,
            seen=seen,
            in_flight=sum(numbers.states[state] for state in IN_FLIGHT) if numbers else None,
            throughput=charts.bars([hour.answers for hour in hours], [f"{h.start:%H:%M}: {h.answers}" for h in hours]),
            waiting=charts.bars(
                [hour.p95_seconds or 0 for hour in hours],
                [f"{hour.start:%H:%M}: {duration(hour.p95_seconds)}" for hour in hours],
            ),
        )

    @site.post("/admin/queue", include_in_schema=False, security=_ADMINS)
    def pause() -> Response[str]:
        form = site.form()
        operate.pause(backend, operator_because(_reason(form)), on=first(form, "action") == "pause")
        return site.see("/admin")

    @site.get("/admin/stuck", include_in_schema=False, security=_ADMINS)
    def stuck() -> Response[str]:
        found, skipped = operate.stuck_submissions(backend, _SHOWN)
        return page("stuck", rows=found, skipped=skipped)

    @site.post("/admin/stuck", include_in_schema=False, security=_ADMINS)
    def act_on_stuck() -> Response[str]:
        form = site.form()
        act = operate.dequeue if first(form, "action") == "dequeue" else operate.requeue
        return after("stuck", **_counted(act(backend, _ids(form), operator_because(_reason(form)))))

    @site.get("/admin/review", include_in_schema=False, security=_REVIEWERS)
    def review() -> Response[str]:
        query = ListQuery(states=(State.NEEDS_REVIEW,), descending=False, limit=_SHOWN)
        return page("review", listing=queue_view.list_submissions(backend, query))

    @site.post("/admin/review", include_in_schema=False, security=_REVIEWERS)
    def decide() -> Response[str]:
        form = site.form()
        approve = first(form, "action") == "approve"
        return after(
            "review", **_counted(operate.decide(backend, _ids(form), operator_because(_reason(form)), approve=approve))
        )

    @site.get("/admin/dead-letters", include_in_schema=False, security=_ADMINS)
    def dead_letters() -> Response[str]:
        letters, depth = operate.dead_letters(backend, _SHOWN), operate.queue_health(backend).depth
        return page("dead-letters", letters=letters, depth=depth)

    @site.post("/admin/dead-letters", include_in_schema=False, security=_ADMINS)
    def act_on_dead_letters() -> Response[str]:
        form = site.form()
        operator = operator_because(_reason(form))
        if first(form, "action") == "discard":
            return after("dead-letters", done=operate.discard(backend, form.get("handle", ()), operator))
        operate.redrive(backend, operator)
        return after("dead-letters", done=1)

    @site.get("/admin/disputes", include_in_schema=False, security=_REVIEWERS)
    def open_disputes() -> Response[str]:
        waiting, _ = disputes.page(backend, statuses=[disputes.OPEN], after=None, limit=_SHOWN)
        return page("disputes", disputes=waiting, rates=disputes.rates(backend))

    @site.post("/admin/disputes", include_in_schema=False, security=_REVIEWERS)
    def settle_disputes() -> Response[str]:
        form = site.form()
        reason, overturn = _reason(form), first(form, "action") == "overturn"
        done = failed = 0
        for dispute_id in _ids(form):
            try:
                disputes.settle_dispute(backend, current_principal(), dispute_id, overturn=overturn, reason=reason)
                done += 1
            except SkillgateError:
                failed += 1
        return after("disputes", done=done, failed=failed)

    @site.get("/admin/blocklist", include_in_schema=False, security=_ADMINS)
    def blocked() -> Response[str]:
        return page("blocklist", entries=blocklist_view.entries(backend))

    @site.post("/admin/blocklist", include_in_schema=False, security=_ADMINS)
    def change_blocklist() -> Response[str]:
        form = site.form()
        operator = operator_because(_reason(form))
        scope = _scope(form)
        change = blocklist.unblock if first(form, "action") == "unblock" else blocklist.block
        change(backend, operator, repo=scope.repo, skill_path=scope.skill_path, content_hash=scope.content_hash)
        return after("blocklist", done=1)

    @site.post("/admin/restore", include_in_schema=False, security=_ADMINS)
    def restore() -> Response[str]:
        form = site.form()
        skill_id = first(form, "skill").lower()
        quarantine.restore(backend, skill_id, first(form, "content") or None, operator_because(_reason(form)))
        return site.see(f"/skills/{quote(skill_id)}")

    @site.get("/admin/discovery", include_in_schema=False, security=_ADMINS)
    def discovery() -> Response[str]:
        return page(
            "discovery", totals=backend.discoveries.totals(), runs=backend.discoveries.runs(source=None, limit=_SHOWN)
        )

    @site.get("/admin/audit", include_in_schema=False, security=_ADMINS)
    def audit() -> Response[str]:
        subject, before = site.query("subject"), site.number("before", default=0, most=2**31)
        entries = backend.operators.audit_log(limit=_SHOWN, before=before or None, subject=subject)
        return page("audit", entries=entries, subject=subject, more=len(entries) == _SHOWN)


def _reason(form: Mapping[str, Sequence[str]]) -> str:
    reason = first(form, "reason")
    if not 3 <= len(reason) <= 500:
        raise InvalidInput("Say why, in 3 to 500 characters.", code="reason_needed")
    return reason


def _ids(form: Mapping[str, Sequence[str]]) -> list[str]:
    ids = list(dict.fromkeys(form.get("id", ())))
    if not ids or not all(map(is_id, ids)):
        raise InvalidInput("Choose at least one.", code="nothing_chosen")
    return ids


@dataclass(frozen=True)
class _Scope:
    """What a block names: a repository, perhaps one skill in it, or a content; never a bare name."""

    repo: RepoUrl | None = None
    skill_path: str | None = None
    content_hash: str | None = None


def _scope(form: Mapping[str, Sequence[str]]) -> _Scope:
    repository, content = first(form, "repository"), first(form, "content").lower().removeprefix("sha256:")
    if bool(repository) == bool(content):
        raise InvalidInput("Name either a repository or a content hash.", code="scope_needed")
    if content:
        if not _HASH.fullmatch(content):
            raise InvalidInput("A content hash is a SHA-256 in hexadecimal.", code="invalid_hash")
        return _Scope(content_hash=content)
    repo, in_url = parse_location(
        repository if repository.startswith("https://") else f"https://github.com/{repository}"
    )
    path = first(form, "path")
    return _Scope(repo, skill_path(path) if path else in_url)


def _counted(acted: Sequence[Acted]) -> dict[str, int]:
    failed = sum(each.error is not None for each in acted)
    return {"done": len(acted) - failed, "failed": failed}
