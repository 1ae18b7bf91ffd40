"""`python -m tests.fuzz`: Schemathesis over the whole OpenAPI document, as five different callers.

Starts a stack of its own, with limits out of the way, and prints what each caller's run came to. Exit status 1 if any
answer was a 5xx or not as documented, or if fewer requests than wanted were made.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path

import httpx

from local.github import oauth
from local.parts.process import free_port
from local.stack import INTERNAL_KEY

PROJECT = Path(__file__).resolve().parents[2]
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "allow_header_conformance",
)  # fmt: skip
LIMITS = ("READS", "SUBMISSIONS", "SUBMISSIONS_SIGNED_IN", "BULK", "INSTALLS", "SIGN_IN", "WRITES")
START_SECONDS = 90
RUN_SECONDS = 900


@dataclass(frozen=True)
class Outcome:
    caller: str
    requests: int
    failures: int
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=5000, help="at least so many, over all callers")
    parser.add_argument("--examples", type=int, default=15, help="generated for each operation and caller")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run")
    parser.add_argument("--schemathesis", default=shutil.which("schemathesis") or "schemathesis")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder, _stack(Path(folder)) as address:
        for caller, header in _callers(address).items():
            outcomes.append(_run(arguments, address, caller, header, Path(folder)))
            print(f"{outcomes[-1]}", flush=True)
    total, failures = sum(each.requests for each in outcomes), sum(each.failures for each in outcomes)
    print(f"{total} requests, {failures} answers that should not be")
    return 0 if total >= arguments.requests and failures == 0 else 1


@contextmanager
def _stack(folder: Path) -> Iterator[str]:
    """The product as `make run` starts it, on data of its own; its address."""
    port, log = free_port(), folder / "stack.log"
    paths = f"{PROJECT}:{PROJECT}/functions:{PROJECT}/layers/skillgate"
    environment = os.environ | {"PYTHONPATH": paths} | {f"LIMIT_{name}": "1000000" for name in LIMITS}
    command = [sys.executable, "-m", "local", "run", "--port", str(port), "--data", str(folder / "data")]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + START_SECONDS
        while "Skillgate is running at" not in log.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the stack did not start:\n{log.read_text()}")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        crashes = [line for line in log.read_text().splitlines() if "request_crashed" in line]
        print("\n".join(crashes[:20]), end="\n" if crashes else "")


def _callers(address: str) -> dict[str, str | None]:
    """Who calls, and the header that says so."""
    user, admin = _access_token(address, "acme-labs"), _access_token(address, oauth.ADMIN)
    exchange = f"{address}/api/v1/auth/github/exchange-for-vsk-token"
    wanted = {"name": "fuzz", "scopes": ["submit", "me:read", "me:write"]}
    token = httpx.post(exchange, json=wanted, headers={"Authorization": f"Bearer {user}"}, timeout=30).json()["token"]
    return {
        "nobody": None,
        "internal key": f"X-Internal-Key: {INTERNAL_KEY}",
        "user": f"Authorization: Bearer {user}",
        "admin": f"Authorization: Bearer {admin}",
        "API token": f"Authorization: Bearer {token}",
    }


def _access_token(address: str, login: str) -> str:
    departure = httpx.get(f"{address}/api/v1/auth/github", timeout=30)
    cookie = departure.headers["set-cookie"].partition(";")[0]
    chosen = httpx.get(f"{departure.headers['location']}&login={login}", timeout=30)
    arrival = httpx.get(chosen.headers["location"], headers={"Cookie": cookie}, timeout=30)
    cookies = SimpleCookie(arrival.headers.get_list("set-cookie")[0])
    return next(iter(cookies.values())).value


def _run(arguments: argparse.Namespace, address: str, caller: str, header: str | None, folder: Path) -> Outcome:
    report = folder / f"{caller.replace(' ', '-')}.json"
    command = [
        arguments.schemathesis, "run", f"{address}/api/v1/openapi.json", "--url", address,
        "--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS), "--continue-on-failure",
        "--max-examples", str(arguments.examples), "--workers", "2", "--max-redirects", "0",
        "--suppress-health-check", "all", "--report", "json", "--report-json-path", str(report),
        *(["--seed", str(arguments.seed)] if arguments.seed is not None else []),
        *(["--header", header] if header else []),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
    if not report.exists():
        raise SystemExit(f"Schemathesis did not run:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    found = json.loads(report.read_text())
    cases = found["test_cases"]
    failures = max(cases["with_failures"] + cases["errored"], 0 if found["exit_code"] == 0 else 1)
    if failures:
        print(done.stdout)
    return Outcome(caller, cases["generated"], failures, round(found["running_time"], 1))


if __name__ == "__main__":
    sys.exit(main())
