"""Messages that were received too often: look, send back, discard."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from skillgate.api.auth import operator_because
from skillgate.api.models import DeadLetterList, DeadLetterOut, DiscardIn, DoneOut, ReasonIn
from skillgate.api.router import Api
from skillgate.ports import Backend
from skillgate.services import operate


def register(api: Api, backend: Backend) -> None:
    @api.get(
        "/api/v1/admin/queue/dead-letters",
        tags=["dead letters"],
        summary="Look at dead letters",
        description="A dead letter that was looked at is hidden from the next look for half a minute.",
    )
    def look(limit: Annotated[int, Query(ge=1, le=100)] = 20) -> DeadLetterList:
        letters = operate.dead_letters(backend, limit)
        return DeadLetterList(dead_letters=[DeadLetterOut.model_validate(vars(letter)) for letter in letters])

    @api.post("/api/v1/admin/queue/dead-letters/redrive", tags=["dead letters"], summary="Send all of them back")
    def redrive(body: ReasonIn) -> DoneOut:
        return DoneOut(detail={"task": operate.redrive(backend, operator_because(body.reason))})

    @api.post(
        "/api/v1/admin/queue/dead-letters/discard", tags=["dead letters"], summary="Delete some that were looked at"
    )
    def discard(body: DiscardIn) -> DoneOut:
        gone = operate.discard(backend, body.receipt_handles, operator_because(body.reason))
        return DoneOut(detail={"discarded": gone})
