"""What scan workers report. No worker has a secret yet, so nothing they say can be believed: every call is refused."""

from aws_lambda_powertools.event_handler import Response
from skillgate.api.models import DoneOut
from skillgate.api.router import Api, ApiEvent
from skillgate.domain.errors import Unauthenticated
from skillgate.ports import Backend


def build_api(backend: Backend) -> Api:
    api = Api(backend, guard=_refuse)

    @api.post("/api/v1/webhooks/scan-results", tags=["webhooks"], summary="The result of an external scan")
    def scan_results() -> Response[DoneOut]:
        return Response(202, "application/json", DoneOut())

    return api


def _refuse(_: ApiEvent) -> None:
    raise Unauthenticated("No scan worker is registered here.", code="no_scan_workers")
