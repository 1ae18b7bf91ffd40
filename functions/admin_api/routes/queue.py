"""Watching the queue and unsticking it."""

from collections.abc import Sequence
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api.auth import operator_because
from skillgate.api.models import (
    ActAnswer,
    ActedOut,
    ActIn,
    AuditEntry,
    AuditList,
    DecideIn,
    DoneOut,
    HealthOut,
    ReasonIn,
    RequeueIn,
    StuckList,
    SubmissionOut,
)
from skillgate.api.router import Api
from skillgate.domain.errors import InvalidInput
from skillgate.domain.ids import is_id
from skillgate.domain.principal import Role, operators
from skillgate.domain.submission import IN_FLIGHT
from skillgate.ports import Backend
from skillgate.services import operate
from skillgate.services.operate import Acted


def register(api: Api, backend: Backend) -> None:
    @api.get("/api/v1/admin/queue/stuck", tags=["queue"], summary="In flight, idle for too long and held by nobody")
    def stuck(limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> StuckList:
        found, skipped = operate.stuck_submissions(backend, limit)
        rows = [SubmissionOut.of(submission) for submission in found]
        return StuckList(submissions=rows, skipped=skipped, as_of=backend.now())

    @api.post("/api/v1/admin/queue/requeue", tags=["queue"], summary="Send submissions again: these, or all stuck ones")
    def requeue(body: RequeueIn) -> ActAnswer:
        if bool(body.ids) == body.all_stuck:
            raise InvalidInput("Give either ids or allStuck.", code="validation_failed")
        operator = operator_because(body.reason)
        if body.ids:
            return _answer(operate.requeue(backend, _checked(body.ids), operator))
        return _answer(operate.requeue_all_stuck(backend, operator, limit=1000))

    @api.post("/api/v1/admin/queue/dequeue", tags=["queue"], summary="Take submissions out of the queue")
    def dequeue(body: ActIn) -> ActAnswer:
        return _answer(operate.dequeue(backend, _checked(body.ids), operator_because(body.reason)))

    @api.post(
        "/api/v1/admin/queue/decide",
        tags=["queue"],
        summary="Approve or reject what waits in review",
        security=operators(Role.REVIEWER),
    )
    def decide(body: DecideIn) -> ActAnswer:
        operator = operator_because(body.reason)
        return _answer(operate.decide(backend, _checked(body.ids), operator, approve=body.decision == "approve"))

    @api.post("/api/v1/admin/queue/pause", tags=["queue"], summary="Stop claiming; nothing is lost meanwhile")
    def pause(body: ReasonIn) -> DoneOut:
        operate.pause(backend, operator_because(body.reason), on=True)
        return DoneOut(detail={"paused": True})

    @api.post("/api/v1/admin/queue/resume", tags=["queue"], summary="Go on claiming")
    def resume(body: ReasonIn) -> DoneOut:
        operate.pause(backend, operator_because(body.reason), on=False)
        return DoneOut(detail={"paused": False})

    @api.get(
        "/api/v1/admin/queue/health", tags=["queue"], summary="Oldest in flight, orphans, drain rate, dead letters"
    )
    def health() -> HealthOut:
        seen = operate.queue_health(backend)
        numbers = seen.statistics
        oldest = numbers.oldest_in_flight if numbers else None
        return HealthOut(
            oldest_in_flight_seconds=(seen.as_of - oldest).total_seconds() if oldest else None,
            in_flight=sum(numbers.states[state] for state in IN_FLIGHT) if numbers else None,
            orphans=seen.orphans,
            stuck=seen.stuck,
            paused=None if seen.pause is None else bool(seen.pause["paused"]),
            drained_last_hour=numbers.answered_hour if numbers else None,
            drained_last_six_hours=numbers.answered_six_hours if numbers else None,
            queue=seen.depth,
            degraded=None in (seen.statistics, seen.depth, seen.pause, seen.stuck, seen.orphans),
            as_of=seen.as_of,
        )

    @api.get("/api/v1/admin/audit-log", tags=["operators"], summary="What operators did, and why; the newest first")
    def audit_log(
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
        subject: Annotated[str | None, Query(max_length=200)] = None,
    ) -> AuditList:
        entries = [
            AuditEntry.model_validate(row)
            for row in backend.operators.audit_log(limit=limit, before=before, subject=subject)
        ]
        return AuditList(entries=entries, next_before=entries[-1].id if len(entries) == limit else None)


def _checked(ids: Sequence[str]) -> list[str]:
    wrong = [id_ for id_ in ids if not is_id(id_)]
    if wrong:
        raise InvalidInput(f"{len(wrong)} of the ids are not submission ids.", code="invalid_id")
    return list(dict.fromkeys(ids))


def _answer(acted: Sequence[Acted]) -> ActAnswer:
    results = [
        ActedOut(
            id=each.submission_id,
            state=each.state,
            error=each.error.message if each.error else None,
            code=each.error.code if each.error else None,
        )
        for each in acted
    ]
    failed = sum(result.error is not None for result in results)
    return ActAnswer(ok=failed == 0, done=len(results) - failed, results=results)
