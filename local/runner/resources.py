"""The resources of a template that are not functions: what a reference to them yields, and queues and tables."""

import json
from collections.abc import Mapping
from typing import Any

from .intrinsics import Intrinsics, as_bool, as_int, as_text
from .model import ACCOUNT_ID, PARTITION, REGION, Queue, Table, TemplateError, arn

FUNCTION = "AWS::Serverless::Function"
HTTP_API = "AWS::Serverless::HttpApi"
QUEUE = "AWS::SQS::Queue"
TABLE = "AWS::DynamoDB::Table"
IMPLICIT_HTTP_API = "ServerlessHttpApi"

# Left out of a local stack these would change what it does, so they are refused instead of being passed over.
_REFUSED_TYPES = {
    "AWS::Events::Rule",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Function",
    "AWS::Lambda::Url",
    "AWS::SNS::Subscription",
    "AWS::Scheduler::Schedule",
}
_REFUSED_SERVICES = ("AWS::ApiGateway", "AWS::Pipes::", "AWS::Serverless::", "AWS::StepFunctions::")
_SERVERLESS_TYPES = (FUNCTION, HTTP_API, "AWS::Serverless::LayerVersion")

_QUEUE_ATTRIBUTES = (
    "DelaySeconds",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds",
    "VisibilityTimeout",
)
_QUEUE_POLICIES = ("RedrivePolicy", "RedriveAllowPolicy")
_QUEUE_IGNORED = ("KmsDataKeyReusePeriodSeconds", "KmsMasterKeyId", "QueueName", "SqsManagedSseEnabled", "Tags")
_TABLE_ARGUMENTS = (
    "AttributeDefinitions",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
)
_TABLE_IGNORED = (
    "ContributorInsightsSpecification",
    "DeletionProtectionEnabled",
    "KinesisStreamSpecification",
    "OnDemandThroughput",
    "PointInTimeRecoverySpecification",
    "ResourcePolicy",
    "SSESpecification",
    "TableClass",
    "TableName",
    "Tags",
    "WarmThroughput",
)
_INDEX_IGNORED = ("ContributorInsightsSpecification", "OnDemandThroughput", "WarmThroughput")


class Resources:
    """The resources whose condition holds, and what `!Ref` and `!GetAtt` yield for each."""

    def __init__(
        self, document: Mapping[str, Any], sqs_endpoint: str, http_endpoint: str | None, stack_name: str
    ) -> None:
        self.stack_name = stack_name
        self._declared: Mapping[str, Any] = document["Resources"]
        self._globals: Mapping[str, Any] = document.get("Globals") or {}
        self._sqs_endpoint = sqs_endpoint.rstrip("/")
        self._http_endpoint = http_endpoint
        self._intrinsics: Intrinsics | None = None

    def resolve_with(self, intrinsics: Intrinsics) -> None:
        """Completes the pair: names of resources may themselves be computed."""
        self._intrinsics = intrinsics

    @property
    def intrinsics(self) -> Intrinsics:
        assert self._intrinsics is not None
        return self._intrinsics

    def of_type(self, wanted: str) -> dict[str, dict[str, Any]]:
        """Logical id to resolved properties, for the resources of a type that exist under the conditions."""
        return {
            logical_id: self.properties(logical_id)
            for logical_id, resource in self._declared.items()
            if resource.get("Type") == wanted and self.exists(logical_id)
        }

    def exists(self, logical_id: str) -> bool:
        condition = self._declared[logical_id].get("Condition")
        return condition is None or self.intrinsics.condition(condition, f"{logical_id}.Condition")

    def properties(self, logical_id: str) -> dict[str, Any]:
        where = f"{logical_id}.Properties"
        resource_type = self._declared[logical_id].get("Type", "")
        defaults = self._globals.get(resource_type.removeprefix("AWS::Serverless::"), {})
        own = self._declared[logical_id].get("Properties") or {}
        resolved = self.intrinsics.resolve(_merge(defaults, own), where)
        assert isinstance(resolved, dict)
        return resolved

    def check_types(self) -> None:
        for logical_id, resource in self._declared.items():
            resource_type = resource.get("Type") if isinstance(resource, dict) else None
            if not isinstance(resource_type, str):
                raise TemplateError(f"{logical_id}: the resource has no Type")
            if resource_type in _SERVERLESS_TYPES or not self.exists(logical_id):
                continue
            if resource_type in _REFUSED_TYPES or resource_type.startswith(_REFUSED_SERVICES):
                raise TemplateError(f"{logical_id}: the runner does not run resources of type {resource_type}")

    def name(self, logical_id: str, name_property: str) -> str:
        where = f"{logical_id}.Properties.{name_property}"
        given = (self._declared[logical_id].get("Properties") or {}).get(name_property)
        # A name that resolves to AWS::NoValue is a name that was not given.
        resolved = self.intrinsics.resolve({name_property: given}, where).get(name_property)
        return f"{self.stack_name}-{logical_id}" if resolved is None else as_text(resolved, where)

    def queue_url(self, queue_name: str) -> str:
        return f"{self._sqs_endpoint}/{ACCOUNT_ID}/{queue_name}"

    def reference(self, logical_id: str) -> str:
        match self._type(logical_id):
            case "AWS::SQS::Queue":
                return self.queue_url(self.name(logical_id, "QueueName"))
            case "AWS::DynamoDB::Table":
                return self.name(logical_id, "TableName")
            case "AWS::Serverless::Function":
                return self.name(logical_id, "FunctionName")
            case _:
                return f"local-{logical_id}"

    def attribute(self, logical_id: str, attribute: str) -> str:
        where = f"{logical_id}.{attribute}"
        match self._type(logical_id), attribute:
            case "AWS::SQS::Queue", "Arn":
                return arn("sqs", self.name(logical_id, "QueueName"))
            case "AWS::SQS::Queue", "QueueName":
                return self.name(logical_id, "QueueName")
            case "AWS::SQS::Queue", "QueueUrl":
                return self.reference(logical_id)
            case "AWS::DynamoDB::Table", "Arn":
                return arn("dynamodb", f"table/{self.name(logical_id, 'TableName')}")
            case "AWS::Serverless::Function", "Arn":
                return arn("lambda", f"function:{self.name(logical_id, 'FunctionName')}")
            case "AWS::Serverless::HttpApi", "ApiEndpoint":
                if self._http_endpoint is None:
                    raise TemplateError(f"{where}: the address of the HTTP API was not given to the runner")
                return self._http_endpoint
            case resource_type, "Arn":
                return arn(resource_type.split("::")[1].lower(), logical_id)
            case _:
                return f"local-{logical_id}-{attribute}"

    def _type(self, logical_id: str) -> str:
        if logical_id == IMPLICIT_HTTP_API and logical_id not in self._declared:
            return HTTP_API
        return str(self._declared[logical_id]["Type"])


def pseudo_parameters(no_value: object, stack_name: str) -> dict[str, Any]:
    return {
        "AWS::StackName": stack_name,
        "AWS::StackId": arn("cloudformation", f"stack/{stack_name}/local"),
        "AWS::Region": REGION,
        "AWS::AccountId": ACCOUNT_ID,
        "AWS::Partition": PARTITION,
        "AWS::URLSuffix": "amazonaws.com",
        "AWS::NoValue": no_value,
        "AWS::NotificationARNs": [],
    }


def read_queues(resources: Resources) -> tuple[Queue, ...]:
    return tuple(
        Queue(
            logical_id=logical_id,
            name=resources.name(logical_id, "QueueName"),
            url=resources.reference(logical_id),
            arn=resources.attribute(logical_id, "Arn"),
            attributes=_queue_attributes(logical_id, properties),
        )
        for logical_id, properties in resources.of_type(QUEUE).items()
    )


def _queue_attributes(logical_id: str, properties: Mapping[str, Any]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, value in properties.items():
        where = f"{logical_id}.Properties.{name}"
        if name in _QUEUE_ATTRIBUTES:
            attributes[name] = str(as_int(value, where))
        elif name in _QUEUE_POLICIES:
            attributes[name] = value if isinstance(value, str) else json.dumps(value)
        elif name == "FifoQueue" and not as_bool(value, where):
            continue
        elif name not in _QUEUE_IGNORED:
            raise TemplateError(f"{where} is not supported")
    return attributes


def read_tables(resources: Resources) -> tuple[Table, ...]:
    return tuple(
        _table(resources, logical_id, properties) for logical_id, properties in resources.of_type(TABLE).items()
    )


def _table(resources: Resources, logical_id: str, properties: Mapping[str, Any]) -> Table:
    name = resources.name(logical_id, "TableName")
    arguments: dict[str, Any] = {"TableName": name}
    ttl_attribute: str | None = None
    for key, value in properties.items():
        where = f"{logical_id}.Properties.{key}"
        if key == "TimeToLiveSpecification":
            if as_bool(value.get("Enabled", False), where):
                ttl_attribute = as_text(value.get("AttributeName"), where)
        elif key == "StreamSpecification":
            arguments[key] = {"StreamEnabled": True, "StreamViewType": value["StreamViewType"]}
        elif key == "ProvisionedThroughput":
            arguments[key] = _throughput(value, where)
        elif key == "GlobalSecondaryIndexes":
            arguments[key] = [_index(index, where) for index in value]
        elif key in _TABLE_ARGUMENTS:
            arguments[key] = value
        elif key not in _TABLE_IGNORED:
            raise TemplateError(f"{where} is not supported")
    table_arn = resources.attribute(logical_id, "Arn")
    return Table(logical_id, name, table_arn, arguments, ttl_attribute)


def _index(index: Mapping[str, Any], where: str) -> dict[str, Any]:
    kept = {key: value for key, value in index.items() if key not in _INDEX_IGNORED}
    if "ProvisionedThroughput" in kept:
        kept["ProvisionedThroughput"] = _throughput(kept["ProvisionedThroughput"], where)
    return kept


def _throughput(value: Mapping[str, Any], where: str) -> dict[str, int]:
    return {unit: as_int(amount, where) for unit, amount in value.items()}


def _merge(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """SAM's rule for Globals: maps are merged, lists are joined, anything else is overridden."""
    merged = dict(defaults)
    for key, value in own.items():
        default = merged.get(key)
        if isinstance(default, dict) and isinstance(value, dict) and not (_is_call(default) or _is_call(value)):
            merged[key] = _merge(default, value)
        elif isinstance(default, list) and isinstance(value, list):
            merged[key] = [*default, *value]
        else:
            merged[key] = value
    return merged


def _is_call(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and str(next(iter(value))).startswith(("Ref", "Fn::"))
