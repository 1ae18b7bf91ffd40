"""All parts in one readable stream: a time, who speaks, what happened, and the fields that matter."""

from __future__ import annotations

import json
import sys
import threading
from datetime import datetime
from typing import TextIO

from local.runner.model import STACK_NAME

_NOISE = {
    "level", "message", "timestamp", "service", "location", "xray_trace_id", "function_name", "function_memory_size",
    "function_arn", "function_request_id", "cold_start", "sampling_rate", "exception_name", "stack_trace", "request_id",
    "requestId", "AWSRequestId", "logger", "time", "type", "record",
}  # fmt: skip
_COLOURS = ("36", "32", "33", "35", "34", "96", "92", "93", "95", "94")
_WIDTH = 21


class LogStream:
    """Takes lines from any thread."""

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._colour = out.isatty()
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()

    def part(self, name: str, line: str) -> None:
        self._write(name, readable(line))

    def function(self, name: str, environment: int, line: str) -> None:
        short = name.removeprefix(f"{STACK_NAME}-")
        self._write(f"{short}/{environment}" if environment else short, readable(line))

    def say(self, line: str) -> None:
        with self._lock:
            print(line, file=self._out, flush=True)

    def _write(self, name: str, text: str) -> None:
        if not text:
            return
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        label = f"{name:<{_WIDTH}}"
        if self._colour:
            colour = self._names.setdefault(name.partition("/")[0], _COLOURS[len(self._names) % len(_COLOURS)])
            label = f"\033[{colour}m{label}\033[0m"
        self.say(f"{now} {label} {text}")


def readable(line: str) -> str:
    """A structured line as `event key=value …`; any other line as it is."""
    line = line.rstrip()
    if not line.startswith("{"):
        return line
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    if not isinstance(entry, dict) or "_aws" in entry:  # metrics are for CloudWatch
        return ""
    level = str(entry.get("level", "INFO"))
    fields = [f"{key}={_short(value)}" for key, value in entry.items() if key not in _NOISE and value not in (None, "")]
    text = " ".join([_short(entry.get("message", entry.get("errorMessage", ""))), *fields])
    trace = entry.get("exception")
    if isinstance(trace, str):
        text = text.replace(f"exception={_short(trace)}", "") + "\n" + trace
    return text if level in ("INFO", "DEBUG") else f"{level} {text}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 300 else text[:297] + "…"
