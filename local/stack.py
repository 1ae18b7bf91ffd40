"""The whole product on one machine: the template's functions on embedded stores, with a stand-in for GitHub."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import psycopg
from botocore.config import Config
from skillgate.adapters.postgres.migrations import migrate

from local.github import oauth
from local.logs import LogStream
from local.parts.dynamodb import DynamoDb
from local.parts.own_server import OwnServer
from local.parts.part import PROJECT
from local.parts.postgres import Postgres, database_url_of
from local.parts.process import Guardian
from local.parts.scan_worker import ScanWorker, install_scanners
from local.parts.sqs import Sqs
from local.runner import Runner, Template, load_template

EXAMPLES = PROJECT / "local" / "examples"
INTERNAL_KEY = "local-internal-key"
SCAN_WORKER_SECRET = "local-scan-worker-secret"  # noqa: S105 - nothing outside of this machine knows it
WEBHOOK_SECRET = "local-webhook-secret"  # noqa: S105
DATABASE = "skillgate"


@dataclass(frozen=True)
class Options:
    """How to run. `parameters` and `environment` go over the template's."""

    data: Path
    port: int = 8080
    github: str = "stand-in"
    template: Path = PROJECT / "template.yaml"
    repositories: Path = EXAMPLES / "repositories"
    judge_script: Path = EXAMPLES / "judge.yaml"
    parameters: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    fast: bool = False
    worker: bool = False


class Stack:
    """Starts every part in order and ends them in the opposite one. A crash of this process ends them as well."""

    def __init__(self, options: Options, logs: LogStream) -> None:
        self._options, self._logs = options, logs
        self._exit = ExitStack()
        self.database_url = ""
        self.postgres: Postgres | None = None
        self.dynamodb: DynamoDb
        self.sqs: Sqs
        self.github: OwnServer | None = None
        self.bedrock: OwnServer
        self.scan_worker: ScanWorker | None = None
        self.runner: Runner
        self.template: Template

    @property
    def address(self) -> str:
        return self.runner.http_address

    def start(self) -> Stack:
        try:
            self._start_parts()
            self._start_runner()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        self._exit.close()

    def __enter__(self) -> Stack:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_parts(self) -> None:
        options, enter = self._options, self._exit.enter_context
        guardian = enter(Guardian())
        shared: dict[str, Any] = {"guardian": guardian, "log": self._logs.part}
        options.data.mkdir(parents=True, exist_ok=True)
        self.database_url = database_url_of(os.environ) or ""
        if not self.database_url:
            self.postgres = enter(Postgres(options.data / "postgres", fast=options.fast, **shared))
            self.database_url = self._own_database(self.postgres)
        self.dynamodb = enter(DynamoDb(options.data / "dynamodb", **shared))
        self.sqs = enter(Sqs(options.data / "sqs", release=True, **shared))
        self.bedrock = enter(OwnServer("bedrock", ["--script", str(options.judge_script)], **shared))
        if options.github == "stand-in":
            state = options.data / "github"
            arguments = ["--repositories", str(options.repositories), "--state", str(state)]
            self.github = enter(OwnServer("github", arguments, directory=state, **shared))
        if options.worker:
            self.scan_worker = enter(self._scan_worker(shared))

    def _scan_worker(self, shared: Mapping[str, Any]) -> ScanWorker:
        settings = {"SCAN_WORKER_SECRET": SCAN_WORKER_SECRET, "WEBHOOK_SECRET": WEBHOOK_SECRET}
        if self.github is not None:
            settings["GITHUB_API_URL"] = self.github.url
        return ScanWorker(self._options.data / "scanner", settings, tools=install_scanners(), **shared)

    def _own_database(self, postgres: Postgres) -> str:
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        return postgres.url(DATABASE) if known else postgres.create_database(DATABASE)

    def _start_runner(self) -> None:
        options = self._options
        address = f"http://127.0.0.1:{options.port}"
        self.template = load_template(
            options.template, sqs_endpoint=self.sqs.url, http_endpoint=address, parameters=options.parameters
        )
        applied = migrate(self.database_url)
        if applied:
            self._logs.part("postgres", f"migrated: {', '.join(applied)}")
        create_queues(self.template, self.client("sqs"))
        create_tables(self.template, self.client("dynamodb"))
        self.runner = Runner(
            self.template,
            layer_paths=[PROJECT / "layers" / "skillgate"],
            environment=self.function_environment() | dict(options.environment),
            sqs_endpoint=self.sqs.url,
            http_port=options.port,
            log=self._logs.function,
        )
        self._exit.callback(self.runner.stop)
        self.runner.start()

    def function_environment(self) -> dict[str, str]:
        """What differs from AWS: where the stores are, and secrets that are none."""
        variables = {
            "STAGE": "local",
            "TRACING": "false",
            "DATABASE_URL": self.database_url,
            "DATABASE_SECRET_ARN": "",
            "APP_SECRET_ARN": "",
            "INTERNAL_KEYS": INTERNAL_KEY,
            "AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.bedrock.url,
            "JUDGE_MODEL": "scripted-judge",
            "GITHUB_TOKENS": os.environ.get("GITHUB_TOKENS", ""),
            "JWT_SECRET_ARN": "",
            "JWT_SECRETS": "local-signing-key-that-is-no-secret-at-all",
            "ADMIN_LOGINS": oauth.ADMIN,
            "REVIEWER_LOGINS": oauth.REVIEWER,
            "LIMIT_READS": "100000",  # on one machine, one address is everybody
            **{name: value for name, value in os.environ.items() if name.startswith(("LIMIT_", "GITHUB_OAUTH_"))},
        }
        if self.scan_worker is not None:
            variables |= {
                "SCAN_WORKERS": self.scan_worker.url,
                "SCAN_WORKER_SECRET": SCAN_WORKER_SECRET,
                "WEBHOOK_SECRETS": WEBHOOK_SECRET,
            }
        if self.github is not None:
            stand_in = {"GITHUB_API_URL": self.github.url, "GITHUB_RAW_URL": f"{self.github.url}/raw"}
            app = {"GITHUB_OAUTH_CLIENT_ID": oauth.CLIENT_ID, "GITHUB_OAUTH_CLIENT_SECRET": oauth.CLIENT_SECRET}
            variables |= stand_in | app | {"GITHUB_OAUTH_URL": self.github.url, "GITHUB_TOKENS": "local-token"}
        return variables

    def client(self, service: str) -> Any:
        endpoints = {"sqs": self.sqs.url, "dynamodb": self.dynamodb.url}
        return local_client(service, endpoints[service])


def local_client(service: Any, endpoint: str) -> Any:
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - an emulator takes any
        config=Config(retries={"mode": "standard", "max_attempts": 2}),
    )


def create_queues(template: Template, sqs: Any) -> None:
    """Makes the template's queues, and brings those of an earlier run up to it."""
    existing = {url.rpartition("/")[2] for url in sqs.list_queues().get("QueueUrls", [])}
    # Dead letters first: a queue cannot name one that is not there.
    for queue in sorted(template.queues, key=lambda queue: "RedrivePolicy" in queue.attributes):
        if queue.name in existing:
            sqs.set_queue_attributes(QueueUrl=queue.url, Attributes=dict(queue.attributes))
        else:
            sqs.create_queue(QueueName=queue.name, Attributes=dict(queue.attributes))


def create_tables(template: Template, dynamodb: Any) -> None:
    existing = set(dynamodb.list_tables()["TableNames"])
    for table in template.tables:
        if table.name not in existing:
            dynamodb.create_table(**table.create_arguments)


def write_addresses(data: Path, stack: Stack) -> None:
    """Where a running stack answers, for `make invoke` and whoever else wants to know."""
    addresses = {
        "address": stack.address,
        "invoke": stack.runner.invoke_address,
        "sqs": stack.sqs.url,
        "dynamodb": stack.dynamodb.url,
        "github": stack.github.url if stack.github else None,
        "database": stack.database_url,
        "pid": os.getpid(),
    }
    (data / "addresses.json").write_text(json.dumps(addresses, indent=2))
    variables = stack.function_environment() | {"AWS_ENDPOINT_URL_SQS": stack.sqs.url}
    (data / "env.json").write_text(json.dumps({"Parameters": variables}, indent=2))  # for `sam local invoke`
