"""Execution environments: reuse, parallel growth, limits, and all the ways in which they end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.runner import Runner, load_template
from tests.integration.runner.conftest import HANDLERS, Eventually, Start
from tests.integration.runner.processes import is_running


def function(name: str, handler: str, **properties: object) -> str:
    more = "".join(f", {key}: {json.dumps(value)}" for key, value in properties.items())
    return f"  {name}: {{Type: AWS::Serverless::Function, Properties: {{Handler: {handler}{more}}}}}\n"


def test_an_environment_is_used_again_while_it_is_free(start: Start) -> None:
    running = start("Resources:\n" + function("Who", "app.who_am_i"))
    pids = {running.invoke("Who")[0]["pid"] for _ in range(5)}
    assert len(pids) == 1


def test_invocations_at_the_same_time_have_environments_of_their_own(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Hold", "app.hold"))
    with ThreadPoolExecutor() as threads:
        answers = [threads.submit(running.invoke, "Hold") for _ in range(3)]
        eventually(lambda: len(running.notes("held")) == 3)
        running.release()
        assert len({answer.result()[0]["pid"] for answer in answers}) == 3


def test_the_environment_that_was_used_last_is_used_first(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Hold", "app.hold_by_name"))
    with ThreadPoolExecutor() as threads:
        early, late = (threads.submit(running.invoke, "Hold", {"name": name}) for name in ("early", "late"))
        eventually(lambda: len(running.notes("held")) == 2)
        running.release("early")
        early.result()
        running.release("late")
        last = late.result()[0]["pid"]
    assert running.invoke("Hold", {"name": "late"})[0]["pid"] == last


def test_a_function_sees_what_lambda_sets_and_nothing_of_the_host(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    variables = {"Variables": {"FROM_TEMPLATE": "template", "OVERRIDDEN": "template"}}
    running = start(
        "Resources:\n" + function("Who", "app.who_am_i", MemorySize=256, Environment=variables),
        environment={"OVERRIDDEN": "stack"},
    )
    seen, _ = running.invoke("Who")
    environment = seen["environment"]
    assert environment["FROM_TEMPLATE"] == "template"
    assert environment["OVERRIDDEN"] == "stack"
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "skillgate-local-Who"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert environment["_HANDLER"] == "app.who_am_i"
    assert environment["TZ"] == ":UTC"
    assert environment["AWS_EXECUTION_ENV"] == "AWS_Lambda_python3.13"
    assert environment["LAMBDA_TASK_ROOT"] == str(HANDLERS)
    assert environment["AWS_ENDPOINT_URL_LAMBDA"] == running.runner.invoke_address
    assert "SECRET_OF_THE_HOST" not in environment and "HOME" not in environment
    assert seen["arn"] == "arn:aws:lambda:us-east-1:000000000000:function:skillgate-local-Who"
    assert 0 < seen["remaining"] <= 60_000


def test_what_a_handler_prints_reaches_the_log_with_its_name_and_number(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Who", "app.who_am_i"))
    pid = running.invoke("Who")[0]["pid"]
    eventually(lambda: ("skillgate-local-Who", 1, f"out from {pid}") in running.log)
    eventually(lambda: ("skillgate-local-Who", 1, "err line") in running.log)


def test_a_handler_that_sleeps_past_its_timeout_is_killed_with_its_children(
    start: Start, eventually: Eventually
) -> None:
    running = start("Resources:\n" + function("Sleep", "app.sleep", Timeout=1))
    answer, error = running.invoke("Sleep")
    assert error == "Unhandled"
    assert answer["errorType"] == "Sandbox.Timedout"
    assert answer["errorMessage"].endswith("Task timed out after 1.00 seconds")
    (note,) = running.notes("sleeping")
    eventually(lambda: not is_running(note["pid"]) and not is_running(note["child"]))


def test_a_crash_fails_that_invocation_only(start: Start) -> None:
    running = start("Resources:\n" + function("Crash", "app.crash"))
    before = running.invoke("Crash")[0]["pid"]
    answer, error = running.invoke("Crash", {"crash": True})
    assert error == "Unhandled"
    assert answer["errorType"] == "Runtime.ExitError"
    assert answer["errorMessage"].endswith("Runtime exited with error: exit status 3")
    after, error = running.invoke("Crash")
    assert error is None and after["pid"] != before


def test_an_error_of_the_handler_is_reported_and_the_environment_lives_on(start: Start) -> None:
    running = start("Resources:\n" + function("Raise", "app.raise_error"))
    answer, error = running.invoke("Raise")
    assert error == "Unhandled"
    assert (answer["errorType"], answer["errorMessage"]) == ("ValueError", "no such luck")
    running.invoke("Raise")
    assert {number for _, number, _ in running.log if number} == {1}


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        ("broken.handler", "DATABASE_URL is not set"),
        ("app.missing", "Handler 'missing' missing on module 'app'"),
        ("absent.handler", "Unable to import module 'absent'"),
    ],
)
def test_an_init_error_shows_its_message_every_time_and_in_the_log(start: Start, handler: str, message: str) -> None:
    running = start("Resources:\n" + function("Broken", handler))
    for _ in range(2):
        answer, error = running.invoke("Broken")
        assert error == "Unhandled"
        assert message in answer["errorMessage"]
    assert {number for _, number, line in running.log if "init failed" in line and message in line} == {1, 2}


def test_an_answer_over_six_megabytes_is_an_error(start: Start) -> None:
    running = start("Resources:\n" + function("Much", "app.too_much"))
    for _ in range(2):
        answer, error = running.invoke("Much")
        assert error == "Unhandled" and answer["errorType"] == "Function.ResponseSizeTooLarge"


def test_reserved_concurrency_throttles_what_goes_beyond_it(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Hold", "app.hold", ReservedConcurrentExecutions=2))
    client = running.lambda_client
    with ThreadPoolExecutor() as threads:
        held = [threads.submit(running.invoke, "Hold") for _ in range(2)]
        eventually(lambda: len(running.notes("held")) == 2)
        with pytest.raises(client.exceptions.TooManyRequestsException):
            client.invoke(FunctionName="Hold")
        running.release()
        assert all(answer.result()[1] is None for answer in held)
    assert running.invoke("Hold")[1] is None
    client.close()


def test_functions_without_a_reservation_share_the_rest(start: Start, eventually: Eventually) -> None:
    resources = "Resources:\n" + function("Hold", "app.hold") + function("Who", "app.who_am_i")
    running = start(resources, unreserved_concurrency=1)
    client = running.lambda_client
    with ThreadPoolExecutor() as threads:
        held = threads.submit(running.invoke, "Hold")
        eventually(lambda: running.notes("held"))
        with pytest.raises(client.exceptions.TooManyRequestsException):
            client.invoke(FunctionName="Who")
        running.release()
        held.result()
    client.close()


def test_an_idle_environment_is_ended_and_the_next_call_starts_a_new_one(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Who", "app.who_am_i"), idle=0.1)
    first = running.invoke("Who")[0]["pid"]
    eventually(lambda: not is_running(first))
    assert running.invoke("Who")[0]["pid"] != first


def test_an_environment_that_died_while_idle_is_replaced_without_an_error(start: Start, eventually: Eventually) -> None:
    running = start("Resources:\n" + function("Who", "app.who_am_i"))
    first = running.invoke("Who")[0]["pid"]
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not is_running(first))
    answer, error = running.invoke("Who")
    assert error is None and answer["pid"] != first


def test_stopping_leaves_no_process_behind(start: Start, eventually: Eventually) -> None:
    resources = "Resources:\n" + function("Who", "app.who_am_i") + function("Sleep", "app.sleep")
    running = start(resources, stop_grace=0.1)
    pids = [running.invoke("Who")[0]["pid"]]
    running.lambda_client.invoke(FunctionName="Sleep", InvocationType="Event")
    (note,) = eventually(lambda: running.notes("sleeping"))
    running.runner.stop()
    assert not any(is_running(pid) for pid in (*pids, note["pid"]))
    eventually(lambda: not is_running(note["child"]))


def test_stopping_waits_for_an_invocation_that_ends_within_the_grace_period(
    start: Start, eventually: Eventually
) -> None:
    running = start("Resources:\n" + function("Hold", "app.hold"), stop_grace=60)
    running.lambda_client.invoke(FunctionName="Hold", InvocationType="Event")
    eventually(lambda: running.notes("held"))
    with ThreadPoolExecutor() as threads:
        stopped = threads.submit(running.runner.stop)
        running.release()
        stopped.result()
    assert len(running.notes("span")) == 1


def test_a_runner_that_cannot_have_its_port_says_so_and_leaves_no_thread(tmp_path: Path) -> None:
    template = tmp_path / "template.yaml"
    template.write_text("Resources: {}")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        runner = Runner(
            load_template(template, sqs_endpoint="http://127.0.0.1:9"),
            layer_paths=[],
            environment={},
            sqs_endpoint="http://127.0.0.1:9",
            log=lambda *line: None,
            invoke_port=taken.getsockname()[1],
        )
        with pytest.raises(OSError, match="in use"):
            runner.start()
    assert "runner" not in {thread.name for thread in threading.enumerate()}


RUNNER_SCRIPT = """
import sys, time
from pathlib import Path
import boto3
from local.runner import Runner, load_template

template, notes = Path(sys.argv[1]), sys.argv[2]
runner = Runner(load_template(template, sqs_endpoint="http://127.0.0.1:9"), layer_paths=[],
                environment={"NOTES": notes}, sqs_endpoint="http://127.0.0.1:9", log=lambda *line: None)
runner.start()
client = boto3.client("lambda", endpoint_url=runner.invoke_address, region_name="us-east-1",
                      aws_access_key_id="x", aws_secret_access_key="x")
print(client.invoke(FunctionName="Who")["Payload"].read().decode(), flush=True)
client.invoke(FunctionName="Spin", InvocationType="Event")
client.invoke(FunctionName="Sleep", InvocationType="Event")
time.sleep(600)
"""


def test_killing_the_runner_ends_idle_and_busy_environments(tmp_path: Path, eventually: Eventually) -> None:
    template = tmp_path / "template.yaml"
    names = {"Who": "app.who_am_i", "Spin": "app.spin", "Sleep": "app.sleep"}
    template.write_text(
        f"Globals: {{Function: {{Runtime: python3.13, CodeUri: {HANDLERS}, Timeout: 600}}}}\nResources:\n"
        + "".join(function(name, handler) for name, handler in names.items())
    )
    command = [sys.executable, "-c", RUNNER_SCRIPT, str(template), str(tmp_path)]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONPATH": "."}) as runner:
        assert runner.stdout is not None
        idle = json.loads(runner.stdout.readline())["pid"]
        (spinning,) = eventually(lambda: list(tmp_path.glob("spinning-*")))
        (sleeping,) = eventually(lambda: list(tmp_path.glob("sleeping-*")))
        notes = [json.loads(path.read_text()) for path in (spinning, sleeping)]
        pids = [idle, *(note["pid"] for note in notes)]
        assert all(is_running(pid) for pid in pids)
        runner.kill()
    try:
        eventually(lambda: not any(is_running(pid) for pid in pids))
    finally:
        for pid in (*pids, notes[1]["child"]):
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)
