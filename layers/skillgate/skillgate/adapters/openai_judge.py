"""The judge on any endpoint that speaks OpenAI's chat completions, with the verdict as a function that is called."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx

from skillgate.domain.errors import JudgeUnavailable
from skillgate.scanning.tier2.answer import TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, ModelAnswer, unsure
from skillgate.scanning.tier2.judge import AnswerCache, Prices, SkillJudge, Throttled
from skillgate.scanning.tier2.prompt import Prompt
from skillgate.settings import Settings

_MAX_ANSWER_BYTES = 1_000_000
_CONNECT_SECONDS = 3.0
_TRY_AGAIN = (429, 500, 502, 503, 504, 529)


def openai_judge(
    settings: Settings, cache: AnswerCache | None = None, client: httpx.Client | None = None
) -> SkillJudge:
    """The judge as the settings describe it; without a model in them, one that is never available."""
    model = None
    if settings.judge_model:
        key = settings.judge_openai_key
        model = OpenAiModel(
            client or httpx.Client(follow_redirects=False, trust_env=False),
            settings.judge_openai_url,
            settings.judge_model,
            key=key.get_secret_value() if key else None,
            temperature=settings.judge_temperature,
            max_tokens=settings.judge_max_output_tokens,
        )
    prices = Prices(settings.judge_price_in, settings.judge_price_out)
    return SkillJudge(model, max_input_chars=settings.judge_max_input_chars, prices=prices, cache=cache)


class OpenAiModel:
    def __init__(
        self, client: httpx.Client, url: str, model: str, *, key: str | None, temperature: float, max_tokens: int
    ) -> None:
        self._client = client
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._options = {"temperature": temperature, "max_tokens": max_tokens}

    @property
    def name(self) -> str:
        return self._model

    def ask(self, prompt: Prompt, *, timeout: float) -> ModelAnswer:
        function = {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "parameters": TOOL_SCHEMA}
        body = {
            "model": self._model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": TOOL_NAME}},
            **self._options,
        }
        try:
            status, headers, content = self._post(body, timeout)
        except httpx.TimeoutException as error:
            raise JudgeUnavailable("The judge did not answer in time.") from error
        except httpx.TransportError as error:
            raise JudgeUnavailable("The judge could not be reached.", retry_after=30) from error
        if status in _TRY_AGAIN:
            wait = headers.get("retry-after", "")
            raise Throttled(float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 10 else None)
        if status != 200:
            raise JudgeUnavailable(f"The judge refused the call ({status}).")
        return _model_answer(content)

    def _post(self, body: Any, timeout: float) -> tuple[int, httpx.Headers, bytes]:
        """The whole answer within the time, however slowly it comes; an endless one is no answer."""
        deadline = time.monotonic() + timeout
        limits = httpx.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))
        with self._client.stream("POST", self._url, json=body, headers=self._headers, timeout=limits) as response:
            content = bytearray()
            for chunk in response.iter_raw():
                content += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer came too slowly")
                if len(content) > _MAX_ANSWER_BYTES:
                    raise unsure("its answer was too long")
            return response.status_code, response.headers, bytes(content)


def _model_answer(content: bytes) -> ModelAnswer:
    """Raises JudgeUnavailable if the function was not called once, with JSON."""
    try:
        answer = json.loads(content)
        calls = answer["choices"][0]["message"].get("tool_calls") or []
        inputs = [call["function"]["arguments"] for call in calls if call["function"]["name"] == TOOL_NAME]
        if len(inputs) != 1:
            raise unsure("it gave no verdict")
        usage = answer.get("usage") or {}
        tokens_in, tokens_out = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        return ModelAnswer(json.loads(inputs[0]), tokens_in, tokens_out)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise unsure("its answer could not be read") from error
