"""Reads a SAM template into the runner's model.

What the runner does not understand and would have to leave out is a TemplateError that names the resource and the
property; nothing that changes behaviour is passed over in silence. Dynamic references (`{{resolve:…}}`) stay as they
are: the stack overrides the variables that hold them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .events import read_events, read_http_api
from .intrinsics import NO_VALUE, Intrinsics, as_int, as_text, parse_yaml
from .model import STACK_NAME, Function, Template, TemplateError
from .resources import FUNCTION, Resources, pseudo_parameters, read_queues, read_tables

ENVIRONMENT_LIMIT = 4096

_FUNCTION_USED = {
    "CodeUri",
    "Environment",
    "EventInvokeConfig",
    "Events",
    "FunctionName",
    "Handler",
    "MemorySize",
    "PackageType",
    "ReservedConcurrentExecutions",
    "Runtime",
    "Timeout",
}
_FUNCTION_IGNORED = {
    "Architectures",
    "AssumeRolePolicyDocument",
    "AutoPublishAlias",
    "CodeSigningConfigArn",
    "DeploymentPreference",
    "Description",
    "EphemeralStorage",
    "KmsKeyArn",
    "Layers",
    "LoggingConfig",
    "PermissionsBoundary",
    "Policies",
    "PropagateTags",
    "ProvisionedConcurrencyConfig",
    "RecursiveLoop",
    "Role",
    "RolePath",
    "RuntimeManagementConfig",
    "SnapStart",
    "Tags",
    "Tracing",
    "VersionDescription",
    "VpcConfig",
}
_RESERVED_VARIABLES = {
    "AWS_ACCESS_KEY_ID",
    "AWS_DEFAULT_REGION",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_RUNTIME_API",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "LAMBDA_TASK_ROOT",
    "_HANDLER",
}


def load_template(
    path: Path,
    *,
    sqs_endpoint: str,
    http_endpoint: str | None = None,
    parameters: Mapping[str, str] | None = None,
    stack_name: str = STACK_NAME,
) -> Template:
    """The stack that the template at `path` describes.

    `parameters` override the defaults of the template's parameters. `http_endpoint` is what `!GetAtt Api.ApiEndpoint`
    yields; a template that asks for it without it being given is an error. Names that the template leaves
    open begin with `stack_name`. Raises TemplateError.
    """
    document = parse_yaml(path.read_text(encoding="utf-8"))
    values = _parameter_values(document.get("Parameters") or {}, parameters or {})
    resources = Resources(document, sqs_endpoint, http_endpoint, stack_name)
    intrinsics = Intrinsics(
        document, values, pseudo_parameters(NO_VALUE, stack_name), resources.reference, resources.attribute
    )
    resources.resolve_with(intrinsics)
    resources.check_types()

    declared = resources.of_type(FUNCTION)
    functions = {
        logical_id: _function(logical_id, properties, resources, path.parent)
        for logical_id, properties in declared.items()
    }
    queues = read_queues(resources)
    for function in functions.values():
        if function.failure_queue_arn not in (None, *(queue.arn for queue in queues)):
            where = f"{function.logical_id}.Properties.EventInvokeConfig.DestinationConfig.OnFailure"
            raise TemplateError(f"{where}: {function.failure_queue_arn} is no queue of this template")
    events = read_events(declared, resources, queues)
    return Template(
        functions=functions,
        http_api=read_http_api(resources, events.routes),
        event_sources=events.event_sources,
        schedules=events.schedules,
        queues=queues,
        tables=read_tables(resources),
        parameters={name: value if isinstance(value, str) else ",".join(value) for name, value in values.items()},
    )


def _parameter_values(declared: Mapping[str, Any], overrides: Mapping[str, str]) -> dict[str, str | list[str]]:
    if unknown := set(overrides) - set(declared):
        raise TemplateError(f"Parameters: the template has no parameter {sorted(unknown)[0]}")
    values: dict[str, str | list[str]] = {}
    for name, parameter in declared.items():
        where = f"Parameters.{name}"
        given = overrides.get(name, parameter.get("Default"))
        if given is None:
            raise TemplateError(f"{where}: has no default and no value was given")
        text = as_text(given, where)
        allowed = [as_text(value, where) for value in parameter.get("AllowedValues", [])]
        if allowed and text not in allowed:
            raise TemplateError(f"{where}: {text!r} is not one of {', '.join(allowed)}")
        is_list = parameter.get("Type") == "CommaDelimitedList" or str(parameter.get("Type")).startswith("List<")
        values[name] = [item.strip() for item in text.split(",")] if is_list else text
    return values


def _function(logical_id: str, properties: Mapping[str, Any], resources: Resources, base: Path) -> Function:
    where = f"{logical_id}.Properties"
    if unknown := set(properties) - _FUNCTION_USED - _FUNCTION_IGNORED:
        raise TemplateError(f"{where}.{sorted(unknown)[0]} is not supported")
    if properties.get("PackageType", "Zip") != "Zip":
        raise TemplateError(f"{where}.PackageType: only Zip is supported")
    for required in ("Handler", "CodeUri", "Runtime"):
        if required not in properties:
            raise TemplateError(f"{where}.{required} is missing")
    runtime = as_text(properties["Runtime"], f"{where}.Runtime")
    if not runtime.startswith("python"):
        raise TemplateError(f"{where}.Runtime: {runtime} is not a Python runtime")
    code_dir = (base / as_text(properties["CodeUri"], f"{where}.CodeUri")).resolve()
    if not code_dir.is_dir():
        raise TemplateError(f"{where}.CodeUri: {properties['CodeUri']} is not a folder")
    reserved = properties.get("ReservedConcurrentExecutions")
    retry_attempts, failure_queue_arn = _async_settings(properties.get("EventInvokeConfig") or {}, where)
    return Function(
        logical_id=logical_id,
        name=resources.reference(logical_id),
        arn=resources.attribute(logical_id, "Arn"),
        handler=as_text(properties["Handler"], f"{where}.Handler"),
        code_dir=code_dir,
        runtime=runtime,
        timeout=as_int(properties.get("Timeout", 3), f"{where}.Timeout"),
        memory=as_int(properties.get("MemorySize", 128), f"{where}.MemorySize"),
        reserved_concurrency=None if reserved is None else as_int(reserved, f"{where}.ReservedConcurrentExecutions"),
        environment=_environment(properties, where),
        retry_attempts=retry_attempts,
        failure_queue_arn=failure_queue_arn,
    )


def _environment(properties: Mapping[str, Any], where: str) -> dict[str, str]:
    where = f"{where}.Environment"
    variables = (properties.get("Environment") or {}).get("Variables") or {}
    environment = {name: as_text(value, f"{where}.{name}") for name, value in variables.items()}
    if reserved := _RESERVED_VARIABLES & set(environment):
        raise TemplateError(f"{where}.{sorted(reserved)[0]} is set by Lambda itself")
    size = len(json.dumps(environment, separators=(",", ":")).encode())
    if size > ENVIRONMENT_LIMIT:
        raise TemplateError(f"{where}: {size} bytes of variables, Lambda takes {ENVIRONMENT_LIMIT}")
    return environment


def _async_settings(config: Mapping[str, Any], where: str) -> tuple[int, str | None]:
    """How often a failed asynchronous invocation is retried, and the queue for those that failed for good."""
    where = f"{where}.EventInvokeConfig"
    # The age limit (at most six hours) is longer than anything that waits in a local stack.
    if unknown := set(config) - {"MaximumRetryAttempts", "MaximumEventAgeInSeconds", "DestinationConfig"}:
        raise TemplateError(f"{where}.{sorted(unknown)[0]} is not supported")
    destinations = config.get("DestinationConfig") or {}
    if unknown := set(destinations) - {"OnFailure"}:
        raise TemplateError(f"{where}.DestinationConfig.{sorted(unknown)[0]} is not supported")
    queue_arn: str | None = None
    if on_failure := destinations.get("OnFailure"):
        queue_arn = as_text(on_failure.get("Destination"), f"{where}.DestinationConfig.OnFailure.Destination")
    return as_int(config.get("MaximumRetryAttempts", 2), f"{where}.MaximumRetryAttempts"), queue_arn
