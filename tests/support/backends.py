"""A backend on real stores for tests: its own database and table, shared servers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgate import bootstrap
from skillgate.adapters.postgres.migrations import migrate
from skillgate.ports import Backend
from skillgate.settings import Settings

from local.bedrock import BedrockStub
from local.github import GitHubStandIn, Limits, oauth
from local.parts.dynamodb import DynamoDb
from local.parts.postgres import Postgres, temporary_postgres
from local.runner import Template, load_template
from local.sqs.server import SqsServer
from local.stack import create_queues, create_tables, local_client

PROJECT = Path(__file__).resolve().parents[2]
INTERNAL_KEY = "test-internal-key"
SIGNING_KEY = "signing-key-of-the-tests-0123456789"
TEMPLATE_DATABASE = "skillgate_template"


@dataclass
class Servers:
    """One of each for a whole test session; every test gets a database, a table and queues of its own in them."""

    postgres: Postgres
    dynamodb: DynamoDb
    sqs: SqsServer


@contextmanager
def running_servers() -> Iterator[Servers]:
    with temporary_postgres() as postgres, DynamoDb() as dynamodb, SqsServer() as sqs:
        migrate(postgres.create_database(TEMPLATE_DATABASE))
        yield Servers(postgres, dynamodb, sqs)


@dataclass
class World:
    """A backend and everything around it that a test may look at or disturb."""

    backend: Backend
    settings: Settings
    servers: Servers
    database_url: str
    template: Template
    github: GitHubStandIn
    bedrock: BedrockStub
    sqs: Any
    dynamodb: Any

    def queued_ids(self) -> list[str]:
        """Takes every message off the queue and returns the submission ids that they carry."""
        from skillgate.domain.message import submission_id_of

        found: list[str] = []
        url = self.settings.submissions_queue_url
        while messages := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=0).get(
            "Messages"
        ):
            for message in messages:
                found.append(submission_id_of(message["Body"]) or "")
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return found


@contextmanager
def world(servers: Servers, **settings: Any) -> Iterator[World]:
    """Fresh, empty stores. `settings` go over the usual ones, by their names in the environment."""
    unique = secrets.token_hex(6)
    with (
        servers.postgres.scratch_database(template=TEMPLATE_DATABASE) as database_url,
        GitHubStandIn(limits=Limits.generous()) as github,
        BedrockStub() as bedrock,
        closing(local_client("sqs", servers.sqs.url)) as sqs,
        closing(local_client("dynamodb", servers.dynamodb.url)) as dynamodb,
    ):
        template = _own_names(servers.sqs.url, unique)
        create_queues(template, sqs)
        create_tables(template, dynamodb)
        variables = {
            **template.functions["SubmissionConsumer"].environment,
            "TRACING": "false",
            "DATABASE_URL": database_url,
            "DATABASE_SECRET_ARN": "",
            "APP_SECRET_ARN": "",
            "INTERNAL_KEYS": INTERNAL_KEY,
            "GITHUB_TOKENS": "test-token",
            "GITHUB_API_URL": github.url,
            "GITHUB_RAW_URL": github.raw_url,
            "JUDGE_MODEL": "scripted-judge",
            "JWT_SECRET_ARN": "",
            "JWT_SECRETS": SIGNING_KEY,
            "GITHUB_OAUTH_CLIENT_ID": oauth.CLIENT_ID,
            "GITHUB_OAUTH_CLIENT_SECRET": oauth.CLIENT_SECRET,
            "GITHUB_OAUTH_URL": github.url,
            "ADMIN_LOGINS": oauth.ADMIN,
            "REVIEWER_LOGINS": oauth.REVIEWER,
            **{name.upper(): str(value) for name, value in settings.items()},
        }
        parsed = Settings.from_environment(variables)
        with aws_endpoints(servers, bedrock):
            backend = bootstrap.build(parsed)
            try:
                yield World(backend, parsed, servers, database_url, template, github, bedrock, sqs, dynamodb)
            finally:
                backend.close()


def _own_names(sqs_endpoint: str, unique: str) -> Template:
    return load_template(
        PROJECT / "template.yaml", sqs_endpoint=sqs_endpoint, http_endpoint="http://127.0.0.1", stack_name=f"t{unique}"
    )


@contextmanager
def aws_endpoints(servers: Servers, bedrock: BedrockStub) -> Iterator[None]:
    """boto3 takes endpoints and credentials from the environment, here for as long as the clients are being made."""
    wanted = {
        "AWS_ENDPOINT_URL_SQS": servers.sqs.url,
        "AWS_ENDPOINT_URL_DYNAMODB": servers.dynamodb.url,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": bedrock.url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
