"""Starts the Lambda runtime client in a process that does not outlive the runner.

The runtime client ends by itself only when it asks for its next invocation; a busy handler would live on after the
runner was killed. The kernel's parent-death signal reaches it in any state. Called by path, with the handler and the
runner's process id.
"""

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    handler, runner_pid = sys.argv[1], int(sys.argv[2])
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != runner_pid:
        sys.exit("the runner ended before the environment began")
    sys.argv = ["awslambdaric", handler]
    runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
