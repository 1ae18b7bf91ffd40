"""What scan workers report. The signature is checked over the raw body before anything of it is parsed."""

import base64
import binascii
from functools import partial
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header
from skillgate.api.external_scans import ReceivedOut, ScanResultIn
from skillgate.api.router import Api, ApiEvent
from skillgate.domain.errors import Unauthenticated
from skillgate.domain.signatures import MAX_ID_LENGTH, verify_webhook
from skillgate.ports import Backend
from skillgate.services.external_scans.results import receive


def build_api(backend: Backend) -> Api:
    api = Api(backend, guard=partial(_signed, backend))

    @api.post(
        "/api/v1/webhooks/scan-results",
        tags=["webhooks"],
        summary="The result of an external scan",
        description="Signed as Standard Webhooks; each webhook-id is taken once.",
    )
    def scan_results(
        body: ScanResultIn, webhook_id: Annotated[str, Header(alias="webhook-id", max_length=MAX_ID_LENGTH)]
    ) -> Response[ReceivedOut]:
        received = receive(backend, webhook_id, body.report())
        answer = ReceivedOut(applied=received.not_applied is None, why=received.not_applied)
        return Response(202, "application/json", answer)

    return api


def _signed(backend: Backend, event: ApiEvent) -> None:
    secrets = [secret.get_secret_value() for secret in backend.settings.webhook_secrets]
    if not secrets:
        raise Unauthenticated("No scan worker is registered here.", code="no_scan_workers")
    headers = {name.lower(): value for name, value in event.headers.items()}
    verify_webhook(headers, _raw_body(event), secrets, backend.now())


def _raw_body(event: ApiEvent) -> bytes:
    body = event.body or ""
    if not event.is_base64_encoded:
        return body.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise Unauthenticated("The webhook's body cannot be read.", code="webhook_signature_invalid") from None
