"""The router that every HTTP function uses: Powertools' resolver with our errors, limits and headers.

A request goes through, in this order: size and shape, who calls, how often, the function's own guard, whether they may
call this route, validation, the route.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestUnsupportedContentType, RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext

from skillgate import context
from skillgate.api import auth, cors, problems
from skillgate.api.event import MAX_BODY_BYTES as MAX_BODY_BYTES
from skillgate.api.event import ApiEvent as ApiEvent
from skillgate.api.event import checked, parse_json
from skillgate.domain.errors import FieldError, InvalidInput, SkillgateError, Unauthenticated
from skillgate.domain.principal import Principal, Requirement, Scheme
from skillgate.observability import logger
from skillgate.ports import Backend
from skillgate.services.limits import Allowance, Kind, Limiter, kind_of

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler.openapi.models import OpenAPI

_SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",  # pages bring their own
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

_BODY_TYPES = {"application/json", "application/x-www-form-urlencoded"}

Guard = Callable[[ApiEvent], None]


class Api(APIGatewayHttpResolver):
    """Routes of one function. `guard` sees every request before its body is parsed; `security` holds for every route,
    and for what is no route, that says nothing of its own."""

    only_known_parameters = True

    def __init__(self, backend: Backend, guard: Guard | None = None, security: Requirement | None = None) -> None:
        super().__init__(enable_validation=True, json_body_deserializer=parse_json)
        self._backend = backend
        self._guard = guard
        self._security = security
        self._limiter = Limiter(backend)
        self.exception_handler(SkillgateError)(self._on_error)
        self.exception_handler(RequestValidationError)(self._on_invalid)
        self.exception_handler(RequestUnsupportedContentType)(self._on_content_type)
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
        across = cors.headers(self._backend.settings, ApiEvent(event))
        own = _lowered(answer.get("headers"))
        answer["headers"] = _SECURITY_HEADERS | {"cache-control": "no-store"} | across | own
        return answer

    def _answer(self, event: dict[str, Any], lambda_context: LambdaContext) -> dict[str, Any]:
        try:
            parsed = checked(event)
            if (preflight := cors.preflight(self._backend.settings, parsed)) is not None:
                return preflight
            principal, allowance = self._admit(parsed)
            if self._guard:
                self._guard(parsed)
        except SkillgateError as error:
            refused = problems.from_error(error, lambda_context.aws_request_id)
            return {"statusCode": refused.status_code, "headers": _lowered(refused.headers), "body": refused.body}
        known = replace(context.current(), principal=principal)
        answer = context.run_with_context(known, lambda: self.resolve(event, lambda_context))
        counted = allowance.headers() if allowance else {}
        return answer | {"headers": counted | _lowered(answer.get("headers"))}

    def _admit(self, event: ApiEvent) -> tuple[Principal | None, Allowance | None]:
        """Who calls, and what is left to them. Raises Unauthenticated, Forbidden and RateLimited."""
        try:
            principal = auth.identify(self._backend, event)
        except Unauthenticated:
            self._limiter.charge(Kind.SIGN_IN, None, event.source_address)  # guessing is limited too
            raise
        if principal is not None and principal.scheme is Scheme.SESSION:
            auth.require_same_site(event, self._backend.settings.public_url)
        kind = kind_of(event.method, event.raw_path)
        return principal, self._limiter.charge(kind, principal, event.source_address)

    def _call_route(self, route: Any, route_arguments: dict[str, str]) -> Any:
        """Powertools validates the body before any middleware; who may not call is told so before that."""
        try:
            auth.authorise(context.current().principal, self.security_of(route))
        except SkillgateError as error:
            return self._response_builder_class(self._on_error(error), serializer=self._serializer, route=route)
        if not self._takes_body():
            refusal = self._on_content_type(None)
            return self._response_builder_class(refusal, serializer=self._serializer, route=route)
        return super()._call_route(route, route_arguments)

    def _takes_body(self) -> bool:
        """JSON and plain forms are read; a type that says neither is refused, and none at all is taken for JSON."""
        if not self.current_event.body:
            return True
        kind = (self.current_event.headers.get("content-type") or "application/json").partition(";")[0].strip().lower()
        return kind in _BODY_TYPES or kind.endswith("+json")

    def security_of(self, route: Any) -> Requirement | None:
        return self._security if route.security is None else route.security

    @property
    def routes(self) -> list[Any]:
        return [*self._static_routes, *self._dynamic_routes]

    def get_openapi_schema(self, **options: Any) -> OpenAPI:
        from skillgate.api.security_schemes import (
            SECURITY_SCHEMES,  # with OpenAPI's models, 50 ms that no request needs
        )

        self.configure_openapi(security_schemes=SECURITY_SCHEMES)
        for route in self.routes:
            route.security = self.security_of(route)
        return super().get_openapi_schema(**options)

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

    def _on_content_type(self, _: RequestUnsupportedContentType | None) -> Response[str]:
        return problems.problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "A body is JSON here.", self.request_id
        )

    def _on_no_route(self, _: NotFoundError) -> Response[str]:
        path = self.current_event.path
        fixed = {route.method for route in self._static_routes if route.rule.match(path)}
        methods = sorted(fixed or {route.method for route in self._dynamic_routes if route.rule.match(path)})
        if methods:
            headers: dict[str, str | list[str]] = {"Allow": ", ".join(methods)}
            detail = "This address answers to other methods."
            return problems.problem(
                HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", detail, self.request_id, headers=headers
            )
        return problems.problem(HTTPStatus.NOT_FOUND, "no_such_route", "There is nothing here.", self.request_id)

    def _on_crash(self, error: Exception) -> Response[str]:
        logger.exception("request_crashed", error=type(error).__name__)
        detail = "Something went wrong on our side; the request id helps us find it."
        return problems.problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", detail, self.request_id)


def _only_known_parameters(app: Any, next_middleware: Callable[[Any], Any]) -> Any:
    """A parameter that a route does not know is an error: whoever sent it believes that it does something."""
    route = app.context["_route"]
    if route not in app.routes:  # what is not there has no parameters to be right or wrong about
        return next_middleware(app)
    known = {field.alias for field in route.dependant.query_params}
    unknown = sorted(set(app.current_event.resolved_query_string_parameters) - known)
    if unknown:
        wrong = [FieldError(f"?{name}", "is not a parameter of this route") for name in unknown]
        raise InvalidInput(
            "The query has parameters that this route does not know.", errors=wrong, code="unknown_parameter"
        )
    return next_middleware(app)


def _pointer(location: Any) -> str:
    kind, *rest = location
    if kind == "query":
        return "?" + ".".join(map(str, rest))
    return "/" + "/".join(str(part) for part in rest)


def _lowered(headers: dict[str, Any] | None) -> dict[str, Any]:
    return {name.lower(): value for name, value in (headers or {}).items()}
