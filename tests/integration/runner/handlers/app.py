"""The functions that the runner's tests run, each with one behaviour to observe."""

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import boto3


def echo(event: Any, context: Any) -> Any:
    return event


def who_am_i(event: Any, context: Any) -> dict[str, Any]:
    print(f"out from {os.getpid()}")
    print("err line", file=sys.stderr)
    return {
        "pid": os.getpid(),
        "environment": dict(os.environ),
        "requestId": context.aws_request_id,
        "arn": context.invoked_function_arn,
        "remaining": context.get_remaining_time_in_millis(),
    }


def answer(event: dict[str, Any], context: Any) -> Any:
    """Answers a GET with its event, and anything that carries an answer with that answer."""
    if "x-answer" not in event["headers"]:
        return event
    return json.loads(event["headers"]["x-answer"])


def raise_error(event: Any, context: Any) -> None:
    with (Path(os.environ["NOTES"]) / "attempts").open("a") as notes:
        notes.write("x")
    raise ValueError("no such luck")


def sleep(event: Any, context: Any) -> None:
    note("sleeping", {"pid": os.getpid(), "child": subprocess.Popen(["sleep", "600"]).pid})
    time.sleep(600)


def spin(event: Any, context: Any) -> None:
    note("spinning", {"pid": os.getpid()})
    while True:
        time.sleep(0)


def crash(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if event.get("crash"):
        os._exit(3)
    return {"pid": os.getpid()}


def too_much(event: Any, context: Any) -> str:
    return "x" * (7 * 1024 * 1024)


def invoke_other(event: dict[str, Any], context: Any) -> Any:
    answer = boto3.client("lambda").invoke(FunctionName=event["name"], Payload=json.dumps({"from": "other"}))
    return json.load(answer["Payload"])


def hold(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Notes that it runs, and goes on when the test says so."""
    began = time.monotonic()
    note("held", {"count": len(event.get("Records", [])), "pid": os.getpid()})
    while not (Path(os.environ["NOTES"]) / "release").exists():
        time.sleep(0.01)
    note("span", {"began": began, "ended": time.monotonic(), "count": len(event.get("Records", []))})
    return {"pid": os.getpid()}


def hold_by_name(event: dict[str, Any], context: Any) -> dict[str, Any]:
    note("held", event)
    while not (Path(os.environ["NOTES"]) / f"release{event['name']}").exists():
        time.sleep(0.01)
    return {"pid": os.getpid()}


def consume(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Does with each record what its body says."""
    failures = []
    for record in event["Records"]:
        wanted = json.loads(record["body"])
        note("record", {**wanted, "record": record, "batch": len(event["Records"])})
        attempt = int(record["attributes"]["ApproximateReceiveCount"])
        if wanted["do"] == "fail" or (wanted["do"] == "fail once" and attempt == 1):
            failures.append({"itemIdentifier": record["messageId"]})
        if wanted["do"] == "sleep once" and attempt == 1:
            time.sleep(600)
    return {"batchItemFailures": failures}


def note(kind: str, what: dict[str, Any]) -> None:
    """Leaves a note for the test, complete from the moment it can be seen."""
    folder = Path(os.environ["NOTES"])
    unfinished = folder / f".{uuid.uuid4()}"
    unfinished.write_text(json.dumps(what))
    unfinished.rename(folder / f"{kind}-{time.monotonic_ns()}-{unfinished.name[1:9]}")


def keep(event: dict[str, Any], context: Any) -> None:
    note("event", event)
