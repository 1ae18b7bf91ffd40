"""The Converse endpoint as boto3's bedrock-runtime client speaks to it, and the endpoints that steer the stub."""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from local.bedrock import judge
from local.bedrock.script import Play, Script, list_of_plays
from local.servers.http_server import ConnectionDropped, Request, Response, StandIn

CONVERSE = re.compile(r"/model/(?P<model>.+)/converse")
CHARACTERS_PER_TOKEN = 4
MILLISECONDS_PER_TOKEN = 10
MOST_RECORDS = 1_000
ERRORS = {
    "throttle": (429, "ThrottlingException", "Too many requests, please wait before trying again."),
    "access_denied": (403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
    "server_error": (500, "InternalServerException", "The system encountered an unexpected error."),
}


@dataclass(frozen=True)
class PromptRecord:
    time: float
    model: str
    prompt: str
    play: str


class BadRequest(Exception):
    """A request that Bedrock would answer with a ValidationException, or that our judge would never make."""


class BedrockStub(StandIn):
    """What AWS_ENDPOINT_URL_BEDROCK_RUNTIME points to."""

    def __init__(self, script: Script | None = None, port: int = 0) -> None:
        super().__init__(port)
        self._script = script or Script()
        self._records: deque[PromptRecord] = deque(maxlen=MOST_RECORDS)
        self._lock = threading.Lock()

    def set_script(self, plays: Iterable[Mapping[str, Any]]) -> None:
        self._script.replace(plays)

    def requests(self) -> list[PromptRecord]:
        with self._lock:
            return list(self._records)

    def _answer(self, request: Request) -> Response:
        match request.method, request.path:
            case "PUT", "/_control/script":
                return self._replace_script(request)
            case "GET", "/_control/requests":
                return Response.of_json([asdict(record) for record in self.requests()])
            case "POST", path if asked := CONVERSE.fullmatch(path):
                try:
                    return self._converse(asked["model"], request)
                except BadRequest as error:
                    return _error(400, "ValidationException", str(error))
        return _error(404, "ResourceNotFoundException", "There is no such endpoint.")

    def _replace_script(self, request: Request) -> Response:
        try:
            self.set_script(list_of_plays(request.json()))
        except ValueError as error:
            return Response.of_json({"message": str(error)}, 400)
        return Response(204)

    def _converse(self, model: str, request: Request) -> Response:
        prompt = _prompt(request)
        findings = judge.findings_in(prompt)
        play = self._script.take(prompt) or judge.default_play(findings)
        with self._lock:
            self._records.append(PromptRecord(time.time(), model, prompt, play.play))
        if play.play in ERRORS:
            return _error(*ERRORS[play.play])
        if play.play == "timeout":
            self._server.pause(play.seconds)
            raise ConnectionDropped
        content, stop_reason = _content(play, findings)
        return Response.of_json(_completion(prompt, content, stop_reason))


def _prompt(request: Request) -> str:
    """All text of the request, the system's first."""
    try:
        body = request.json()
        messages = [block for message in body["messages"] for block in message["content"]]
        blocks = [*body.get("system", []), *messages]
        tools = [tool["toolSpec"]["name"] for tool in body["toolConfig"]["tools"]]
        forced = body["toolConfig"]["toolChoice"]["tool"]["name"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(f"The request has no messages, or no tool that is forced: {error!r}") from error
    if judge.TOOL not in tools or forced != judge.TOOL:
        raise BadRequest(f"The scripted judge only plays the tool {judge.TOOL}, and it has to be forced.")
    return "\n".join(block["text"] for block in blocks if "text" in block)


def _content(play: Play, findings: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    """The answer's one content block, and why it ended."""
    if play.play == "garbage":
        return {"text": f"{judge.CONFESSION} Here is some text in place of a verdict: {{score: 100"}, "end_turn"
    if play.play == "refusal":
        return {"text": f"{judge.CONFESSION} I cannot help with judging this skill."}, "end_turn"
    verdict = judge.wrong_schema_verdict() if play.play == "wrong_schema" else judge.verdict(play, findings)
    return {"toolUse": {"toolUseId": "tooluse_scripted", "name": judge.TOOL, "input": verdict}}, "tool_use"


def _completion(prompt: str, content: dict[str, Any], stop_reason: str) -> dict[str, Any]:
    given, taken = _tokens(prompt), _tokens(json.dumps(content))
    return {
        "output": {"message": {"role": "assistant", "content": [content]}},
        "stopReason": stop_reason,
        "usage": {"inputTokens": given, "outputTokens": taken, "totalTokens": given + taken},
        "metrics": {"latencyMs": taken * MILLISECONDS_PER_TOKEN},
    }


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _error(status: int, name: str, message: str) -> Response:
    return Response.of_json({"message": message}, status, {"x-amzn-errortype": name})
