"""A function that lacks a setting does not start, and says which."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import boto3
import pytest
from botocore.config import Config

from local.runner import Runner, load_template
from tests.support.backends import PROJECT
from tests.support.fakes.backend import REQUIRED

NOWHERE = "http://127.0.0.1:9"


@contextmanager
def running(function: str, *, without: str | None) -> Iterator[Any]:
    """A Lambda client for one function of the real template, started with what it needs except for one variable."""
    template = load_template(PROJECT / "template.yaml", sqs_endpoint=NOWHERE, http_endpoint=NOWHERE)
    only = template.functions[function]
    kept = {name: value for name, value in only.environment.items() if name != without}
    template = replace(
        template, functions={function: replace(only, environment=kept)}, http_api=None, event_sources=(), schedules=()
    )
    secrets = {name: REQUIRED[name] for name in ("DATABASE_URL", "INTERNAL_KEYS", "JWT_SECRETS")}
    arns = dict.fromkeys((name for name in kept if name.endswith("_SECRET_ARN")), "")
    runner = Runner(
        template,
        layer_paths=[PROJECT / "layers" / "skillgate"],
        environment={"TRACING": "false"} | secrets | arns,
        sqs_endpoint=NOWHERE,
        log=lambda *_: None,
    )
    runner.start()
    try:
        with closing(
            boto3.client(
                "lambda",
                endpoint_url=runner.invoke_address,
                region_name="us-east-1",
                aws_access_key_id="x",
                aws_secret_access_key="x",
                config=Config(retries={"max_attempts": 0}, read_timeout=60),
            )
        ) as client:
            yield client
    finally:
        runner.stop()


def invoke(client: Any, function: str, event: Any) -> Any:
    return json.load(client.invoke(FunctionName=function, Payload=json.dumps(event))["Payload"])


@pytest.mark.parametrize("function", ["SubmissionConsumer", "SchemaMigrator"])
def test_a_function_without_its_table_s_name_stops_at_the_start_and_names_it(function: str) -> None:
    with running(function, without="TABLE_NAME") as client:
        answer = invoke(client, function, {"Records": []})
    assert answer["errorType"].endswith("SettingsError")
    assert "TABLE_NAME" in answer["errorMessage"]
    shown = json.dumps(answer)
    assert not [name for name in ("DATABASE_URL", "INTERNAL_KEYS", "JWT_SECRETS") if REQUIRED[name] in shown]


def test_the_same_function_with_everything_starts() -> None:
    with running("SubmissionConsumer", without=None) as client:
        assert invoke(client, "SubmissionConsumer", {"Records": []}) == {"batchItemFailures": []}
