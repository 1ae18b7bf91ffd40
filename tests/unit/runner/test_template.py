"""Reading a template: intrinsic functions, conditions, globals, events, and loud errors for the rest."""

import json
from pathlib import Path

import pytest

from local.runner import Template, TemplateError, load_template

ENDPOINT = "http://127.0.0.1:4566"
FUNCTION = """
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Runtime: python3.13
      CodeUri: .
"""


def load(tmp_path: Path, text: str, **parameters: str) -> Template:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    return load_template(path, sqs_endpoint=ENDPOINT, http_endpoint="http://127.0.0.1:8080", parameters=parameters)


INTRINSICS = """
Parameters:
  Stage: {Type: String, Default: dev}
  Zones: {Type: CommaDelimitedList, Default: "a, b, c"}
Mappings:
  Sizes: {dev: {memory: 1}, prod: {memory: 2}}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsNotProd: !Not [!Condition IsProd]
  Both: !And [!Condition IsNotProd, {"Fn::Equals": [1, "1"]}]
  Either: !Or [{Condition: IsProd}, !Condition Both]
Resources:
  Queue: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub "${AWS::StackName}-${Stage}"}}
  Unnamed: {Type: AWS::SQS::Queue}
  Table: {Type: AWS::DynamoDB::Table, Properties: {TableName: !If [IsProd, prod-table, !Ref "AWS::NoValue"]}}
  Secret: {Type: AWS::SecretsManager::Secret}
  Api: {Type: AWS::Serverless::HttpApi}
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Runtime: python3.13
      CodeUri: .
      Environment:
        Variables:
          VALUE: VALUE_HERE
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("!Ref Stage", "dev"),
        ("{Ref: Stage}", "dev"),
        ("true", "true"),
        ("3", "3"),
        ("2024-01-01", "2024-01-01"),
        ("!Ref AWS::Region", "us-east-1"),
        ("!Ref AWS::AccountId", "000000000000"),
        ('!Sub "${AWS::Partition}.${AWS::URLSuffix}"', "aws.amazonaws.com"),
        ("!Ref Queue", f"{ENDPOINT}/000000000000/skillgate-local-dev"),
        ("!GetAtt Queue.Arn", "arn:aws:sqs:us-east-1:000000000000:skillgate-local-dev"),
        ("!GetAtt [Queue, QueueName]", "skillgate-local-dev"),
        ('{"Fn::GetAtt": Unnamed.QueueName}', "skillgate-local-Unnamed"),
        ("!Ref Table", "skillgate-local-Table"),
        ("!GetAtt Table.Arn", "arn:aws:dynamodb:us-east-1:000000000000:table/skillgate-local-Table"),
        ("!Ref F", "skillgate-local-F"),
        ("!GetAtt F.Arn", "arn:aws:lambda:us-east-1:000000000000:function:skillgate-local-F"),
        ("!Ref Api", "local-Api"),
        ("!GetAtt Api.ApiEndpoint", "http://127.0.0.1:8080"),
        ("!Ref Secret", "local-Secret"),
        ("!GetAtt Secret.Arn", "arn:aws:secretsmanager:us-east-1:000000000000:Secret"),
        ('!Sub "${Queue.QueueName}/${!Literal}"', "skillgate-local-dev/${Literal}"),
        ('!Sub ["${A}-${Stage}", {A: !Ref "AWS::Region"}]', "us-east-1-dev"),
        ('!Join ["-", [a, !Ref Stage]]', "a-dev"),
        ('!Join ["/", !Ref Zones]', "a/b/c"),
        ("!Select [1, !Ref Zones]", "b"),
        ('!Select [1, !Split [":", "x:y:z"]]', "y"),
        ("!FindInMap [Sizes, !Ref Stage, memory]", "1"),
        ("!If [IsProd, a, b]", "b"),
        ("!If [Both, a, b]", "a"),
        ('{"Fn::If": [Either, a, b]}', "a"),
    ],
)
def test_an_intrinsic_function_yields_its_value(tmp_path: Path, expression: str, value: str) -> None:
    template = load(tmp_path, INTRINSICS.replace("VALUE_HERE", expression))
    assert template.functions["F"].environment == {"VALUE": value}


def test_no_value_removes_the_property(tmp_path: Path) -> None:
    template = load(tmp_path, INTRINSICS.replace("VALUE_HERE", "!If [IsProd, a, !Ref AWS::NoValue]"))
    assert template.functions["F"].environment == {}


def test_an_override_of_a_parameter_reaches_values_and_conditions(tmp_path: Path) -> None:
    template = load(tmp_path, INTRINSICS.replace("VALUE_HERE", "!If [IsProd, !Ref Stage, no]"), Stage="prod")
    assert template.functions["F"].environment == {"VALUE": "prod"}
    assert [table.name for table in template.tables] == ["prod-table"]


def test_globals_are_merged_into_functions_and_their_own_values_win(tmp_path: Path) -> None:
    text = """
Globals:
  Function: {Runtime: python3.13, CodeUri: ., Timeout: 10, MemorySize: 512, Environment: {Variables: {A: 1, B: 1}}}
Parameters: {Limit: {Type: Number, Default: 7}}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Timeout: 20
      ReservedConcurrentExecutions: !Ref Limit
      Environment: {Variables: {B: 2}}
"""
    function = load(tmp_path, text).functions["F"]
    assert (function.timeout, function.memory, function.reserved_concurrency) == (20, 512, 7)
    assert function.environment == {"A": "1", "B": "2"}
    assert function.code_dir == tmp_path.resolve()


def test_what_has_a_false_condition_is_left_out(tmp_path: Path) -> None:
    text = """
Conditions: {Never: !Equals [a, b]}
Resources:
  Gone: {Type: AWS::SQS::Queue, Condition: Never}
  Machine: {Type: AWS::StepFunctions::StateMachine, Condition: Never}
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Runtime: python3.13
      CodeUri: .
      Events:
        Tick: {Type: Schedule, Condition: Never, Properties: {Schedule: rate(1 minute)}}
"""
    template = load(tmp_path, text)
    assert (template.queues, template.schedules) == ((), ())


def test_queue_attributes_are_ready_for_create_queue(tmp_path: Path) -> None:
    text = """
Resources:
  Dead: {Type: AWS::SQS::Queue, Properties: {QueueName: dead}}
  Work:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 180
      SqsManagedSseEnabled: true
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5}
"""
    work = next(queue for queue in load(tmp_path, text).queues if queue.logical_id == "Work")
    assert work.name == "skillgate-local-Work"
    assert set(work.attributes) == {"VisibilityTimeout", "RedrivePolicy"}
    assert work.attributes["VisibilityTimeout"] == "180"
    assert json.loads(work.attributes["RedrivePolicy"]) == {
        "deadLetterTargetArn": "arn:aws:sqs:us-east-1:000000000000:dead",
        "maxReceiveCount": 5,
    }


def test_table_arguments_are_ready_for_create_table(tmp_path: Path) -> None:
    text = """
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: g, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      GlobalSecondaryIndexes:
        - IndexName: by-g
          KeySchema: [{AttributeName: g, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
"""
    (table,) = load(tmp_path, text).tables
    assert table.ttl_attribute == "expires"
    assert set(table.create_arguments) == {
        "TableName",
        "BillingMode",
        "AttributeDefinitions",
        "KeySchema",
        "GlobalSecondaryIndexes",
    }
    assert table.create_arguments["TableName"] == "skillgate-local-Table"


def test_events_become_routes_sources_and_schedules(tmp_path: Path) -> None:
    text = """
Resources:
  Work: {Type: AWS::SQS::Queue}
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      Runtime: python3.13
      CodeUri: .
      Events:
        Default: {Type: HttpApi}
        Post: {Type: HttpApi, Properties: {Method: post, Path: "/a/{id}"}}
        Queue:
          Type: SQS
          Properties:
            Queue: !GetAtt Work.Arn
            BatchSize: 5
            MaximumBatchingWindowInSeconds: 2
            ScalingConfig: {MaximumConcurrency: 20}
            FunctionResponseTypes: [ReportBatchItemFailures]
        Tick: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(5 minutes), State: DISABLED}}
"""
    template = load(tmp_path, text)
    assert template.http_api is not None
    assert [route.key for route in template.http_api.routes] == ["$default", "POST /a/{id}"]
    (source,) = template.event_sources
    assert (source.batch_size, source.batching_window, source.maximum_concurrency) == (5, 2, 20)
    assert source.report_batch_item_failures and source.enabled
    assert source.queue_url == f"{ENDPOINT}/000000000000/skillgate-local-Work"
    (schedule,) = template.schedules
    assert (schedule.expression, schedule.enabled, schedule.source) == ("rate(5 minutes)", False, "aws.scheduler")


def event(kind: str, properties: str) -> str:
    return (
        f"{FUNCTION}      Events: {{E: {{Type: {kind}, Properties: {properties}}}}}\n  Q: {{Type: AWS::SQS::Queue}}\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FUNCTION + "      ImageUri: x\n", "F.Properties.ImageUri is not supported"),
        (FUNCTION.replace("python3.13", "nodejs22.x"), "F.Properties.Runtime"),
        (FUNCTION.replace("CodeUri: .", "CodeUri: absent"), "F.Properties.CodeUri: absent is not a folder"),
        (FUNCTION.replace("Handler: app.handler", "Timeout: 3"), "F.Properties.Handler is missing"),
        (FUNCTION + "      Timeout: soon\n", "F.Properties.Timeout: expected a whole number"),
        (FUNCTION + "      Environment: {Variables: {AWS_REGION: x}}\n", "Environment.AWS_REGION is set by Lambda"),
        (
            FUNCTION + f"      Environment: {{Variables: {{A: {'x' * 5000}}}}}\n",
            "bytes of variables, Lambda takes 4096",
        ),
        (
            FUNCTION + "      Environment: {Variables: {A: !ImportValue x}}\n",
            "Environment.Variables.A: Fn::ImportValue",
        ),
        (FUNCTION + "      Environment: {Variables: {A: !Ref Nobody}}\n", "!Ref Nobody names no parameter"),
        (FUNCTION + "      Environment: {Variables: {A: !If [Absent, 1, 2]}}\n", "there is no condition Absent"),
        (FUNCTION + "      EventInvokeConfig: {DestinationConfig: {OnSuccess: {}}}\n", "DestinationConfig.OnSuccess"),
        (
            FUNCTION + "      EventInvokeConfig: {DestinationConfig: {OnFailure: {Destination: 'arn:aws:sns:x'}}}\n",
            "DestinationConfig.OnFailure: arn:aws:sns:x is no queue",
        ),
        (event("S3", "{}"), "F.Events.E.Type: events of type S3"),
        (event("SQS", "{Queue: !GetAtt Q.Arn, FilterCriteria: {}}"), "F.Events.E.FilterCriteria is not supported"),
        (event("SQS", "{Queue: 'arn:aws:sqs:x'}"), "F.Events.E.Queue: arn:aws:sqs:x is no queue"),
        (event("SQS", "{Queue: !GetAtt Q.Arn, BatchSize: 11}"), "F.Events.E.BatchSize: 11"),
        (event("SQS", "{Queue: !GetAtt Q.Arn, ScalingConfig: {MaximumConcurrency: 1}}"), "MaximumConcurrency: 1"),
        (event("Schedule", "{Schedule: at(now)}"), "F.Events.E.Schedule: at(now)"),
        (event("Schedule", "{Schedule: rate(1 hour), Input: '{'}"), "F.Events.E.Input: is not JSON"),
        (event("ScheduleV2", "{ScheduleExpression: rate(1 hour), EndDate: x}"), "F.Events.E.EndDate"),
        (event("HttpApi", "{Path: a, Method: GET}"), "F.Events.E.Path: a does not begin with a slash"),
        (event("HttpApi", "{Path: /, Method: FETCH}"), "F.Events.E.Method: FETCH"),
        (event("HttpApi", "{Path: /, PayloadFormatVersion: '1.0'}"), "F.Events.E.PayloadFormatVersion"),
        (event("HttpApi", "{Path: /, Auth: {Authorizer: Jwt}}"), "F.Events.E.Auth"),
        ("Resources: {Q: {Type: AWS::SQS::Queue, Properties: {FifoQueue: true}}}", "Q.Properties.FifoQueue"),
        ("Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {Odd: 1}}}", "T.Properties.Odd"),
        ("Resources: {M: {Type: AWS::Lambda::EventSourceMapping}}", "M: the runner does not run"),
        ("Resources: {S: {Type: AWS::Serverless::SimpleTable}}", "S: the runner does not run"),
        ("Resources: {A: {Type: AWS::SQS::Queue}, A: {Type: AWS::SQS::Queue}}", "the key A stands twice"),
        ("Resources: [", "not valid YAML"),
        ("Outputs: {}", "no Resources"),
        ("Parameters: {P: {Type: String}}\nResources: {}", "Parameters.P: has no default"),
        ("Parameters: {P: {Type: String, Default: x, AllowedValues: [y]}}\nResources: {}", "'x' is not one of y"),
    ],
)
def test_what_is_not_understood_is_an_error_that_names_it(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        load(tmp_path, text)
    assert message in str(error.value)


def test_an_override_of_a_parameter_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="no parameter Typo"):
        load(tmp_path, FUNCTION, Typo="x")
