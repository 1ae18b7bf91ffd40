"""Execution environments: one process each, running the real Lambda runtime client against its own Runtime API."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .model import REGION, Function
from .runtime_api import InitError, Invocation, Outcome, RuntimeApi, error_outcome

Log = Callable[[str, int, str], None]
"""Takes the function's name, the environment's number (0: the runner itself) and one line."""

_LAUNCHER = Path(__file__).with_name("launcher.py")
_DRAIN_SECONDS = 1.0
_LONGEST_LINE = 256 * 1024


class EnvironmentGone(Exception):
    """The environment ended before it took the invocation, which can therefore go to another one."""


def lambda_variables(function: Function, layer_paths: Sequence[Path], overrides: Mapping[str, str]) -> dict[str, str]:
    """The environment of a function's process: what Lambda sets, the template's variables, the stack's overrides.

    Nothing of the host but PATH: a setting that the template forgot must be missing here as it would be on AWS.
    """
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "PYTHONPATH": os.pathsep.join(str(path) for path in (function.code_dir, *layer_paths)),
        "LAMBDA_TASK_ROOT": str(function.code_dir),
        "_HANDLER": function.handler,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.runtime}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        **function.environment,
        **overrides,
    }


async def _first(*futures: "asyncio.Future[Any]", timeout: float) -> None:
    """Waits until one of the futures is done or the time is up, and leaves all of them running."""
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


class Environment:
    """One process. It runs one invocation at a time; after a timeout or a crash it is dead and must be dropped."""

    def __init__(self, function: Function, number: int, variables: Mapping[str, str], log: Log) -> None:
        self._function = function
        self.number = number
        self._variables = variables
        self._log = log
        self._api = RuntimeApi()
        self._process: asyncio.subprocess.Process | None = None
        self._exit: asyncio.Task[int] | None = None
        self._output: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return self._exit is not None and not self._exit.done()

    async def start(self, timeout: float) -> None:
        """Returns when the handler is loaded and waits for work; raises InitError, with the process ended."""
        port = await self._api.start()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            str(_LAUNCHER),
            self._function.handler,
            str(os.getpid()),
            env={**self._variables, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}"},
            cwd=self._function.code_dir,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self._exit = asyncio.create_task(self._process.wait())
        self._output = asyncio.create_task(self._pass_output())
        try:
            await _first(self._api.ready, self._exit, timeout=timeout)
            if self._api.ready.done():
                self._api.ready.result()
            elif self._exit.done():
                raise InitError(self._exit_outcome(""))
            else:
                raise InitError(error_outcome("Sandbox.Timedout", f"Init timed out after {timeout:.2f} seconds"))
        except BaseException:
            await self.stop()
            raise

    async def run(self, invocation: Invocation, handover_timeout: float) -> Outcome:
        """The outcome of the invocation, be it an answer, an error, a crash or a timeout.

        Raises EnvironmentGone when the process ended, or hung, without having taken the invocation.
        """
        assert self._exit is not None
        self._api.offer(invocation)
        await _first(invocation.delivered, self._exit, timeout=handover_timeout)
        if not invocation.delivered.done():
            await self.stop()
            raise EnvironmentGone(f"{self._function.name} environment {self.number}")
        await _first(invocation.outcome, self._exit, timeout=invocation.timeout)
        if invocation.outcome.done():
            return invocation.outcome.result()
        if self._exit.done():
            outcome = self._exit_outcome(invocation.request_id)
        else:
            message = f"RequestId: {invocation.request_id} Error: Task timed out after {invocation.timeout:.2f} seconds"
            outcome = error_outcome("Sandbox.Timedout", message, invocation.request_id)
        await self.stop()
        self._log(self._function.name, self.number, outcome.payload.decode())
        return outcome

    async def stop(self) -> None:
        """Ends the process and everything it started; safe to call more than once."""
        if self._process is not None and self._exit is not None:
            # The group outlives its leader when the handler left children behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._exit
        if self._output is not None:
            # A child that moved to a group of its own may hold the pipe open for ever.
            await asyncio.wait({self._output}, timeout=_DRAIN_SECONDS)
            self._output.cancel()
        await self._api.stop()

    def _exit_outcome(self, request_id: str) -> Outcome:
        assert self._exit is not None
        code = self._exit.result()
        if code == 0:
            reason = "Runtime exited without providing a reason"
        elif code < 0:
            reason = f"Runtime exited with error: signal: {signal.strsignal(-code) or -code}"
        else:
            reason = f"Runtime exited with error: exit status {code}"
        prefix = f"RequestId: {request_id} Error: " if request_id else ""
        return error_outcome("Runtime.ExitError", prefix + reason, request_id)

    async def _pass_output(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        rest = b""
        while chunk := await self._process.stdout.read(65536):
            # The runtime client separates the lines of a traceback by carriage returns.
            *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
            if len(rest) > _LONGEST_LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                self._log_line(line)
        self._log_line(rest)

    def _log_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").replace("\u00a0", " ").rstrip()
        if text:
            self._log(self._function.name, self.number, text)
