"""Deciding about disputes."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import cursor as cursors
from skillgate.api.account_models import DecideDisputeIn, DisputeList, DisputeOut
from skillgate.api.auth import current_principal
from skillgate.api.router import Api
from skillgate.domain.principal import Role, operators
from skillgate.ports import Backend
from skillgate.services import disputes

_REVIEWERS = operators(Role.REVIEWER)


def register(api: Api, backend: Backend) -> None:
    @api.get("/api/v1/admin/disputes", tags=["disputes"], summary="Disputes that wait", security=_REVIEWERS)
    def waiting(
        status: Annotated[str, Query(pattern="^(open|overturned|upheld)$")] = disputes.OPEN,
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
        cursor: Annotated[str | None, Query(max_length=500)] = None,
    ) -> DisputeList:
        after = cursors.decode_with_id(cursor)
        found, following = disputes.page(backend, statuses=[status], after=after, limit=limit)
        return DisputeList(disputes=[DisputeOut.of(each) for each in found], next_cursor=cursors.encode(following))

    @api.post(
        "/api/v1/admin/disputes/<dispute_id>/decide",
        tags=["disputes"],
        summary="Overturn the finding, or uphold it",
        security=_REVIEWERS,
    )
    def decide(dispute_id: str, body: DecideDisputeIn) -> DisputeOut:
        decided = disputes.settle_dispute(
            backend, current_principal(), dispute_id, overturn=body.decision == "overturn", reason=body.reason
        )
        return DisputeOut.of(decided)
