"""The judge on Amazon Bedrock: the Converse API, with the verdict as a tool that has to be called."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from skillgate.domain.errors import JudgeUnavailable
from skillgate.scanning.tier2.answer import TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, ModelAnswer, unsure
from skillgate.scanning.tier2.judge import AnswerCache, Prices, SkillJudge, Throttled
from skillgate.scanning.tier2.prompt import Prompt
from skillgate.settings import Settings

ClientFor = Callable[[int], Any]  # a client that waits so many seconds for an answer

_CONNECT_SECONDS = 1
_CUT_OFF = ("max_tokens", "guardrail_intervened", "content_filtered", "model_context_window_exceeded")
_TRY_AGAIN = frozenset(
    {
        "ThrottlingException",
        "TooManyRequestsException",
        "ServiceUnavailableException",
        "ModelNotReadyException",
        "InternalServerException",
    }
)


def bedrock_judge(settings: Settings, cache: AnswerCache | None = None) -> SkillJudge:
    """The judge as the settings describe it; without a model in them, one that is never available."""
    model = None
    if settings.judge_model:
        model = BedrockModel(
            bedrock_clients(settings.judge_region or None),
            settings.judge_model,
            temperature=settings.judge_temperature,
            max_tokens=settings.judge_max_output_tokens,
        )
    prices = Prices(settings.judge_price_in, settings.judge_price_out)
    return SkillJudge(model, max_input_chars=settings.judge_max_input_chars, prices=prices, cache=cache)


def bedrock_clients(region: str | None) -> ClientFor:
    """boto3 fixes a client's time-outs when it is made, so there is one for each whole second that is asked for."""
    session = boto3.session.Session(region_name=region)
    made: dict[int, Any] = {}
    lock = threading.Lock()  # a session is not safe to make clients from side by side

    def client_for(seconds: int) -> Any:
        with lock:
            if seconds not in made:
                config = Config(
                    read_timeout=seconds, connect_timeout=_CONNECT_SECONDS, retries={"total_max_attempts": 1}
                )
                made[seconds] = session.client("bedrock-runtime", config=config)
            return made[seconds]

    return client_for


class BedrockModel:
    def __init__(self, client_for: ClientFor, model: str, *, temperature: float, max_tokens: int) -> None:
        self._client_for = client_for
        self._model = model
        self._inference = {"temperature": temperature, "maxTokens": max_tokens}

    @property
    def name(self) -> str:
        return self._model

    def ask(self, prompt: Prompt, *, timeout: float) -> ModelAnswer:
        tool = {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "inputSchema": {"json": TOOL_SCHEMA}}
        try:
            client = self._client_for(max(1, int(timeout) - _CONNECT_SECONDS))
            answer = client.converse(
                modelId=self._model,
                system=[{"text": prompt.system}],
                messages=[{"role": "user", "content": [{"text": prompt.user}]}],
                inferenceConfig=self._inference,
                toolConfig={"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": TOOL_NAME}}},
            )
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _TRY_AGAIN:
                raise Throttled from error
            raise JudgeUnavailable(f"Bedrock refused the call ({code}).") from error
        except ReadTimeoutError as error:
            raise JudgeUnavailable("The judge did not answer in time.") from error
        except BotoCoreError as error:
            raise JudgeUnavailable("Bedrock could not be reached.", retry_after=30) from error
        return _model_answer(answer)


def _model_answer(answer: Any) -> ModelAnswer:
    """Raises JudgeUnavailable if the tool was not called: a refusal, a filter, an answer that was cut off, or prose."""
    reason = answer.get("stopReason")
    blocks = answer.get("output", {}).get("message", {}).get("content", [])
    inputs = [block["toolUse"].get("input") for block in blocks if block.get("toolUse", {}).get("name") == TOOL_NAME]
    if len(inputs) != 1 or reason in _CUT_OFF:
        raise unsure(f"it gave no verdict ({reason})")
    usage = answer.get("usage", {})
    return ModelAnswer(inputs[0], int(usage.get("inputTokens", 0)), int(usage.get("outputTokens", 0)))
