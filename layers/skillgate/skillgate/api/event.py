"""A request as the gateway handed it over, and the limits it must keep before anything of it is believed."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from skillgate.domain.errors import InvalidInput, TooLarge

MAX_BODY_BYTES = 2_000_000
MAX_DEPTH = 32
MAX_PARAMETERS = 100


class ApiEvent(APIGatewayProxyEventV2):
    """Reads the query from the raw string: the gateway's own dictionary joins repeated keys with commas, and so
    cannot tell `a,b` from `a` and `b`."""

    @property
    def resolved_query_string_parameters(self) -> dict[str, list[str]]:
        return parse_qs(self.get("rawQueryString") or "", keep_blank_values=True, max_num_fields=MAX_PARAMETERS)

    @property
    def method(self) -> str:
        return str(self["requestContext"]["http"]["method"]).upper()

    @property
    def source_address(self) -> str:
        """The address that the gateway saw. What X-Forwarded-For says is the client's own invention."""
        return str(self["requestContext"]["http"].get("sourceIp", ""))

    @property
    def cookie_jar(self) -> dict[str, str]:
        """The first of each name: a second one with the same name was planted by a neighbour of our host."""
        jar: dict[str, str] = {}
        for cookie in self.get("cookies") or ():
            name, _, value = str(cookie).partition("=")
            jar.setdefault(name.strip(), value.strip())
        return jar

    def origin(self, public_url: str) -> str:
        """Scheme and host as the caller's browser knows us."""
        if public_url:
            return public_url.rstrip("/")
        scheme = "http" if self.headers.get("x-forwarded-proto") == "http" else "https"
        return f"{scheme}://{self['requestContext'].get('domainName', '')}"


def checked(event: Mapping[str, Any]) -> ApiEvent:
    """The event, if it is of a size and shape that we take. Raises TooLarge and InvalidInput."""
    _check_body(event)
    parsed = ApiEvent(dict(event))
    try:
        query = parsed.resolved_query_string_parameters
    except ValueError:
        raise InvalidInput("The query has too many parameters.") from None
    texts = [str(event.get("rawPath", "")), *query, *(value for values in query.values() for value in values)]
    if any("\0" in text for text in texts):
        raise InvalidInput("An address may not have NUL characters.", code="invalid_address")
    return parsed


def _check_body(event: Mapping[str, Any]) -> None:
    """Its size in bytes, and that it is text. The length in characters is looked at first: it costs nothing."""
    body = event.get("body") or ""
    if len(body) > MAX_BODY_BYTES * 4 // 3 + 4:
        raise TooLarge(f"A body may have {MAX_BODY_BYTES:,} bytes.")
    try:
        data = base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode(errors="replace")
        if len(data) > MAX_BODY_BYTES:
            raise TooLarge(f"A body may have {MAX_BODY_BYTES:,} bytes.")
        data.decode()
    except ValueError:
        raise InvalidInput("The body is not text.", code="invalid_json") from None


def parse_json(text: str) -> Any:
    """A body; what could never be stored (NUL, lone surrogates) or is nested absurdly deep is refused."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
        _check_value(value, MAX_DEPTH)
    except RecursionError:
        raise InvalidInput("The body is nested too deeply.", code="invalid_json") from None
    except ValueError:
        raise InvalidInput("The body is not valid JSON.", code="invalid_json") from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check_value(value: Any, depth: int) -> None:
    if depth == 0:
        raise InvalidInput("The body is nested too deeply.", code="invalid_json")
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise InvalidInput("Text in the body may not have NUL characters.", code="invalid_json")
    elif isinstance(value, float) and not math.isfinite(value):  # a literal such as 1e999
        raise InvalidInput("Numbers in the body must be finite.", code="invalid_json")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_value(name, depth - 1)
            _check_value(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_value(item, depth - 1)
