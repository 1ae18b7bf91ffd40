"""The script: which play the judge gives to which prompt."""

import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

PlayName = Literal[
    "approve",
    "review",
    "reject",
    "garbage",
    "wrong_schema",
    "refusal",
    "timeout",
    "throttle",
    "access_denied",
    "server_error",
]

SCORES = {"approve": range(80, 101), "review": range(60, 80), "reject": range(0, 60)}
DEFAULT_SCORES = {"approve": 88, "review": 70, "reject": 20}


class Play(BaseModel):
    """`match` is a regular expression that is searched for in the prompt; ^ and $ stand for the ends of a line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    match: str = ""
    play: PlayName
    score: int | None = None
    summary: str = ""
    """A sentence to go into the verdict's summary."""
    seconds: float = Field(default=3600, ge=0)
    """How long a timeout holds the connection before it drops it."""
    times: int | None = Field(default=None, ge=1)

    @field_validator("match")
    @classmethod
    def _compiles(cls, match: str) -> str:
        try:
            re.compile(match, re.MULTILINE)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return match

    @model_validator(mode="after")
    def _score_fits_the_verdict(self) -> Self:
        if self.score is not None and self.score not in SCORES.get(self.play, ()):
            raise ValueError(f"{self.score} is not a score for the play {self.play}")
        return self

    @property
    def verdict_score(self) -> int:
        return DEFAULT_SCORES[self.play] if self.score is None else self.score


class Script:
    """The plays in order: the first that matches and is not used up is given."""

    def __init__(self, plays: Iterable[Mapping[str, Any]] = ()) -> None:
        self._lock = threading.Lock()
        self._plays: list[tuple[Play, int | None]] = []
        self.replace(plays)

    @classmethod
    def read(cls, file: Path) -> "Script":
        """Raises ValueError for a file that is not a list of plays."""
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        return cls(list_of_plays(content))

    def replace(self, plays: Iterable[Mapping[str, Any]]) -> None:
        """Raises ValueError (a pydantic one) for a play that is none, and then keeps the old script."""
        validated = [Play.model_validate(play) for play in plays]
        with self._lock:
            self._plays = [(play, play.times) for play in validated]

    def take(self, prompt: str) -> Play | None:
        with self._lock:
            for position, (play, left) in enumerate(self._plays):
                if re.search(play.match, prompt, re.MULTILINE):
                    if left == 1:
                        del self._plays[position]
                    elif left is not None:
                        self._plays[position] = (play, left - 1)
                    return play
        return None


def list_of_plays(content: Any) -> list[Mapping[str, Any]]:
    if not isinstance(content, list):
        raise ValueError("a script is a list of plays")
    return content
