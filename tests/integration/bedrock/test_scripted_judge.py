"""The stub as the real boto3 client sees it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from local.bedrock import BedrockStub, Script

MODEL = "eu.anthropic.some-model-v1:0"
TOOL_CONFIG = {
    "tools": [{"toolSpec": {"name": "submit_verdict", "inputSchema": {"json": {"type": "object"}}}}],
    "toolChoice": {"tool": {"name": "submit_verdict"}},
}


def client_for(url: str, patience: float = 60) -> Any:
    config = Config(retries={"total_max_attempts": 1}, read_timeout=patience)
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=config,
    )


@pytest.fixture
def stub() -> Iterator[BedrockStub]:
    with BedrockStub() as running:
        yield running


@pytest.fixture
def client(stub: BedrockStub) -> Iterator[Any]:
    bedrock = client_for(stub.url)
    yield bedrock
    bedrock.close()


def finding(name: str, severity: str) -> str:
    return json.dumps({"id": name, "ruleId": "some-rule", "severity": severity})


def ask(client: Any, *lines: str, skill: str = "acme/tools/csv", **changes: Any) -> Any:
    prompt = "\n".join(["Judge this.", f"Skill: {skill}", *lines])
    request = {
        "modelId": MODEL,
        "system": [{"text": "You are the judge."}],
        "messages": [{"role": "user", "content": [{"text": prompt}]}],
        "toolConfig": TOOL_CONFIG,
    }
    return client.converse(**{**request, **changes})


def verdict_of(answer: Any) -> Any:
    (block,) = answer["output"]["message"]["content"]
    assert answer["stopReason"] == "tool_use"
    assert block["toolUse"]["name"] == "submit_verdict"
    return block["toolUse"]["input"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), ("approve", 88)),
        ((finding("a", "low"), finding("b", "info")), ("approve", 88)),
        ((finding("a", "low"), finding("b", "medium")), ("review", 70)),
        ((finding("a", "critical"),), ("review", 70)),
        (('{"not": "a finding"}', "{broken", '{"id": 1, "severity": "high"}'), ("approve", 88)),
    ],
)
def test_without_a_script_the_verdict_follows_from_tier_1(client: Any, lines: Any, expected: Any) -> None:
    verdict = verdict_of(ask(client, *lines))
    assert (verdict["verdict"], verdict["score"]) == expected


def test_a_verdict_has_the_tools_shape_and_says_who_gave_it(stub: BedrockStub, client: Any) -> None:
    stub.set_script([{"match": "^Skill: acme/tools/csv$", "play": "reject", "score": 12, "summary": "It lies."}])
    verdict = verdict_of(ask(client, finding("grave", "high"), finding("small", "low")))
    assert verdict["summary"] == "This is the local stack's scripted judge and not a model. It lies."
    assert (verdict["score"], verdict["verdict"], verdict["intent_matches_description"]) == (12, "reject", False)
    assert [(opinion["id"], opinion["confirmed"]) for opinion in verdict["findings"]] == [
        ("grave", True),
        ("small", False),
    ]
    assert all(isinstance(opinion["why"], str) for opinion in verdict["findings"])
    assert set(verdict) == {"score", "verdict", "summary", "intent_matches_description", "findings"}


@pytest.mark.parametrize(("play", "score"), [("approve", 88), ("review", 70), ("reject", 20)])
def test_each_verdict_has_a_score_of_its_own(stub: BedrockStub, client: Any, play: str, score: int) -> None:
    stub.set_script([{"match": "acme", "play": play}])
    verdict = verdict_of(ask(client, finding("grave", "critical")))
    assert (verdict["verdict"], verdict["score"]) == (play, score)
    assert verdict["findings"][0]["confirmed"] is (play != "approve")


@pytest.mark.parametrize("play", ["garbage", "refusal"])
def test_text_comes_in_place_of_a_verdict(stub: BedrockStub, client: Any, play: str) -> None:
    stub.set_script([{"play": play}])
    answer = ask(client)
    assert answer["stopReason"] == "end_turn"
    assert set(answer["output"]["message"]["content"][0]) == {"text"}


def test_a_wrong_schema_is_a_tool_use_that_does_not_fit(stub: BedrockStub, client: Any) -> None:
    stub.set_script([{"play": "wrong_schema"}])
    verdict = verdict_of(ask(client))
    assert not isinstance(verdict["score"], int)
    assert "summary" not in verdict


@pytest.mark.parametrize(
    ("play", "status", "code"),
    [
        ("throttle", 429, "ThrottlingException"),
        ("access_denied", 403, "AccessDeniedException"),
        ("server_error", 500, "InternalServerException"),
    ],
)
def test_errors_come_as_boto3_knows_them(stub: BedrockStub, client: Any, play: str, status: int, code: str) -> None:
    stub.set_script([{"play": play}])
    with pytest.raises(ClientError) as raised:
        ask(client)
    assert raised.value.response["Error"]["Code"] == code
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert isinstance(raised.value, getattr(client.exceptions, code))


def test_a_timeout_holds_the_connection_until_the_client_gives_up(stub: BedrockStub) -> None:
    stub.set_script([{"play": "timeout"}])
    impatient = client_for(stub.url, patience=0.5)
    with pytest.raises(ReadTimeoutError):
        ask(impatient)
    impatient.close()


def test_a_timeout_of_no_time_drops_the_connection(stub: BedrockStub, client: Any) -> None:
    stub.set_script([{"play": "timeout", "seconds": 0}])
    with pytest.raises(ConnectionClosedError):
        ask(client)


def test_a_play_with_times_is_used_up(stub: BedrockStub, client: Any) -> None:
    stub.set_script([{"match": "acme", "play": "throttle", "times": 2}, {"match": "acme", "play": "reject"}])
    for _ in range(2):
        with pytest.raises(ClientError, match="ThrottlingException"):
            ask(client)
    assert verdict_of(ask(client))["verdict"] == "reject"
    assert verdict_of(ask(client, skill="other/kit/x"))["verdict"] == "approve"


def test_usage_follows_from_lengths(client: Any) -> None:
    short, long = ask(client), ask(client, "x" * 4000)
    assert long["usage"]["inputTokens"] - short["usage"]["inputTokens"] in (1000, 1001)
    for answer in (short, long):
        usage = answer["usage"]
        assert usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"]
        assert answer["metrics"]["latencyMs"] == usage["outputTokens"] * 10


@pytest.mark.parametrize(
    "tool_config",
    [
        {"tools": TOOL_CONFIG["tools"]},
        {"tools": TOOL_CONFIG["tools"], "toolChoice": {"auto": {}}},
        {
            "tools": [{"toolSpec": {"name": "other", "inputSchema": {"json": {}}}}],
            "toolChoice": {"tool": {"name": "other"}},
        },
    ],
)
def test_a_request_that_does_not_force_the_tool_is_refused(client: Any, tool_config: Any) -> None:
    with pytest.raises(ClientError, match="ValidationException"):
        ask(client, toolConfig=tool_config)


def test_the_script_is_replaced_and_prompts_are_shown_over_http(stub: BedrockStub, client: Any) -> None:
    with httpx.Client(base_url=stub.url) as http:
        assert http.put("/_control/script", json=[{"match": "acme", "play": "review", "score": 61}]).status_code == 204
        assert verdict_of(ask(client, "a line of the skill"))["score"] == 61
        (record,) = http.get("/_control/requests").json()
        assert (record["model"], record["play"]) == (MODEL, "review")
        assert record["prompt"].splitlines() == [
            "You are the judge.",
            "Judge this.",
            "Skill: acme/tools/csv",
            "a line of the skill",
        ]
        assert http.get("/no-such").status_code == 404


@pytest.mark.parametrize(
    "script",
    [
        {"play": "approve"},
        [{"play": "applaud"}],
        [{"play": "approve", "score": 79}],
        [{"play": "review", "score": 80}],
        [{"play": "throttle", "score": 50}],
        [{"play": "reject", "match": "("}],
    ],
)
def test_a_script_that_makes_no_sense_is_refused_and_changes_nothing(
    stub: BedrockStub, client: Any, script: Any
) -> None:
    stub.set_script([{"play": "reject"}])
    assert httpx.put(f"{stub.url}/_control/script", json=script).status_code == 400
    assert verdict_of(ask(client))["verdict"] == "reject"


def test_the_program_reads_its_script_says_where_it_listens_and_stops(tmp_path: Path) -> None:
    script = tmp_path / "judge.yaml"
    script.write_text("- match: '^Skill: acme/'\n  play: reject\n  score: 7\n")
    command = [sys.executable, "-m", "local.bedrock", "--port", "0", "--script", str(script)]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        words = program.stdout.readline().split()
        assert words[:3] == ["bedrock", "listening", "on"]
        bedrock = client_for(words[3])
        assert verdict_of(ask(bedrock))["score"] == 7
        bedrock.close()
        program.terminate()
        assert program.wait(timeout=30) == 0


def test_a_script_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judge.yaml"
    file.write_text("play: approve\n")
    with pytest.raises(ValueError, match="list of plays"):
        Script.read(file)
