"""The scanners' HTTP API: `/api/v1/webhooks/*`."""

from skillgate import bootstrap
from skillgate.observability import traced

from webhook_api.routes import build_api

_backend = bootstrap.start()
lambda_handler = traced(build_api(_backend).handle, on=_backend.settings.tracing)
