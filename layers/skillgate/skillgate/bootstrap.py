"""The composition root: settings in, one frozen object with every adapter out.

`start()` is called once per execution environment, by the function's module. Building opens no connection.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import boto3
import httpx
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from skillgate.adapters.bedrock import bedrock_judge
from skillgate.adapters.discovery import ConfiguredSources
from skillgate.adapters.dynamodb.answers import DynamoAnswers
from skillgate.adapters.dynamodb.catalogue import DynamoContents, DynamoSkills
from skillgate.adapters.dynamodb.idempotency import DynamoIdempotency
from skillgate.adapters.dynamodb.limits import DynamoCounters
from skillgate.adapters.dynamodb.live import DynamoLive
from skillgate.adapters.dynamodb.published_index import DynamoIndex
from skillgate.adapters.dynamodb.table import Table
from skillgate.adapters.github import GitHub, build_client
from skillgate.adapters.github.oauth import GitHubSignIn
from skillgate.adapters.lambda_functions import LambdaDiscovery
from skillgate.adapters.openai_judge import openai_judge
from skillgate.adapters.postgres.accounts import PostgresAccounts
from skillgate.adapters.postgres.catalogue import PostgresCatalogue
from skillgate.adapters.postgres.charts import PostgresCharts
from skillgate.adapters.postgres.connections import Connections
from skillgate.adapters.postgres.discoveries import PostgresDiscoveries
from skillgate.adapters.postgres.disputes import PostgresDisputes
from skillgate.adapters.postgres.external_scans import PostgresExternalScans
from skillgate.adapters.postgres.migrations import migrate
from skillgate.adapters.postgres.operators import PostgresIdempotency, PostgresOperators
from skillgate.adapters.postgres.skills import PostgresContents, PostgresSkills
from skillgate.adapters.postgres.submissions import PostgresSubmissions
from skillgate.adapters.postgres.versions import PostgresBlocklist, PostgresInstalls, PostgresVersions
from skillgate.adapters.scan_worker import HttpScanWorkers, scan_worker_client
from skillgate.adapters.sqs import SqsExternalScans, SqsSubmissions
from skillgate.ports import Backend
from skillgate.scanning.tier2.judge import AnswerCache, SkillJudge
from skillgate.search.warm import WarmIndex
from skillgate.settings import Settings

# Short and few: a store that is away must be noticed while there is still time to go on without it. Checking
# the shape of our own calls and composing a user agent for each would cost a third of a batch's time.
_QUICK: dict[str, Any] = {
    "connect_timeout": 1,
    "retries": {"mode": "standard", "max_attempts": 2},
    "max_pool_connections": 32,
    "parameter_validation": False,
    "user_agent": "skillgate",
}
_FAST = Config(read_timeout=3, **_QUICK)
_QUEUE = Config(read_timeout=10, **_QUICK)


def utc_now() -> datetime:
    return datetime.now(UTC)


def github_token() -> str | None:
    """The token of whoever runs the command, under the name that GitHub's own tools know it by."""
    return os.environ.get("GITHUB_TOKEN") or None


@contextmanager
def github() -> Iterator[GitHub]:
    """GitHub alone, for those that need nothing else of the product."""
    http = build_client()
    try:
        yield GitHub(http)
    finally:
        http.close()


def build(settings: Settings, *, renew_dsn: Callable[[], str] | None = None, **overrides: Any) -> Backend:
    """Every adapter for these settings; tests override single ones with fakes."""
    connections = Connections(settings.postgres_dsn, size=settings.database_pool_size, renew=renew_dsn)
    dynamodb, sqs = boto3.client("dynamodb", config=_FAST), boto3.client("sqs", config=_QUEUE)
    table = Table(dynamodb, settings.table_name)
    kv_skills, index = DynamoSkills(table), DynamoIndex(table)
    http, workers = build_client(), scan_worker_client()
    closing = ExitStack()
    for each in (connections, dynamodb, sqs, http, workers):
        closing.callback(each.close)
    backend = Backend(
        settings=settings,
        store=PostgresSubmissions(connections),
        skills=PostgresSkills(connections),
        operators=PostgresOperators(connections),
        live=DynamoLive(table),
        idempotency=DynamoIdempotency(table, utc_now),
        idempotency_fallback=PostgresIdempotency(connections),
        queue=SqsSubmissions(sqs, settings.submissions_queue_url, settings.submissions_dead_letters_url),
        source=GitHub(http, api_url=settings.github_api_url, raw_url=settings.github_raw_url),
        judge=_judge(settings, http, DynamoAnswers(table, utc_now)),
        discoveries=PostgresDiscoveries(connections),
        discovery_sources=ConfiguredSources(settings, http),
        discovery_dispatcher=LambdaDiscovery(settings.discovery_function_name, _lambda_client),
        external_scans=PostgresExternalScans(connections),
        external_queue=SqsExternalScans(
            sqs, settings.external_scans_queue_url, settings.external_scans_dead_letters_url
        ),
        scan_workers=HttpScanWorkers(workers),
        accounts=PostgresAccounts(connections),
        disputes=PostgresDisputes(connections),
        identity=GitHubSignIn(http, settings),
        counters=DynamoCounters(table),
        catalogue=PostgresCatalogue(connections),
        versions=PostgresVersions(connections),
        installs=PostgresInstalls(connections),
        blocklist=PostgresBlocklist(connections),
        contents=PostgresContents(connections),
        contents_copy=DynamoContents(table),
        kv_skills=kv_skills,
        index=index,
        warm=WarmIndex(index.pointer, index.read, kv_skills.overrides, utc_now),
        charts=PostgresCharts(connections),
        now=utc_now,
        close=closing.close,
    )
    return replace(backend, **overrides)


def _judge(settings: Settings, http: httpx.Client, answers: AnswerCache) -> SkillJudge:
    if settings.judge_provider == "openai":
        return openai_judge(settings, answers, http)
    return bedrock_judge(settings, answers)


def _lambda_client() -> Any:
    return boto3.client("lambda", config=_FAST)


@cache
def start() -> Backend:
    """The backend of this execution environment. Raises SettingsError with the name of every missing setting."""
    settings = settings_from_environment()

    def renew_dsn() -> str:
        """RDS rotates its password by itself, and an environment that lives on has the old one."""
        try:
            return settings_from_environment().postgres_dsn
        except (BotoCoreError, ClientError):
            return settings.postgres_dsn

    return build(settings, renew_dsn=renew_dsn)


def settings_from_environment() -> Settings:
    return Settings.from_environment(os.environ, _read_secret)


def migrate_schema(settings: Settings) -> list[str]:
    """Brings the schema up to date; returns the names of the migrations that were applied now."""
    return migrate(settings.postgres_dsn)


def _read_secret(arn: str) -> Mapping[str, Any]:
    answer = boto3.client("secretsmanager", config=_FAST).get_secret_value(SecretId=arn)
    return json.loads(answer["SecretString"])  # type: ignore[no-any-return]
