"""The events of a template's functions: HTTP routes, SQS event sources and schedules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .cron import parse_expression
from .intrinsics import as_bool, as_int, as_text
from .model import STACK_NAME, Cors, HttpApi, HttpRoute, Queue, Schedule, SqsEventSource, TemplateError, arn
from .resources import HTTP_API, IMPLICIT_HTTP_API, Resources

INTEGRATION_TIMEOUT = 30.0

_METHODS = {"ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
_ROUTE_PROPERTIES = {"ApiId", "Auth", "Method", "Path", "PayloadFormatVersion", "RouteSettings", "TimeoutInMillis"}
_SQS_PROPERTIES = {
    "BatchSize",
    "Enabled",
    "FunctionResponseTypes",
    "MaximumBatchingWindowInSeconds",
    "MetricsConfig",
    "Queue",
    "ScalingConfig",
}
# Retry policy and dead letters of a schedule are about delivery to Lambda, which never fails on one machine.
_SCHEDULE_PROPERTIES = {
    "DeadLetterConfig",
    "Description",
    "Enabled",
    "Input",
    "Name",
    "RetryPolicy",
    "Schedule",
    "State",
}
_SCHEDULE_V2_PROPERTIES = {
    "DeadLetterConfig",
    "Description",
    "FlexibleTimeWindow",
    "GroupName",
    "Input",
    "KmsKeyArn",
    "Name",
    "OmitName",
    "PermissionsBoundary",
    "RetryPolicy",
    "RoleArn",
    "ScheduleExpression",
    "ScheduleExpressionTimezone",
    "State",
}
_API_PROPERTIES = {
    "AccessLogSettings",
    "CorsConfiguration",
    "DefaultRouteSettings",
    "Description",
    "DisableExecuteApiEndpoint",
    "Domain",
    "FailOnWarnings",
    "Name",
    "PropagateTags",
    "RouteSettings",
    "StageName",
    "StageVariables",
    "Tags",
}
_CORS_PROPERTIES = {"AllowCredentials", "AllowHeaders", "AllowMethods", "AllowOrigins", "ExposeHeaders", "MaxAge"}


@dataclass
class _Collected:
    routes: list[tuple[str, HttpRoute]] = field(default_factory=list)
    event_sources: list[SqsEventSource] = field(default_factory=list)
    schedules: list[Schedule] = field(default_factory=list)


@dataclass(frozen=True)
class Events:
    """All events of all functions; each route comes with the id of the API it belongs to."""

    routes: tuple[tuple[str, HttpRoute], ...]
    event_sources: tuple[SqsEventSource, ...]
    schedules: tuple[Schedule, ...]


def read_events(functions: Mapping[str, Mapping[str, Any]], resources: Resources, queues: tuple[Queue, ...]) -> Events:
    collected = _Collected()
    for logical_id, properties in functions.items():
        for event_name, event in (properties.get("Events") or {}).items():
            where = f"{logical_id}.Events.{event_name}"
            condition = event.get("Condition")
            if condition is not None and not resources.intrinsics.condition(condition, where):
                continue
            details = event.get("Properties") or {}
            match event.get("Type"):
                case "HttpApi":
                    collected.routes.append(_route(logical_id, details, where))
                case "SQS":
                    collected.event_sources.append(_sqs(logical_id, details, where, queues))
                case "Schedule":
                    _refuse_unknown(details, _SCHEDULE_PROPERTIES, where)
                    collected.schedules.append(_schedule(logical_id, event_name, details, where, "aws.events"))
                case "ScheduleV2":
                    _refuse_unknown(details, _SCHEDULE_V2_PROPERTIES, where)
                    collected.schedules.append(_schedule(logical_id, event_name, details, where, "aws.scheduler"))
                case other:
                    raise TemplateError(f"{where}.Type: events of type {other} are not supported")
    return Events(tuple(collected.routes), tuple(collected.event_sources), tuple(collected.schedules))


def read_http_api(resources: Resources, routes: tuple[tuple[str, HttpRoute], ...]) -> HttpApi | None:
    """The one HTTP API of the template with its routes, or None when there is neither."""
    declared = resources.of_type(HTTP_API)
    api_ids = {resources.reference(logical_id) for logical_id in declared} | {api_id for api_id, _ in routes}
    if not api_ids:
        return None
    if len(api_ids) > 1:
        raise TemplateError(f"the runner serves one HTTP API, the template has {', '.join(sorted(api_ids))}")
    (api_id,) = api_ids
    stage, cors = "$default", None
    for logical_id, properties in declared.items():
        where = f"{logical_id}.Properties"
        _refuse_unknown(properties, _API_PROPERTIES, where)
        stage = as_text(properties.get("StageName", "$default"), f"{where}.StageName")
        cors = _cors(properties.get("CorsConfiguration"), f"{where}.CorsConfiguration")
    keys = [route.key for _, route in routes]
    if repeated := {key for key in keys if keys.count(key) > 1}:
        raise TemplateError(f"the route {sorted(repeated)[0]} stands twice")
    return HttpApi(api_id, stage, tuple(route for _, route in routes), cors)


def _refuse_unknown(details: Mapping[str, Any], known: set[str], where: str) -> None:
    if unknown := set(details) - known:
        raise TemplateError(f"{where}.{sorted(unknown)[0]} is not supported")


def _route(function: str, details: Mapping[str, Any], where: str) -> tuple[str, HttpRoute]:
    _refuse_unknown(details, _ROUTE_PROPERTIES, where)
    if (details.get("Auth") or {}).get("Authorizer", "NONE") != "NONE":
        raise TemplateError(f"{where}.Auth: authorizers are not supported")
    if as_text(details.get("PayloadFormatVersion", "2.0"), where) != "2.0":
        raise TemplateError(f"{where}.PayloadFormatVersion: only 2.0 is supported")
    timeout = as_int(details.get("TimeoutInMillis", int(INTEGRATION_TIMEOUT * 1000)), f"{where}.TimeoutInMillis") / 1000
    api_id = as_text(details.get("ApiId", f"local-{IMPLICIT_HTTP_API}"), f"{where}.ApiId")
    path = as_text(details.get("Path", "$default"), f"{where}.Path")
    if path == "$default":
        return api_id, HttpRoute("ANY", path, function, timeout)
    method = as_text(details.get("Method", "ANY"), f"{where}.Method").upper()
    if method not in _METHODS and method != "X-AMAZON-APIGATEWAY-ANY-METHOD":
        raise TemplateError(f"{where}.Method: {method} is not a method")
    if not path.startswith("/"):
        raise TemplateError(f"{where}.Path: {path} does not begin with a slash")
    if any(segment.endswith("+}") for segment in path.split("/")[:-1]):
        raise TemplateError(f"{where}.Path: {path} has a greedy variable that is not at its end")
    return api_id, HttpRoute(method if method in _METHODS else "ANY", path, function, timeout)


def _sqs(function: str, details: Mapping[str, Any], where: str, queues: tuple[Queue, ...]) -> SqsEventSource:
    _refuse_unknown(details, _SQS_PROPERTIES, where)
    queue_arn = as_text(details.get("Queue"), f"{where}.Queue")
    queue = next((queue for queue in queues if queue.arn == queue_arn), None)
    if queue is None:
        raise TemplateError(f"{where}.Queue: {queue_arn} is no queue of this template")
    response_types = details.get("FunctionResponseTypes") or []
    if unknown := set(response_types) - {"ReportBatchItemFailures"}:
        raise TemplateError(f"{where}.FunctionResponseTypes: {sorted(unknown)[0]} is not supported")
    batch_size = as_int(details.get("BatchSize", 10), f"{where}.BatchSize")
    window = as_int(details.get("MaximumBatchingWindowInSeconds", 0), f"{where}.MaximumBatchingWindowInSeconds")
    if not 1 <= batch_size <= 10_000 or (batch_size > 10 and window == 0):
        raise TemplateError(f"{where}.BatchSize: {batch_size} is over 10 without a batching window, or out of range")
    concurrency = (details.get("ScalingConfig") or {}).get("MaximumConcurrency")
    maximum = None if concurrency is None else as_int(concurrency, f"{where}.ScalingConfig.MaximumConcurrency")
    if maximum is not None and not 2 <= maximum <= 1000:
        raise TemplateError(f"{where}.ScalingConfig.MaximumConcurrency: {maximum} is not between 2 and 1000")
    return SqsEventSource(
        name=where,
        function=function,
        queue_arn=queue.arn,
        queue_url=queue.url,
        batch_size=batch_size,
        batching_window=window,
        maximum_concurrency=maximum,
        report_batch_item_failures="ReportBatchItemFailures" in response_types,
        enabled=as_bool(details.get("Enabled", True), f"{where}.Enabled"),
    )


def _schedule(function: str, event_name: str, details: Mapping[str, Any], where: str, source: str) -> Schedule:
    key = "Schedule" if source == "aws.events" else "ScheduleExpression"
    expression = as_text(details.get(key), f"{where}.{key}")
    try:
        parse_expression(expression)
    except ValueError as error:
        raise TemplateError(f"{where}.{key}: {error}") from error
    if details.get("ScheduleExpressionTimezone", "UTC") not in ("UTC", "Etc/UTC"):
        raise TemplateError(f"{where}.ScheduleExpressionTimezone: only UTC is supported")
    payload = details.get("Input")
    if payload is not None:
        payload = as_text(payload, f"{where}.Input")
        try:
            json.loads(payload)
        except json.JSONDecodeError as error:
            raise TemplateError(f"{where}.Input: is not JSON") from error
    state = as_text(details.get("State", "ENABLED"), f"{where}.State")
    name = as_text(details.get("Name", f"{STACK_NAME}-{function}{event_name}"), f"{where}.Name")
    return Schedule(
        name=name,
        arn=arn("events", f"rule/{name}") if source == "aws.events" else arn("scheduler", f"schedule/default/{name}"),
        function=function,
        expression=expression,
        input=payload,
        enabled=state == "ENABLED" and as_bool(details.get("Enabled", True), f"{where}.Enabled"),
        source=source,
    )


def _cors(configuration: Any, where: str) -> Cors | None:
    if configuration is None or configuration is False:
        return None
    if configuration is True:
        return Cors(allow_origins=("*",))
    _refuse_unknown(configuration, _CORS_PROPERTIES, where)
    max_age = configuration.get("MaxAge")
    return Cors(
        allow_origins=tuple(configuration.get("AllowOrigins", ())),
        allow_methods=tuple(method.upper() for method in configuration.get("AllowMethods", ())),
        allow_headers=tuple(configuration.get("AllowHeaders", ())),
        expose_headers=tuple(configuration.get("ExposeHeaders", ())),
        max_age=None if max_age is None else as_int(max_age, f"{where}.MaxAge"),
        allow_credentials=as_bool(configuration.get("AllowCredentials", False), f"{where}.AllowCredentials"),
    )
