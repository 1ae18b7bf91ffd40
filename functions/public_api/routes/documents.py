"""The API's own description."""

from importlib.resources import files

from aws_lambda_powertools.event_handler import Response
from skillgate.api.router import Api


def register(api: Api) -> None:
    @api.get("/api/v1/openapi.json", include_in_schema=False)
    def openapi() -> Response[str]:
        body = (files("skillgate.api") / "openapi.json").read_text()
        return Response(200, "application/json", body, headers={"Cache-Control": "public, max-age=300"})
