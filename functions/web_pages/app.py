"""The pages that people look at: everything that is not under `/api`."""

from skillgate import bootstrap
from skillgate.observability import traced

from web_pages.pages import build_pages

_backend = bootstrap.start()
lambda_handler = traced(build_pages(_backend).handle, on=_backend.settings.tracing)
