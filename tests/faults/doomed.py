"""`python -m tests.faults.doomed`: for each line "work call moment" on its input, a process that does it (takes one
message, or sweeps once) and dies there. Answers each with the message's receipt handle and whether it was killed.

They are forked from a process that has imported everything and opened nothing, so that one costs little.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from skillgate import bootstrap
from skillgate.services.consume import consume
from skillgate.services.sweep import sweep

from local.stack import local_client
from tests.faults.kill_points import KillPoint, Moment
from tests.support.queue import records_of


def one_message(call: int, moment: Moment, report: int) -> None:
    sqs, url = local_client("sqs", os.environ["AWS_ENDPOINT_URL_SQS"]), os.environ["SUBMISSIONS_QUEUE_URL"]
    messages = sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=1, MessageSystemAttributeNames=["All"], VisibilityTimeout=120
    )["Messages"]
    handle = messages[0]["ReceiptHandle"]
    os.write(report, handle.encode())
    backend = KillPoint(call, moment).around(bootstrap.build(bootstrap.settings_from_environment()))
    answer = consume(backend, records_of(messages), request_id="doomed", seconds_left=60)
    assert answer == {"batchItemFailures": []}, answer
    sqs.delete_message(QueueUrl=url, ReceiptHandle=handle)


def one_sweep(call: int, moment: Moment, report: int) -> None:
    os.write(report, b"-")
    sweep(KillPoint(call, moment).around(bootstrap.build(bootstrap.settings_from_environment())))


WORK = {"consume": one_message, "sweep": one_sweep}


def in_fork(work: str, call: int, moment: Moment) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            WORK[work](call, moment, writing)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    handle = os.read(reading, 4096).decode()
    os.close(reading)
    if os.WIFSIGNALED(status):
        return {"handle": handle, "ended": "killed"}
    return {"handle": handle, "ended": "completed" if os.WEXITSTATUS(status) == 0 else "failed"}


def main() -> None:
    for line in sys.stdin:
        work, call, moment = line.split()
        answer = in_fork(work, int(call), "before" if moment == "before" else "after")
        sys.__stdout__.write(json.dumps(answer) + "\n")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
