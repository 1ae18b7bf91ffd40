"""How external scans are doing, and what operators do about them."""

from skillgate.api.auth import operator_because
from skillgate.api.external_scans import ExternalScansOut, RestoreIn, StartOverIn
from skillgate.api.models import DoneOut
from skillgate.api.router import Api
from skillgate.ports import Backend
from skillgate.services.external_scans import quarantine
from skillgate.services.external_scans.dispatch_state import dispatch_state


def register(api: Api, backend: Backend) -> None:
    @api.get(
        "/api/v1/admin/external-scans",
        tags=["external scans"],
        summary="Workers, dispatches, results and what waits; says so where no workers are configured",
    )
    def statistics() -> ExternalScansOut:
        return ExternalScansOut.of(dispatch_state(backend))

    @api.post(
        "/api/v1/admin/external-scans/restore",
        tags=["external scans"],
        summary="Make a quarantined version installable again",
    )
    def restore(body: RestoreIn) -> DoneOut:
        restored = quarantine.restore(backend, body.skill_id, body.content_hash, operator_because(body.reason))
        return DoneOut(detail={"skillId": body.skill_id.lower(), "contentHash": restored})

    @api.post(
        "/api/v1/admin/external-scans/start-over",
        tags=["external scans"],
        summary="Queue failed, timed-out and lost scans again",
    )
    def start_over(body: StartOverIn) -> DoneOut:
        return DoneOut(detail={"queued": quarantine.start_over(backend, operator_because(body.reason), body.limit)})
