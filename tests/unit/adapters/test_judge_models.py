"""Bedrock's Converse API and OpenAI's chat completions: what is sent, and every way in which no verdict comes back."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError, NoRegionError, ReadTimeoutError
from botocore.stub import ANY, Stubber
from skillgate.adapters.bedrock import BedrockModel, bedrock_clients, bedrock_judge
from skillgate.adapters.openai_judge import OpenAiModel, openai_judge
from skillgate.domain.errors import JudgeUnavailable
from skillgate.scanning.tier2.answer import TOOL_SCHEMA
from skillgate.scanning.tier2.judge import SkillJudge, Throttled
from skillgate.scanning.tier2.prompt import build_prompt
from skillgate.settings import Settings

from tests.unit.adapters.judge_cases import REPORT, answer, skill

PROMPT = build_prompt(skill(), REPORT, max_chars=9_999, nonce="n")


@pytest.fixture
def client() -> Any:
    session = boto3.session.Session("x", "y", region_name="eu-central-1")
    return session.client("bedrock-runtime", config=Config(retries={"total_max_attempts": 1}))


def bedrock(client: Any) -> BedrockModel:
    return BedrockModel(lambda seconds: client, "some.model", temperature=0.2, max_tokens=900)


def converse_answer(*blocks: Mapping[str, Any], stop: str = "tool_use") -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(blocks)}},
        "stopReason": stop,
        "usage": {"inputTokens": 70, "outputTokens": 30, "totalTokens": 100},
        "metrics": {"latencyMs": 5},
    }


def tool_use(tool_input: Any, name: str = "submit_verdict") -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "1", "name": name, "input": tool_input}}


def test_bedrock_is_asked_with_the_tool_forced_and_the_settings_applied(client: Any) -> None:
    expected = {
        "modelId": "some.model",
        "system": [{"text": PROMPT.system}],
        "messages": [{"role": "user", "content": [{"text": PROMPT.user}]}],
        "inferenceConfig": {"temperature": 0.2, "maxTokens": 900},
        "toolConfig": {
            "tools": [
                {"toolSpec": {"name": "submit_verdict", "description": ANY, "inputSchema": {"json": TOOL_SCHEMA}}}
            ],
            "toolChoice": {"tool": {"name": "submit_verdict"}},
        },
    }
    with Stubber(client) as stub:
        stub.add_response("converse", converse_answer({"text": "Well."}, tool_use(answer())), expected)
        given = bedrock(client).ask(PROMPT, timeout=30)
    assert (given.tool_input, given.tokens_in, given.tokens_out) == (answer(), 70, 30)


@pytest.mark.parametrize(
    "given",
    [
        converse_answer({"text": "I would rather not."}, stop="end_turn"),
        converse_answer(tool_use(answer(), name="other")),
        converse_answer(tool_use(answer()), tool_use(answer())),
        converse_answer(tool_use(answer()), stop="max_tokens"),
        converse_answer(tool_use(answer()), stop="guardrail_intervened"),
        converse_answer(),
    ],
)
def test_an_answer_of_bedrock_without_one_whole_verdict_is_unsure(client: Any, given: dict[str, Any]) -> None:
    with Stubber(client) as stub:
        stub.add_response("converse", given)
        with pytest.raises(JudgeUnavailable, match="unsure"):
            bedrock(client).ask(PROMPT, timeout=30)


@pytest.mark.parametrize("code", ["ThrottlingException", "ServiceUnavailableException", "ModelNotReadyException"])
def test_what_bedrock_asks_to_try_again_is(client: Any, code: str) -> None:
    with Stubber(client) as stub:
        stub.add_client_error("converse", code, http_status_code=429)
        stub.add_response("converse", converse_answer(tool_use(answer())))
        judge = SkillJudge(bedrock(client), max_input_chars=9_999, sleep=lambda _: None)
        assert judge.judge(skill(), REPORT, timeout=30).verdict == "approve"


@pytest.mark.parametrize("code", ["AccessDeniedException", "ValidationException", "ResourceNotFoundException"])
def test_what_bedrock_refuses_is_not_tried_again(client: Any, code: str) -> None:
    with Stubber(client) as stub:
        stub.add_client_error("converse", code, "secret detail", http_status_code=400)
        with pytest.raises(JudgeUnavailable, match=code) as caught:
            bedrock(client).ask(PROMPT, timeout=30)
    assert "secret detail" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ReadTimeoutError(endpoint_url="x"), "in time"),
        (EndpointConnectionError(endpoint_url="x"), "reached"),
        (NoRegionError(), "reached"),
    ],
)
def test_a_bedrock_that_does_not_answer_is_unavailable(error: Exception, words: str) -> None:
    def broken(seconds: int) -> Any:
        raise error

    with pytest.raises(JudgeUnavailable, match=words):
        BedrockModel(broken, "m", temperature=0, max_tokens=1).ask(PROMPT, timeout=30)


def test_bedrock_never_waits_longer_than_it_is_given_and_does_not_retry_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    class Silent:
        def converse(self, **_: Any) -> Any:
            raise ReadTimeoutError(endpoint_url="x")

    def client_for(seconds: int) -> Any:
        asked.append(seconds)
        return Silent()

    for timeout in (30.0, 7.9, 0.5):
        with pytest.raises(JudgeUnavailable):
            BedrockModel(client_for, "m", temperature=0, max_tokens=1).ask(PROMPT, timeout=timeout)
    assert asked == [29, 6, 1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    clients = bedrock_clients("eu-west-1")
    config = clients(6).meta.config
    assert (config.read_timeout, config.retries["total_max_attempts"], config.region_name) == (6, 1, "eu-west-1")
    assert clients(6) is clients(6)


def completion(*calls: tuple[str, str]) -> dict[str, Any]:
    made = [{"type": "function", "function": {"name": name, "arguments": text}} for name, text in calls]
    return {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": made}}],
        "usage": {"prompt_tokens": 70, "completion_tokens": 30},
    }


Handler = Callable[[httpx.Request], httpx.Response]


def openai(handler: Handler, key: str | None = "sesame") -> OpenAiModel:
    client = httpx.Client(transport=httpx.MockTransport(handler))
    return OpenAiModel(client, "https://models.example/v1/", "some-model", key=key, temperature=0.2, max_tokens=900)


def body(status: int, value: Any, headers: Mapping[str, str] | None = None) -> httpx.Response:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return httpx.Response(status, headers=headers, content=iter([text]))


def test_an_openai_endpoint_is_asked_with_the_function_forced_and_its_key() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return body(200, completion(("submit_verdict", json.dumps(answer()))))

    given = openai(handler).ask(PROMPT, timeout=30)
    sent = json.loads(seen[0].content)
    assert str(seen[0].url) == "https://models.example/v1/chat/completions"
    assert seen[0].headers["authorization"] == "Bearer sesame"
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "submit_verdict"}}
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("some-model", 0.2, 900)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (given.tool_input, given.tokens_in, given.tokens_out) == (answer(), 70, 30)


@pytest.mark.parametrize(
    "value",
    [
        completion(),
        completion(("other", "{}")),
        completion(("submit_verdict", "{}"), ("submit_verdict", "{}")),
        completion(("submit_verdict", "{not json")),
        {"choices": []},
        {"choices": [{"message": {"content": "No."}}]},
        [],
        b"<html>",
        b"[" * 100_000,
        b"x" * 1_100_000,
    ],
)
def test_an_answer_of_an_openai_endpoint_without_one_verdict_is_unsure(value: Any) -> None:
    with pytest.raises(JudgeUnavailable, match="unsure"):
        openai(lambda _: body(200, value)).ask(PROMPT, timeout=30)


@pytest.mark.parametrize(("header", "wait"), [({"Retry-After": "3"}, 3.0), ({"Retry-After": "soon"}, None), ({}, None)])
@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_openai_endpoint_says_how_long(status: int, header: dict[str, str], wait: float | None) -> None:
    with pytest.raises(Throttled) as caught:
        openai(lambda _: body(status, {}, header)).ask(PROMPT, timeout=30)
    assert caught.value.retry_after == wait


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404])
def test_what_an_openai_endpoint_refuses_is_not_tried_again(status: int) -> None:
    with pytest.raises(JudgeUnavailable, match=str(status)) as caught:
        openai(lambda _: body(status, {}, {"Location": "https://elsewhere.example"})).ask(PROMPT, timeout=30)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.ConnectTimeout, httpx.ConnectError, httpx.ReadError])
def test_an_openai_endpoint_that_does_not_answer_is_unavailable(error: type[httpx.TransportError]) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise error("broken")

    with pytest.raises(JudgeUnavailable):
        openai(handler).ask(PROMPT, timeout=30)


def test_an_answer_that_drips_is_given_up_on_when_the_time_is_over() -> None:
    with pytest.raises(JudgeUnavailable, match="in time"):
        openai(lambda _: body(200, completion())).ask(PROMPT, timeout=-1)


def settings(**changes: Any) -> Settings:
    required = {
        "database_url": "postgresql://x",
        "table_name": "table",
        "submissions_queue_url": "q",
        "submissions_dead_letters_url": "d",
        "external_scans_queue_url": "e",
        "internal_keys": "k",
        "jwt_secrets": "signing-key-0123456789-0123456789-0123",
    }
    return Settings.model_validate(required | changes)


def test_a_judge_that_is_not_configured_is_never_available() -> None:
    for judge in (bedrock_judge(settings()), openai_judge(settings(judge_provider="openai"))):
        with pytest.raises(JudgeUnavailable, match="No judge is configured"):
            judge.judge(skill(), REPORT, timeout=30)


@pytest.mark.parametrize("url", ["", "http://models.example/v1", "models.example", "http://127.0.0.1.models.example"])
def test_an_openai_judge_without_a_safe_address_stops_the_function(url: str) -> None:
    with pytest.raises(ValueError, match="JUDGE_OPENAI_URL"):
        settings(judge_provider="openai", judge_model="m", judge_openai_url=url)


def test_a_judge_is_built_from_its_settings() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return body(200, completion(("submit_verdict", json.dumps(answer()))))

    configured = settings(
        judge_provider="openai",
        judge_model="m",
        judge_openai_url="https://models.example/v1",
        judge_openai_key="sesame",
        judge_price_in=1,
        judge_price_out=2,
        judge_max_input_chars=1_000,
    )
    with httpx.Client(transport=httpx.MockTransport(handler)) as http:
        judgement = openai_judge(configured, client=http).judge(skill(text="x" * 2_000), REPORT, timeout=30)
    assert seen[0].headers["authorization"] == "Bearer sesame"
    assert judgement.report["costUsd"] == 0.00013
    assert judgement.verdict == "review", "not all of it fits into 1,000 characters"
