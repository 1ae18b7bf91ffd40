"""Disputing a finding, and what was decided about disputes: public, with the rate for each rule."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api import cursor as cursors
from skillgate.api.account_models import DisputeIn, DisputeList, DisputeOut, OverturnRateList, OverturnRateOut
from skillgate.api.auth import current_principal
from skillgate.api.responses import answers
from skillgate.api.router import Api
from skillgate.domain.principal import Scope, signed_in
from skillgate.ports import Backend
from skillgate.services import disputes
from skillgate.services.owners import Owner

_TAGS = ["disputes"]
_ALL = (disputes.OPEN, disputes.OVERTURNED, disputes.UPHELD)

Limit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(max_length=500)]


def register(api: Api, backend: Backend) -> None:
    @api.post(
        "/api/v1/me/disputes",
        tags=_TAGS,
        summary="Dispute a finding in one of my submissions",
        description="The same finding is disputed once: the answer to a second try is the first dispute as it stands.",
        security=signed_in(Scope.WRITE),
        responses=answers(DisputeOut, _201="The dispute as it stands."),
    )
    def open_dispute(body: DisputeIn) -> Response[DisputeOut]:
        found = disputes.dispute(
            backend,
            Owner.of(current_principal()),
            rule_id=body.rule_id,
            content_hash=body.content_hash,
            note=body.note,
        )
        return Response(201, "application/json", DisputeOut.of(found))

    @api.get("/api/v1/me/disputes", tags=_TAGS, summary="My disputes", security=signed_in(Scope.READ))
    def my_disputes(limit: Limit = 50, cursor: Cursor = None) -> DisputeList:
        account_id = Owner.of(current_principal()).account_id
        after = cursors.decode_with_id(cursor)
        found, following = disputes.page(backend, statuses=_ALL, after=after, limit=limit, account_id=account_id)
        return DisputeList(disputes=[DisputeOut.of(each) for each in found], next_cursor=cursors.encode(following))

    @api.get("/api/v1/disputes", tags=_TAGS, summary="What was decided about disputes, the newest first")
    def decided(limit: Limit = 50, cursor: Cursor = None) -> DisputeList:
        after, statuses = cursors.decode_with_id(cursor), (disputes.OVERTURNED, disputes.UPHELD)
        found, following = disputes.page(backend, statuses=statuses, after=after, limit=limit)
        return DisputeList(disputes=[DisputeOut.of(each) for each in found], next_cursor=cursors.encode(following))

    @api.get("/api/v1/disputes/rates", tags=_TAGS, summary="How often each rule was overturned")
    def rates() -> OverturnRateList:
        return OverturnRateList(rules=[OverturnRateOut.of(rate) for rate in disputes.rates(backend)])
