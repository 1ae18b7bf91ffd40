"""How callers prove who they are, as the API's description says it. Only who writes that description imports this."""

from __future__ import annotations

from aws_lambda_powertools.event_handler.openapi.models import APIKey, APIKeyIn, HTTPBearer, SecurityScheme

from skillgate.api.auth import ACCESS_COOKIE
from skillgate.domain.principal import Scheme


def _api_key(name: str, where: APIKeyIn, description: str) -> SecurityScheme:
    return APIKey.model_validate({"name": name, "in": where, "description": description})


SECURITY_SCHEMES: dict[str, SecurityScheme] = {
    Scheme.INTERNAL_KEY: _api_key("X-Internal-Key", APIKeyIn.header, "For operators' programs."),
    Scheme.BEARER: HTTPBearer(bearerFormat="JWT", description="The access token of somebody who signed in."),
    Scheme.SESSION: _api_key(ACCESS_COOKIE, APIKeyIn.cookie, "The same, in a browser's cookie."),
    Scheme.API_TOKEN: HTTPBearer(bearerFormat="vsk_…", description="A scoped token for command-line clients."),
}
