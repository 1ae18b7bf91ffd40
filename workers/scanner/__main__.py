"""`python -m workers.scanner`: runs the worker until it is told to stop."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading

from workers.scanner.config import Config, ConfigError
from workers.scanner.server import JobServer
from workers.scanner.service import Worker


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m workers.scanner", description="Scans what Skillgate published")
    parser.add_argument("--port", type=int, help="0 takes any that is free; else WORKER_PORT, or 8090")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        config = Config.from_environment(os.environ, port=arguments.port)
    except ConfigError as error:
        print(f"scanner: {error}", file=sys.stderr)
        return 2
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    worker = Worker(config)
    worker.start()
    server = JobServer(config, worker)
    server.start()
    print(f"scanner listening on {server.url}", flush=True)
    told.wait()
    server.stop()
    worker.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
