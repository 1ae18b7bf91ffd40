"""`python -m local run|invoke|reset`: what `make run`, `make invoke` and `make reset` call."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import httpx

from local.logs import LogStream
from local.parts.part import PROJECT
from local.parts.process import DirectoryLock, PartError
from local.seed import submit_examples
from local.stack import INTERNAL_KEY, Options, Stack, write_addresses

DATA = PROJECT / ".local"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local", description="Skillgate on one machine")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="start everything, until Ctrl-C")
    run.add_argument("--port", type=int, default=8080)
    run.add_argument("--github", choices=("stand-in", "real"), default="stand-in")
    run.add_argument("--data", type=Path, default=DATA)
    run.add_argument("--concurrency", type=int, default=4, help="consumers at once; AWS has 20")
    run.add_argument("--worker", action="store_true", help="also a scan worker with the real Semgrep and njsscan")
    invoke = commands.add_parser("invoke", help="send an event to a function of the running stack")
    invoke.add_argument("function")
    invoke.add_argument("event", type=Path)
    invoke.add_argument("--data", type=Path, default=DATA)
    reset = commands.add_parser("reset", help="forget everything that was stored")
    reset.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    try:
        return {"run": _run, "invoke": _invoke, "reset": _reset}[arguments.command](arguments)
    except (PartError, OSError) as error:
        print(f"skillgate: {error}", file=sys.stderr)
        return 1


def _run(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    logs = LogStream()
    data = arguments.data.absolute()
    lock = DirectoryLock("skillgate", data)
    options = Options(
        data=data,
        port=arguments.port,
        github=arguments.github,
        worker=arguments.worker,
        parameters={"ConsumerConcurrency": str(arguments.concurrency)},
    )
    try:
        with Stack(options, logs) as stack:
            write_addresses(data, stack)
            logs.say(f"\nSkillgate is running at {stack.address} ({time.monotonic() - started:.1f} s)")
            logs.say(f"Its API: {stack.address}/api/v1/openapi.json   operators send X-Internal-Key: {INTERNAL_KEY}")
            logs.say(
                "Tier 2 is a scripted judge, not a model. Ctrl-C ends it; data is kept, `make reset` forgets it.\n"
            )
            if arguments.github == "stand-in":
                submit_examples(stack.address, data, logs)
            stopping.wait()
            logs.say("\nStopping …")
    finally:
        (data / "addresses.json").unlink(missing_ok=True)
        lock.release()
    return 0


def _invoke(arguments: argparse.Namespace) -> int:
    try:
        addresses = json.loads((arguments.data / "addresses.json").read_text())
    except FileNotFoundError:
        print("skillgate: the local stack is not running; start it with `make run`", file=sys.stderr)
        return 1
    url = f"{addresses['invoke']}/2015-03-31/functions/{arguments.function}/invocations"
    answer = httpx.post(url, content=arguments.event.read_bytes(), timeout=910)
    print(json.dumps(answer.json(), indent=2))
    return 1 if answer.is_error or "X-Amz-Function-Error" in answer.headers else 0


def _reset(arguments: argparse.Namespace) -> int:
    data = arguments.data.absolute()
    if not data.exists():
        return 0
    DirectoryLock("skillgate", data).release()  # refuses while the stack runs on it
    shutil.rmtree(data)
    print(f"Removed {data}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
