"""The router that every HTTP function uses: Powertools' resolver with our errors, limits and headers."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from aws_lambda_powertools.utilities.typing import LambdaContext

from skillgate import context
from skillgate.api import problems
from skillgate.domain.errors import FieldError, InvalidInput, SkillgateError, TooLarge
from skillgate.observability import logger
from skillgate.ports import Backend

MAX_BODY_BYTES = 2_000_000
MAX_DEPTH = 32
_SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
}

Guard = Callable[["ApiEvent"], None]


class ApiEvent(APIGatewayProxyEventV2):
    """Reads the query from the raw string: the gateway's own dictionary joins repeated keys with commas, and so
    cannot tell `a,b` from `a` and `b`."""

    @property
    def resolved_query_string_parameters(self) -> dict[str, list[str]]:
        return parse_qs(self.get("rawQueryString") or "", keep_blank_values=True, max_num_fields=100)


class Api(APIGatewayHttpResolver):
    """Routes of one function. `guard` sees every request before anything of it is parsed."""

    only_known_parameters = True

    def __init__(self, backend: Backend, guard: Guard | None = None) -> None:
        super().__init__(enable_validation=True, json_body_deserializer=_json)
        self._backend = backend
        self._guard = guard
        self.exception_handler(SkillgateError)(self._on_error)
        self.exception_handler(RequestValidationError)(self._on_invalid)
        self.exception_handler(NotFoundError)(self._on_no_route)
        self.exception_handler(Exception)(self._on_crash)
        if self.only_known_parameters:
            self.use([_only_known_parameters])

    def handle(self, event: dict[str, Any], lambda_context: LambdaContext) -> dict[str, Any]:
        """Answers one request inside an environment of its own."""
        environment = context.Environment(
            settings=self._backend.settings, request_id=lambda_context.aws_request_id, deadline=None
        )
        answer = context.run_with_context(environment, lambda: self._answer(event, lambda_context))
        answer["headers"] = _SECURITY_HEADERS | {"cache-control": "no-store"} | _lowered(answer.get("headers"))
        return answer

    def _answer(self, event: dict[str, Any], lambda_context: LambdaContext) -> dict[str, Any]:
        try:
            _check_size(event)
            parsed = ApiEvent(event)
            parsed.resolved_query_string_parameters  # noqa: B018 - too many fields is an error to report now
            if self._guard:
                self._guard(parsed)
        except SkillgateError as error:
            refused = problems.from_error(error, lambda_context.aws_request_id)
        except ValueError:
            refused = problems.from_error(
                InvalidInput("The query has too many parameters."), lambda_context.aws_request_id
            )
        else:
            return self.resolve(event, lambda_context)
        return {"statusCode": refused.status_code, "headers": _lowered(refused.headers), "body": refused.body}

    def _to_proxy_event(self, event: dict[str, Any]) -> ApiEvent:
        return ApiEvent(event, self._json_body_deserializer)

    @property
    def request_id(self) -> str:
        return self.lambda_context.aws_request_id

    def _on_error(self, error: SkillgateError) -> Response[str]:
        return problems.from_error(error, self.request_id)

    def _on_invalid(self, error: RequestValidationError) -> Response[str]:
        wrong = [FieldError(_pointer(part["loc"]), str(part["msg"])) for part in error.errors()]
        return problems.from_error(
            InvalidInput("The request is not valid.", errors=wrong, code="validation_failed"), self.request_id
        )

    def _on_no_route(self, _: NotFoundError) -> Response[str]:
        return problems.problem(HTTPStatus.NOT_FOUND, "no_such_route", "There is nothing here.", self.request_id)

    def _on_crash(self, error: Exception) -> Response[str]:
        logger.exception("request_crashed", error=type(error).__name__)
        detail = "Something went wrong on our side; the request id helps us find it."
        return problems.problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", detail, self.request_id)


def _only_known_parameters(app: Any, next_middleware: Callable[[Any], Any]) -> Any:
    """A parameter that a route does not know is an error: whoever sent it believes that it does something."""
    known = {field.alias for field in app.context["_route"].dependant.query_params}
    unknown = sorted(set(app.current_event.resolved_query_string_parameters) - known)
    if unknown:
        wrong = [FieldError(f"?{name}", "is not a parameter of this route") for name in unknown]
        raise InvalidInput(
            "The query has parameters that this route does not know.", errors=wrong, code="unknown_parameter"
        )
    return next_middleware(app)


def _check_size(event: dict[str, Any]) -> None:
    if len(event.get("body") or "") > MAX_BODY_BYTES:
        raise TooLarge(f"A body may have {MAX_BODY_BYTES:,} bytes.")


def _json(text: str) -> Any:
    """Parses a body; what could never be stored (NUL, lone surrogates) or is nested absurdly deep is refused."""
    try:
        value = json.loads(text)
        _check_value(value, MAX_DEPTH)
    except RecursionError:
        raise InvalidInput("The body is nested too deeply.", code="invalid_json") from None
    except ValueError:
        raise InvalidInput("The body is not valid JSON.", code="invalid_json") from None
    return value


def _check_value(value: Any, depth: int) -> None:
    if depth == 0:
        raise InvalidInput("The body is nested too deeply.", code="invalid_json")
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise InvalidInput("Text in the body may not have NUL characters.", code="invalid_json")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_value(name, depth - 1)
            _check_value(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_value(item, depth - 1)


def _pointer(location: Any) -> str:
    kind, *rest = location
    if kind == "query":
        return "?" + ".".join(map(str, rest))
    return "/" + "/".join(str(part) for part in rest)


def _lowered(headers: dict[str, Any] | None) -> dict[str, Any]:
    return {name.lower(): value for name, value in (headers or {}).items()}
