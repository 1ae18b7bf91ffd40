"""The composition root: settings in, one frozen object with every adapter out.

`start()` is called once per execution environment, by the function's module. Building makes nothing yet: a store, a
client and the SDK under it are imported and made when they are first used (`deferred.py`), and never by a function that
does not use them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from skillgate.deferred import Once, deferred
from skillgate.ports import Backend
from skillgate.settings import Settings

if TYPE_CHECKING:
    import httpx

    from skillgate.adapters.discovery import ConfiguredSources
    from skillgate.adapters.dynamodb.stores import DynamoStores
    from skillgate.adapters.github import GitHub
    from skillgate.adapters.github.oauth import GitHubSignIn
    from skillgate.adapters.lambda_functions import LambdaDiscovery
    from skillgate.adapters.postgres.stores import PostgresStores
    from skillgate.adapters.scan_worker import HttpScanWorkers
    from skillgate.adapters.sqs import SqsExternalScans, SqsSubmissions
    from skillgate.scanning.tier2.judge import AnswerCache, SkillJudge
    from skillgate.search.warm import WarmIndex

# Short and few: a store that is away must be noticed while there is still time to go on without it. Checking
# the shape of our own calls and composing a user agent for each would cost a third of a batch's time.
_QUICK: dict[str, Any] = {
    "connect_timeout": 1,
    "retries": {"mode": "standard", "max_attempts": 2},
    "max_pool_connections": 32,
    "parameter_validation": False,
    "user_agent": "skillgate",
}
_FAST_SECONDS, _QUEUE_SECONDS = 3, 10


def utc_now() -> datetime:
    return datetime.now(UTC)


def github_token() -> str | None:
    """The token of whoever runs the command, under the name that GitHub's own tools know it by."""
    return os.environ.get("GITHUB_TOKEN") or None


@contextmanager
def github() -> Iterator[GitHub]:
    """GitHub alone, for those that need nothing else of the product."""
    from skillgate.adapters.github import GitHub, build_client

    with build_client() as http:
        yield GitHub(http)


def build(settings: Settings, *, renew_dsn: Callable[[], str] | None = None, **overrides: Any) -> Backend:
    """Every adapter for these settings; tests override single ones with fakes."""
    closing = ExitStack()
    postgres = Once(lambda: _postgres(settings, renew_dsn, closing))
    aws = _AwsClients(closing)
    dynamodb = Once(lambda: _dynamodb(settings, aws))
    sqs = Once(lambda: aws.client("sqs", _QUEUE_SECONDS))
    http = Once(lambda: _github_client(closing))
    backend = Backend(
        settings=settings,
        store=deferred(lambda: postgres().submissions),
        skills=deferred(lambda: postgres().skills),
        operators=deferred(lambda: postgres().operators),
        live=deferred(lambda: dynamodb().live),
        idempotency=deferred(lambda: dynamodb().idempotency),
        idempotency_fallback=deferred(lambda: postgres().idempotency),
        queue=deferred(lambda: _submissions_queue(settings, sqs())),
        source=deferred(lambda: _source(settings, http())),
        judge=deferred(lambda: _judge(settings, http, dynamodb().answers)),
        discoveries=deferred(lambda: postgres().discoveries),
        discovery_sources=deferred(lambda: _discovery_sources(settings, http())),
        discovery_dispatcher=deferred(lambda: _discovery_dispatcher(settings, aws)),
        external_scans=deferred(lambda: postgres().external_scans),
        external_queue=deferred(lambda: _external_queue(settings, sqs())),
        scan_workers=deferred(lambda: _scan_workers(closing)),
        accounts=deferred(lambda: postgres().accounts),
        disputes=deferred(lambda: postgres().disputes),
        identity=deferred(lambda: _identity(settings, http())),
        counters=deferred(lambda: dynamodb().counters),
        catalogue=deferred(lambda: postgres().catalogue),
        versions=deferred(lambda: postgres().versions),
        installs=deferred(lambda: postgres().installs),
        blocklist=deferred(lambda: postgres().blocklist),
        contents=deferred(lambda: postgres().contents),
        contents_copy=deferred(lambda: dynamodb().contents),
        kv_skills=deferred(lambda: dynamodb().skills),
        index=deferred(lambda: dynamodb().index),
        warm=deferred(lambda: _warm_index(dynamodb())),
        charts=deferred(lambda: postgres().charts),
        now=utc_now,
        close=closing.close,
    )
    return replace(backend, **overrides)


class _AwsClients:
    """boto3's clients, with the addresses that the environment holds now, not when one is made."""

    def __init__(self, closing: ExitStack) -> None:
        self._closing = closing
        self._addresses = {
            name: os.environ.get(f"AWS_ENDPOINT_URL_{name.upper()}") or None for name in ("dynamodb", "sqs", "lambda")
        }

    def client(self, service: str, read_seconds: float) -> Any:
        client = _client(service, read_seconds, self._addresses[service])
        self._closing.callback(client.close)
        return client


def _client(service: str, read_seconds: float, address: str | None = None) -> Any:
    import boto3
    from botocore.config import Config

    make: Any = boto3.client  # its stubs know services by literal names only
    return make(service, endpoint_url=address, config=Config(read_timeout=read_seconds, **_QUICK))


def _postgres(settings: Settings, renew_dsn: Callable[[], str] | None, closing: ExitStack) -> PostgresStores:
    from skillgate.adapters.postgres.stores import PostgresStores

    stores = PostgresStores(settings.postgres_dsn, pool_size=settings.database_pool_size, renew_dsn=renew_dsn)
    closing.callback(stores.close)
    return stores


def _dynamodb(settings: Settings, aws: _AwsClients) -> DynamoStores:
    from skillgate.adapters.dynamodb.stores import DynamoStores

    return DynamoStores(aws.client("dynamodb", _FAST_SECONDS), settings.table_name, utc_now)


def _submissions_queue(settings: Settings, sqs: Any) -> SqsSubmissions:
    from skillgate.adapters.sqs import SqsSubmissions

    return SqsSubmissions(sqs, settings.submissions_queue_url, settings.submissions_dead_letters_url)


def _external_queue(settings: Settings, sqs: Any) -> SqsExternalScans:
    from skillgate.adapters.sqs import SqsExternalScans

    return SqsExternalScans(sqs, settings.external_scans_queue_url, settings.external_scans_dead_letters_url)


def _github_client(closing: ExitStack) -> httpx.Client:
    from skillgate.adapters.github import build_client

    client = build_client()
    closing.callback(client.close)
    return client


def _source(settings: Settings, http: httpx.Client) -> GitHub:
    from skillgate.adapters.github import GitHub

    return GitHub(http, api_url=settings.github_api_url, raw_url=settings.github_raw_url)


def _identity(settings: Settings, http: httpx.Client) -> GitHubSignIn:
    from skillgate.adapters.github.oauth import GitHubSignIn

    return GitHubSignIn(http, settings)


def _discovery_sources(settings: Settings, http: httpx.Client) -> ConfiguredSources:
    from skillgate.adapters.discovery import ConfiguredSources

    return ConfiguredSources(settings, http)


def _discovery_dispatcher(settings: Settings, aws: _AwsClients) -> LambdaDiscovery:
    from skillgate.adapters.lambda_functions import LambdaDiscovery

    return LambdaDiscovery(settings.discovery_function_name, lambda: aws.client("lambda", _FAST_SECONDS))


def _scan_workers(closing: ExitStack) -> HttpScanWorkers:
    from skillgate.adapters.scan_worker import HttpScanWorkers, scan_worker_client

    client = scan_worker_client()
    closing.callback(client.close)
    return HttpScanWorkers(client)


def _judge(settings: Settings, http: Callable[[], httpx.Client], answers: AnswerCache) -> SkillJudge:
    if settings.judge_provider == "openai":
        from skillgate.adapters.openai_judge import openai_judge

        return openai_judge(settings, answers, http())
    from skillgate.adapters.bedrock import bedrock_judge

    return bedrock_judge(settings, answers)


def _warm_index(dynamodb: DynamoStores) -> WarmIndex:
    from skillgate.search.warm import WarmIndex

    return WarmIndex(dynamodb.index.pointer, dynamodb.index.read, dynamodb.skills.overrides, utc_now)


@cache
def start() -> Backend:
    """The backend of this execution environment. Raises SettingsError with the name of every missing setting."""
    settings = settings_from_environment()

    def renew_dsn() -> str:
        """RDS rotates its password by itself, and an environment that lives on has the old one."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return settings_from_environment().postgres_dsn
        except (BotoCoreError, ClientError):
            return settings.postgres_dsn

    return build(settings, renew_dsn=renew_dsn)


def settings_from_environment() -> Settings:
    return Settings.from_environment(os.environ, _read_secret)


def migrate_schema(settings: Settings) -> list[str]:
    """Brings the schema up to date; returns the names of the migrations that were applied now."""
    from skillgate.adapters.postgres.migrations import migrate

    return migrate(settings.postgres_dsn)


def _read_secret(arn: str) -> Mapping[str, Any]:
    answer = _client("secretsmanager", _FAST_SECONDS).get_secret_value(SecretId=arn)
    return json.loads(answer["SecretString"])  # type: ignore[no-any-return]
