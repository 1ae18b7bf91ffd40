"""The numbers that AWS sets, or that keep one part of the template in step with another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from skillgate.settings import SECRET_SOURCES, Settings

from local.runner import Template

HTTP_API_SECONDS = 30
ENVIRONMENT_BYTES = 4096
OWN_SETTINGS = {name.upper() for name in Settings.model_fields}
READ_BY_LIBRARIES = ("POWERTOOLS_", "AWS_")


def queue_attributes(template: Template, arn: str) -> dict[str, str]:
    return next(dict(queue.attributes) for queue in template.queues if queue.arn == arn)


# --- queues -----------------------------------------------------------------------------------------------------------


def test_there_are_queues_to_look_at(resolved: Template) -> None:
    assert {source.function for source in resolved.event_sources} >= {"SubmissionConsumer", "ExternalScanDispatcher"}


def test_a_message_stays_hidden_six_times_as_long_as_its_consumer_may_run(resolved: Template) -> None:
    for source in resolved.event_sources:
        visibility = int(queue_attributes(resolved, source.queue_arn)["VisibilityTimeout"])
        assert visibility >= 6 * resolved.functions[source.function].timeout, source.name


def test_every_queue_that_is_consumed_has_dead_letters_after_five_receives_or_more(resolved: Template) -> None:
    arns = {queue.arn for queue in resolved.queues}
    for source in resolved.event_sources:
        policy = json.loads(queue_attributes(resolved, source.queue_arn)["RedrivePolicy"])
        assert int(policy["maxReceiveCount"]) >= 5, source.name
        assert policy["deadLetterTargetArn"] in arns - {source.queue_arn}, source.name


def test_dead_letters_are_kept_as_long_as_sqs_keeps_anything(resolved: Template) -> None:
    for source in resolved.event_sources:
        policy = json.loads(queue_attributes(resolved, source.queue_arn)["RedrivePolicy"])
        assert queue_attributes(resolved, policy["deadLetterTargetArn"])["MessageRetentionPeriod"] == "1209600"


def test_batches_and_concurrency_are_what_sqs_allows(resolved: Template) -> None:
    for source in resolved.event_sources:
        reserved = resolved.functions[source.function].reserved_concurrency
        assert 1 <= source.batch_size <= 10, source.name
        assert source.maximum_concurrency is not None and 2 <= source.maximum_concurrency <= 1000, source.name
        assert reserved is not None and source.maximum_concurrency <= reserved, source.name
        assert source.report_batch_item_failures, source.name


def test_the_parameters_cannot_leave_those_bounds(written: dict[str, Any]) -> None:
    parameters = written["Parameters"]
    assert (parameters["ConsumerBatchSize"]["MinValue"], parameters["ConsumerBatchSize"]["MaxValue"]) == (1, 10)
    assert (parameters["ConsumerConcurrency"]["MinValue"], parameters["ConsumerConcurrency"]["MaxValue"]) == (2, 1000)


def test_a_lease_outlasts_the_consumer_and_ends_before_its_message_comes_back(resolved: Template) -> None:
    consumer = resolved.functions["SubmissionConsumer"]
    lease = int(consumer.environment.get("LEASE_SECONDS") or Settings.model_fields["lease_seconds"].default)
    (source,) = [each for each in resolved.event_sources if each.function == "SubmissionConsumer"]
    visibility = int(queue_attributes(resolved, source.queue_arn)["VisibilityTimeout"])
    assert consumer.timeout < lease < visibility


# --- functions --------------------------------------------------------------------------------------------------------


def test_functions_behind_the_http_api_answer_before_it_gives_up(resolved: Template) -> None:
    assert resolved.http_api is not None and len(resolved.http_api.routes) >= 4
    for route in resolved.http_api.routes:
        assert resolved.functions[route.function].timeout < HTTP_API_SECONDS, route.function


def test_every_environment_fits_into_what_lambda_takes(resolved: Template) -> None:
    for name, function in resolved.functions.items():
        # References are longer on AWS than what they are replaced with here, by an ARN each at most; what is empty is
        # no reference.
        size = sum(len(key) + len(value) + (100 if value else 0) for key, value in function.environment.items())
        assert size < ENVIRONMENT_BYTES, f"{name}: {size} bytes"


def test_every_layer_is_built_for_the_functions_own_processor(written: dict[str, Any]) -> None:
    architectures = written["Globals"]["Function"]["Architectures"]
    layers = {n: r for n, r in written["Resources"].items() if r["Type"] == "AWS::Serverless::LayerVersion"}
    assert architectures == ["arm64"] and len(layers) == 2
    for name, layer in layers.items():
        assert layer["Metadata"]["BuildArchitecture"] == "arm64", name
        assert layer["Properties"]["CompatibleArchitectures"] == ["arm64"], name


def test_every_function_is_in_the_folder_that_its_handler_names(resolved: Template) -> None:
    for name, function in resolved.functions.items():
        module, _, attribute = function.handler.rpartition(".")
        path = function.code_dir.joinpath(*module.split(".")).with_suffix(".py")
        assert attribute == "lambda_handler" and path.is_file(), name


# --- settings ---------------------------------------------------------------------------------------------------------


def secret_keys(written: dict[str, Any], variable: str) -> set[str]:
    """The keys of the secret whose ARN a variable holds."""
    value = written["Globals"]["Function"]["Environment"]["Variables"][variable]
    if "Ref" not in value:
        assert "MasterUserSecret" in str(value)
        return {"username", "password"}  # RDS makes this one, with these
    generated = written["Resources"][value["Ref"]]["Properties"]["GenerateSecretString"]
    return {generated["GenerateStringKey"], *json.loads(generated["SecretStringTemplate"])}


def test_every_required_setting_is_set_by_the_template_or_by_a_secret(written: dict[str, Any]) -> None:
    variables = written["Globals"]["Function"]["Environment"]["Variables"]
    given = {name for name, value in variables.items() if value != ""}
    in_secrets = {key.upper() for source in SECRET_SOURCES for key in secret_keys(written, source)}
    required = {name.upper() for name, field in Settings.model_fields.items() if field.is_required()}
    assert required <= given | in_secrets
    assert {"DATABASE_HOST", "USERNAME", "PASSWORD"} <= given | in_secrets


def test_every_variable_of_the_template_is_a_setting_that_somebody_reads(resolved: Template) -> None:
    for name, function in resolved.functions.items():
        strangers = [
            variable
            for variable in function.environment
            if variable not in OWN_SETTINGS | set(SECRET_SOURCES) and not variable.startswith(READ_BY_LIBRARIES)
        ]
        assert not strangers, f"{name} sets {strangers}, which nothing reads"


def test_the_template_s_values_are_valid_settings(resolved: Template) -> None:
    secrets = {"internal_keys": "k", "username": "u", "password": "p", "jwt_secrets": "s" * 32}
    for function in resolved.functions.values():
        Settings.from_environment(function.environment, lambda _: secrets)


@pytest.mark.parametrize("kind", ["AWS::DynamoDB::Table", "AWS::RDS::DBCluster", "AWS::SecretsManager::Secret"])
def test_what_holds_data_outlives_the_stack(written: dict[str, Any], kind: str) -> None:
    holders = {n: r for n, r in written["Resources"].items() if r["Type"] == kind}
    assert holders
    for name, resource in holders.items():
        assert resource["DeletionPolicy"] in ("Retain", "Snapshot"), name
        assert resource["UpdateReplacePolicy"] in ("Retain", "Snapshot"), name
