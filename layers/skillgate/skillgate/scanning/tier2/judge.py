"""The judge behind its port: asks a model once per content, within the budget, and records what it cost."""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from skillgate.domain.errors import JudgeUnavailable, StoreUnavailable
from skillgate.domain.skill import SkillBundle
from skillgate.observability import logger
from skillgate.ports import Judgement
from skillgate.scanning.tier2.answer import ModelAnswer, VerdictAnswer, settled, usable
from skillgate.scanning.tier2.prompt import PROMPT_VERSION, Prompt, build_prompt

_BASE_WAIT_SECONDS = 0.5
_MIN_THINKING_SECONDS = 2.0  # with less than this left, no model has an answer


class Throttled(Exception):
    """The model asks us to come again, after so many seconds if it says so."""

    def __init__(self, retry_after: float | None = None) -> None:
        super().__init__("throttled")
        self.retry_after = retry_after


class Model(Protocol):
    """A model behind an API. Raises Throttled where asking again may help, JudgeUnavailable where it will not."""

    @property
    def name(self) -> str: ...
    def ask(self, prompt: Prompt, *, timeout: float) -> ModelAnswer: ...


class AnswerCache(Protocol):
    """Usable answers by key, as JSON-like values. May raise StoreUnavailable: the judge then does without."""

    def get(self, key: str) -> Mapping[str, Any] | None: ...
    def put(self, key: str, answer: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Prices:
    """US dollars for a million tokens; None: not known, and then no cost is claimed."""

    tokens_in: float | None = None
    tokens_out: float | None = None

    def cost(self, answer: ModelAnswer) -> float | None:
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return round((answer.tokens_in * self.tokens_in + answer.tokens_out * self.tokens_out) / 1_000_000, 6)


class SkillJudge:
    """Implements the port `Judge`. Without a model every question is JudgeUnavailable."""

    def __init__(
        self,
        model: Model | None,
        *,
        max_input_chars: int,
        prices: Prices = Prices(),
        cache: AnswerCache | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        nonce: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._model = model
        self._max_input_chars = max_input_chars
        self._prices = prices
        self._cache = cache
        self._sleep = sleep
        self._clock = clock
        self._nonce = nonce

    def judge(self, bundle: SkillBundle, tier1_report: Mapping[str, Any], *, timeout: float) -> Judgement:
        if self._model is None:
            raise JudgeUnavailable("No judge is configured.")
        started = self._clock()
        prompt = build_prompt(bundle, tier1_report, max_chars=self._max_input_chars, nonce=self._nonce())
        key = f"{bundle.content_hash()}:{self._model.name}:{PROMPT_VERSION}:{prompt.digest}"
        kept = self._recall(key)
        answered = kept or self._asked(self._model, prompt, deadline=started + timeout)
        verdict = usable(answered.tool_input, prompt)
        if kept is None:
            self._remember(key, verdict, answered)
        seconds = self._clock() - started
        return self._judgement(self._model.name, prompt, verdict, answered, seconds=seconds, cached=kept is not None)

    def _asked(self, model: Model, prompt: Prompt, *, deadline: float) -> ModelAnswer:
        attempt = 0
        while True:
            left = deadline - self._clock()
            if left < _MIN_THINKING_SECONDS:
                raise JudgeUnavailable("The judge had no time left to answer.")
            try:
                return model.ask(prompt, timeout=left)
            except Throttled as error:
                backoff = _BASE_WAIT_SECONDS * 2**attempt
                wait = max(backoff, error.retry_after or 0) + random.uniform(0, backoff)  # noqa: S311 - jitter
                if wait + _MIN_THINKING_SECONDS > deadline - self._clock():
                    raise JudgeUnavailable("The judge is throttled.", retry_after=max(1, round(wait))) from error
            self._sleep(wait)
            attempt += 1

    def _recall(self, key: str) -> ModelAnswer | None:
        if self._cache is None:
            return None
        try:
            kept = self._cache.get(key)
        except StoreUnavailable:
            logger.warning("judge_cache_unavailable")
            return None
        return None if kept is None else ModelAnswer(kept["input"], kept["tokensIn"], kept["tokensOut"])

    def _remember(self, key: str, verdict: VerdictAnswer, answer: ModelAnswer) -> None:
        if self._cache is None:
            return
        kept = {"input": verdict.model_dump(), "tokensIn": answer.tokens_in, "tokensOut": answer.tokens_out}
        try:
            self._cache.put(key, kept)
        except StoreUnavailable:
            logger.warning("judge_cache_unavailable")

    def _judgement(
        self, model: str, prompt: Prompt, verdict: VerdictAnswer, answer: ModelAnswer, *, seconds: float, cached: bool
    ) -> Judgement:
        score, decided = settled(verdict, prompt)
        report = {
            "promptVersion": PROMPT_VERSION,
            "scoreGiven": verdict.score,
            "verdictGiven": verdict.verdict,
            "intentMatchesDescription": verdict.intent_matches_description,
            "findings": [finding.model_dump() for finding in verdict.findings],
            "addressesJudge": bool(prompt.addressed),
            "raisedFindings": [_address_finding(path, line) for path, line in prompt.addressed[:20]],
            "complete": not prompt.left_out,
            "leftOut": list(prompt.left_out[:100]),
            "tokensIn": answer.tokens_in,
            "tokensOut": answer.tokens_out,
            "costUsd": 0.0 if cached else self._prices.cost(answer),
            "latencyMs": round(seconds * 1000),
            "cached": cached,
        }
        return Judgement(score=score, verdict=decided, summary=verdict.summary, report=report, model=model)


def _address_finding(path: str, line: int) -> dict[str, Any]:
    return {
        "id": f"tier2-addresses-judge-{hashlib.sha256(path.encode()).hexdigest()[:8]}",
        "ruleId": "tier2-addresses-judge",
        "category": "prompt_injection",
        "severity": "high",
        "confidence": 0.8,
        "file": path,
        "line": line,
        "message": "The text talks to whoever judges the skill.",
        "why": "A skill that tries to decide its own verdict cannot be approved without a person.",
        "fix": "Remove what is addressed to reviewers, scanners or models that judge.",
        "tier": 2,
    }
