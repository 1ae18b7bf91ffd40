"""The API's documentation, from its own description."""

from aws_lambda_powertools.event_handler import Response
from skillgate.api import reference
from skillgate.ports import Backend

from web_pages.site import Site


def register(site: Site, _: Backend) -> None:
    @site.get("/docs", include_in_schema=False)
    def docs() -> Response[str]:
        return site.page("docs.html", groups=reference.by_tag())
