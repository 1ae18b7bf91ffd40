"""Lambda's Invoke API, as boto3 speaks it."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.integration.runner.conftest import Eventually, Start
from tests.integration.runner.fake_sqs import FakeSqs

TEMPLATE = """
Resources:
  Echo: {Type: AWS::Serverless::Function, Properties: {Handler: app.echo, FunctionName: the-echo}}
  Other: {Type: AWS::Serverless::Function, Properties: {Handler: app.invoke_other}}
  Failures: {Type: AWS::SQS::Queue, Properties: {QueueName: failures}}
  Raise:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.raise_error
      EventInvokeConfig: {DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Failures.Arn}}}
"""


@pytest.mark.parametrize("name", ["Echo", "the-echo", "arn:aws:lambda:us-east-1:000000000000:function:the-echo"])
def test_a_function_answers_to_its_logical_id_its_name_and_its_arn(start: Start, name: str) -> None:
    assert start(TEMPLATE).invoke(name, {"a": ["ü"]}) == ({"a": ["ü"]}, None)


def test_a_function_can_invoke_another(start: Start) -> None:
    assert start(TEMPLATE).invoke("Other", {"name": "the-echo"}) == ({"from": "other"}, None)


def test_an_unknown_function_and_a_payload_that_is_not_json_are_refused(start: Start) -> None:
    client = start(TEMPLATE).lambda_client
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.invoke(FunctionName="nobody")
    with pytest.raises(client.exceptions.InvalidRequestContentException):
        client.invoke(FunctionName="Echo", Payload=b"{")
    client.close()


def test_an_asynchronous_payload_over_a_megabyte_is_refused(start: Start) -> None:
    client = start(TEMPLATE).lambda_client
    with pytest.raises(ClientError, match="RequestTooLarge"):
        client.invoke(FunctionName="Echo", InvocationType="Event", Payload=json.dumps("x" * 1024 * 1024))
    client.close()


def test_a_dry_run_runs_nothing(start: Start) -> None:
    running = start(TEMPLATE)
    client = running.lambda_client
    assert client.invoke(FunctionName="Raise", InvocationType="DryRun")["StatusCode"] == 204
    running.runner.stop()
    assert not (running.notes_dir / "attempts").exists()
    client.close()


def test_a_failed_asynchronous_invocation_is_tried_three_times_and_sent_to_its_destination(
    start: Start, eventually: Eventually
) -> None:
    sqs = FakeSqs(visibility=3600)
    try:
        running = start(TEMPLATE, sqs_endpoint=sqs.endpoint)
        client = running.lambda_client
        accepted = client.invoke(FunctionName="Raise", InvocationType="Event", Payload=b'{"n": 1}')
        assert accepted["StatusCode"] == 202
        (record,) = eventually(lambda: sqs.bodies("failures"))
        assert (running.notes_dir / "attempts").read_text() == "xxx"
        assert record["requestPayload"] == {"n": 1}
        assert record["responsePayload"]["errorMessage"] == "no such luck"
        assert record["requestContext"]["approximateInvokeCount"] == 3
        client.close()
        running.runner.stop()
    finally:
        sqs.stop()


def test_a_throttled_asynchronous_invocation_waits_for_its_turn(start: Start, eventually: Eventually) -> None:
    running = start(
        "Resources:\n  Hold: {Type: AWS::Serverless::Function, "
        "Properties: {Handler: app.hold, ReservedConcurrentExecutions: 1}}\n"
    )
    client = running.lambda_client
    for _ in range(2):
        client.invoke(FunctionName="Hold", InvocationType="Event")
    eventually(lambda: running.notes("held"))
    running.release()
    eventually(lambda: len(running.notes("span")) == 2)
    client.close()
