"""What each function may do: named resources only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

BEDROCK_MODELS = ("foundation-model/*", "inference-profile/*")


def functions(written: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {n: r["Properties"] for n, r in written["Resources"].items() if r["Type"] == "AWS::Serverless::Function"}
    assert len(found) >= 10
    return found


def policies(properties: dict[str, Any]) -> Iterator[Any]:
    for policy in properties["Policies"]:
        choices = policy["Fn::If"][1:] if isinstance(policy, dict) and "Fn::If" in policy else [policy]
        yield from (choice for choice in choices if choice != {"Ref": "AWS::NoValue"})


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(written: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, properties in functions(written).items():
        for policy in policies(properties):
            yield from ((name, statement) for statement in as_list(policy.get("Statement", [])))


def text_of(resource: Any) -> str:
    """The resource as it is written, where it is text at all; a reference names one resource."""
    if isinstance(resource, dict):
        substituted = resource.get("Fn::Sub", "")
        return str(substituted[0] if isinstance(substituted, list) else substituted)
    return str(resource)


def test_every_policy_is_written_out_or_one_of_sam_s_for_one_resource(written: dict[str, Any]) -> None:
    for name, properties in functions(written).items():
        for policy in policies(properties):
            assert isinstance(policy, dict) and len(policy) == 1, f"{name} takes a managed policy: {policy}"
            ((kind, arguments),) = policy.items()
            if kind != "Statement":
                assert arguments and all(isinstance(value, dict) for value in arguments.values()), f"{name}: {kind}"


def test_no_statement_is_about_everything_but_for_the_models_of_bedrock(written: dict[str, Any]) -> None:
    seen = 0
    for name, statement in statements(written):
        seen += 1
        assert statement["Effect"] == "Allow" and "NotResource" not in statement and "NotAction" not in statement
        for resource in map(text_of, as_list(statement["Resource"])):
            is_model = resource.startswith("arn:${AWS::Partition}:bedrock:") and resource.endswith(BEDROCK_MODELS)
            assert "*" not in resource or is_model, f"{name}: {resource}"
    assert seen >= 10


def test_no_statement_allows_every_action_of_a_service(written: dict[str, Any]) -> None:
    for name, statement in statements(written):
        for action in as_list(statement["Action"]):
            assert "*" not in action, f"{name}: {action}"
