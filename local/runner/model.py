"""What the runner knows about a stack after the template was read: plain values, nothing left to resolve."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REGION = "us-east-1"
ACCOUNT_ID = "000000000000"
PARTITION = "aws"
STACK_NAME = "skillgate-local"


def arn(service: str, resource: str) -> str:
    """The ARN of a resource of the local account."""
    return f"arn:{PARTITION}:{service}:{REGION}:{ACCOUNT_ID}:{resource}"


class TemplateError(Exception):
    """The template says something that the runner cannot honour; the message names the resource and the property."""


@dataclass(frozen=True)
class Function:
    """A function as Lambda would configure it."""

    logical_id: str
    name: str
    arn: str
    handler: str
    code_dir: Path
    runtime: str
    timeout: int
    memory: int
    reserved_concurrency: int | None
    environment: Mapping[str, str]
    retry_attempts: int
    """How often an asynchronous invocation that failed is tried again."""
    failure_queue_arn: str | None
    """The queue that receives asynchronous invocations which failed for good."""


@dataclass(frozen=True)
class HttpRoute:
    """One route of the HTTP API. `method` is upper case or `ANY`; the path of the default route is `$default`."""

    method: str
    path: str
    function: str
    timeout: float

    @property
    def key(self) -> str:
        return self.path if self.path == "$default" else f"{self.method} {self.path}"


@dataclass(frozen=True)
class Cors:
    """The CORS configuration of the HTTP API."""

    allow_origins: tuple[str, ...] = ()
    allow_methods: tuple[str, ...] = ()
    allow_headers: tuple[str, ...] = ()
    expose_headers: tuple[str, ...] = ()
    max_age: int | None = None
    allow_credentials: bool = False


@dataclass(frozen=True)
class HttpApi:
    """The HTTP API and its routes."""

    api_id: str
    stage: str
    routes: tuple[HttpRoute, ...]
    cors: Cors | None


@dataclass(frozen=True)
class SqsEventSource:
    """An SQS queue that invokes a function."""

    name: str
    function: str
    queue_arn: str
    queue_url: str
    batch_size: int
    batching_window: int
    maximum_concurrency: int | None
    report_batch_item_failures: bool
    enabled: bool


@dataclass(frozen=True)
class Schedule:
    """A schedule that invokes a function. `input` is the payload as text, or None for the service's own event."""

    name: str
    arn: str
    function: str
    expression: str
    input: str | None
    enabled: bool
    source: str
    """`aws.events` for a rule, `aws.scheduler` for an EventBridge Scheduler schedule."""


@dataclass(frozen=True)
class Queue:
    """A queue and the attributes that CreateQueue takes."""

    logical_id: str
    name: str
    url: str
    arn: str
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """A table, the arguments of boto3's `create_table`, and the attribute that holds the expiry time, if any."""

    logical_id: str
    name: str
    arn: str
    create_arguments: Mapping[str, Any]
    ttl_attribute: str | None


@dataclass(frozen=True)
class Template:
    """The whole stack."""

    functions: Mapping[str, Function]
    """By logical id."""
    http_api: HttpApi | None
    event_sources: tuple[SqsEventSource, ...]
    schedules: tuple[Schedule, ...]
    queues: tuple[Queue, ...]
    tables: tuple[Table, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
